#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacks *.machine files into directories that stand for /sys.

A machine file opens with a comment that says what machine it is, and where
its numbers come from.  Then, one per line:

  file PATH TEXT               PATH, relative to /sys, holds TEXT; one [A-B] in
                               it stands for each number from A to B
  broken PATH                  PATH exists and can be opened, but not read
  kind CPUS EFFICIENCY [NAME=VALUE...]
                               hwloc knows a kind of cores of that efficiency
                               (-: it is not told) and those attributes
  expect MASK SOURCE CLASS...  for a process with the affinity MASK, SOURCE
                               tells the classes CPUS=CAPACITY, slowest first,
                               ? being an unknown capacity, and none the CPUS
                               of a class that MASK has no CPU of
  hwloc MASK SOURCE CLASS...   the same if hwloc is asked
  order MASK BS|SB CPU...      the order in which threads are bound to CPUs
  quota MASK THOUSANDTHS BS|SB CPU...
                               the CPU quota of the process's cgroups, which the
                               file fs/cgroup/self names, and the workers' CPUs

The last four are copied to the directory's file `expected`; the kinds become
its file hwloc.xml, for HWLOC_XMLFILE.
"""

import argparse
import pathlib
import re
import sys
import xml.etree.ElementTree as ET


def expand(path):
    """The paths that PATH, with at most one [A-B] in it, stands for."""
    match = re.search(r"\[(\d+)-(\d+)\]", path)
    if not match:
        return [path]
    first, last = int(match[1]), int(match[2])
    return [path[: match.start()] + str(i) + path[match.end() :] for i in range(first, last + 1)]


def numbers(cpulist):
    """The CPUs of a list such as 0-3,8."""
    found = []
    for part in cpulist.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def bitmap(cpus):
    """A set of CPUs as hwloc writes it: 32 bits a word, the highest first."""
    bits = sum(1 << cpu for cpu in cpus)
    words = max(cpus) // 32 + 1
    return ",".join(f"0x{bits >> 32 * i & 0xFFFFFFFF:08x}" for i in reversed(range(words)))


def write_xml(kinds, path):
    """Write the smallest topology that hwloc accepts, with KINDS, to PATH."""
    cpus = sorted(cpu for kind in kinds for cpu in numbers(kind[0]))
    node = {"nodeset": "0x1", "complete_nodeset": "0x1"}

    def add(parent, kind, members, index, **more):
        cpuset = {"cpuset": bitmap(members), "complete_cpuset": bitmap(members)}
        return ET.SubElement(
            parent, "object", type=kind, os_index=str(index), **cpuset, **node, **more
        )

    topology = ET.Element("topology", version="2.0")
    machine = add(topology, "Machine", cpus, 0, allowed_cpuset=bitmap(cpus), allowed_nodeset="0x1")
    add(machine, "NUMANode", cpus, 0, local_memory="1073741824")
    for cpu in cpus:
        add(machine, "PU", [cpu], cpu)
    for members, efficiency, *attributes in kinds:
        kind = ET.SubElement(topology, "cpukind", cpuset=bitmap(numbers(members)))
        if efficiency != "-":
            kind.set("forced_efficiency", efficiency)
        for attribute in attributes:
            name, _, value = attribute.partition("=")
            ET.SubElement(kind, "info", name=name, value=value)
    ET.indent(topology)
    text = ET.tostring(topology, encoding="unicode")
    path.write_text(f'<?xml version="1.0"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n{text}\n')


def unpack(machine, root):
    """Write the tree that the file MACHINE describes below the directory ROOT."""
    expected = []
    kinds = []
    (root / "devices/system/cpu").mkdir(parents=True, exist_ok=True)
    for number, line in enumerate(machine.read_text().splitlines(), 1):
        words = line.split(maxsplit=2)
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "file" and len(words) == 3:
            for path in expand(words[1]):
                file = root / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(words[2] + "\n")
        elif words[0] == "broken" and len(words) == 2:
            # A directory: root could read a file of any mode.
            (root / words[1]).mkdir(parents=True)
        elif words[0] == "kind" and len(words) == 3:
            kinds.append(line.split()[1:])
        elif words[0] in ("expect", "hwloc", "order", "quota") and len(words) == 3:
            expected.append(line)
        else:
            sys.exit(f"{machine}:{number}: not a line of a machine file: {line}")
    (root / "expected").write_text("\n".join(expected) + "\n")
    if kinds:
        write_xml(kinds, root / "hwloc.xml")


def main():
    parser = argparse.ArgumentParser(description="Unpack machine files into sysfs trees.")
    parser.add_argument("output", type=pathlib.Path, help="directory that gets one tree a machine")
    parser.add_argument("machine", type=pathlib.Path, nargs="+", help="machine file")
    arguments = parser.parse_args()
    for machine in arguments.machine:
        unpack(machine, arguments.output / machine.stem)


if __name__ == "__main__":
    main()
