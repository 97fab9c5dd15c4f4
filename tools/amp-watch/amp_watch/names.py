# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of regions, loops and tasks: the function and the line, by debug information."""

import collections
import os
import subprocess


def look_up(module, addresses):
    """(function, file:line) of each of ADDRESSES in the file MODULE; nothing without addr2line."""
    try:
        done = subprocess.run(
            ["addr2line", "-f", "-C", "-e", module, *map(hex, addresses)],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return {}
    lines = done.stdout.splitlines()
    found = {}
    for address, function, place in zip(addresses, lines[::2], lines[1::2]):
        place = place.split(" (discriminator")[0]
        known = not place.startswith("?") and not place.endswith(":?")
        found[address] = (
            function if function != "??" else None,
            os.path.basename(place) if known else None,
        )
    return found


def plain(function):
    """The program's function of the one that the compiler made of a region. Empty if the compiler
    does not say, as before Clang 17."""
    return function.split(" [clone")[0].split("._omp_fn")[0].split(".omp_outlined")[0]


def name_sites(sites, functions):
    """Give each of SITES the keys function, place and name. FUNCTIONS: modules and addresses of
    functions; all other addresses are those to which a call returns."""
    wanted = collections.defaultdict(set)
    for site in sites:
        site["code"] = site["address"] - ((site["module"], site["address"]) not in functions)
        if site["module"] is not None:
            wanted[site["module"]].add(site["code"])
    known = {module: look_up(module, sorted(codes)) for module, codes in wanted.items()}
    for site in sites:
        function, place = known.get(site["module"], {}).get(site["code"], (None, None))
        site["function"] = function
        site["place"] = place
        if site["site"] is None:
            site["name"] = "(of further places, for which there was no room)"
        elif function is None:
            site["name"] = site["site"]
        else:
            said = f", {place}" if place else f" ({site['site']})"
            site["name"] = (plain(function) + said).lstrip(", ")
