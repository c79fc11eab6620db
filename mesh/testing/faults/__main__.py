"""Run a command of judgemesh with a fault in its process.

    python -m judgemesh.mesh.testing.faults [--count FILE] FAULT -- grade results.jsonl -c contracts.yaml

FAULT is `seam:kind@n`; the table of seams is in the documentation of `judgemesh.mesh.testing.faults`. The exit code is
that of the command. `--count FILE` writes how many moments the seam had, and at how many the fault happened, as JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from judgemesh.mesh.testing.faults.fault import Fault
from judgemesh.mesh.testing.faults.injecting import injected


def main() -> None:
    """Run the command; ends the process with its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m judgemesh.mesh.testing.faults",
        description="Run a command of judgemesh with a fault in its process.",
    )
    parser.add_argument("fault", type=Fault.parse, help="seam:kind@n")
    parser.add_argument("--count", type=Path, help="write the moments to this file")
    own, command = _split(sys.argv[1:])
    options = parser.parse_args(own)
    from judgemesh.mesh.cli.app import main as run

    sys.argv = ["judgemesh", *command]
    try:
        with injected(options.fault) as moments:
            try:
                run()
            finally:
                if options.count:
                    count = {"moments": moments.count, "struck": moments.struck}
                    options.count.write_text(json.dumps(count))
    except ValueError as error:
        parser.error(str(error))


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The arguments before `--`, and those of the command after it."""
    if "--" not in arguments:
        return arguments, []
    place = arguments.index("--")
    return arguments[:place], arguments[place + 1 :]


if __name__ == "__main__":
    main()
