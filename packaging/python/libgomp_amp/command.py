# SPDX-License-Identifier: GPL-3.0-or-later
"""The command libgomp-amp."""

import importlib
import os
import sys

from libgomp_amp._files import tool

TOOLS = {"run": "amp-run", "info": "amp-info", "emu": "amp-emu"}
# Python programs, which this Python runs.
SCRIPTS = {"report": "amp-report", "trace": "amp-trace"}
USAGE = """\
usage: libgomp-amp run [OPTIONS] CMD [ARGS...]    run CMD on libgomp-amp: amp-run
       libgomp-amp run --tune CMD [ARGS...]       find the best way to run CMD, and remember it
       libgomp-amp info [OPTIONS]                 what the library knows of this machine: amp-info
       libgomp-amp emu MODE [OPTIONS] CMD ...     emulate an asymmetric machine: amp-emu
       libgomp-amp report [OPTIONS] FILE          show what GOMP_AMP_REPORT=FILE wrote: amp-report
       libgomp-amp trace [OPTIONS] FILE           show what GOMP_AMP_TRACE=FILE wrote: amp-trace
       libgomp-amp status [MODULE...]             import modules; which OpenMP runtime has each?
"""


def main() -> int:
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(USAGE, end="")
        return 0
    if words[0] in TOOLS:
        program = tool(TOOLS[words[0]])
        os.execv(program, [program, *words[1:]])
    if words[0] in SCRIPTS:
        os.execv(sys.executable, [sys.executable, tool(SCRIPTS[words[0]]), *words[1:]])
    if words[0] != "status":
        print(
            f"libgomp-amp: '{words[0]}': expected run, info, emu, report, trace or status; "
            f"nothing is done\n"
            f"{USAGE}",
            end="",
            file=sys.stderr,
        )
        return 2
    import libgomp_amp

    # As `python -m` would find them.
    sys.path.insert(0, os.getcwd())
    for module in words[1:]:
        importlib.import_module(module)
    print(libgomp_amp.status())
    return 0


if __name__ == "__main__":
    sys.exit(main())
