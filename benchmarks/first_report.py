"""Time from a clone to a graded foreign log, by commands of the README only, with an empty package cache.

    python benchmarks/first_report.py [--log FILE] [--budget 180]

prints the seconds of each command and in all, the number of commands and of lines written by hand, and exits 1 if one
is above its limit (budget, 4 commands, 15 lines).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
COMMANDS: Final = (
    "make demo",
    ".venv/bin/judgemesh init chat.json",
)
"""Typed after `git clone`; each stands in the README."""
MAX_COMMANDS: Final = 4
MAX_LINES: Final = 15
LINES_BY_HAND: Final = 0
LOG: Final[list[dict[str, Any]]] = [
    {"role": "user", "content": "Where is parcel 77?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "find_parcel", "arguments": '{"number": 77}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": '{"place": "Depot 4"}'},
    {"role": "assistant", "content": "Parcel 77 is at Depot 4."},
]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, help="a foreign log; default: a short chat")
    parser.add_argument("--budget", type=float, default=180.0, help="seconds in all")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "judgemesh"
        seconds = [_run(f"git clone --quiet {ROOT} {clone}", ROOT)]
        log = json.dumps(LOG) if options.log is None else options.log.read_text()
        (clone / "chat.json").write_text(log)
        seconds += [_run(command, clone) for command in COMMANDS]
        graded = (clone / "graded" / "ledger.db").is_file()
    total = sum(seconds)
    count = len(seconds)
    print(f"seconds {total:.1f} (budget {options.budget:g})")
    print(f"commands {count} (at most {MAX_COMMANDS})")
    print(f"lines by hand {LINES_BY_HAND} (at most {MAX_LINES})")
    met = (
        graded
        and total <= options.budget
        and count <= MAX_COMMANDS
        and LINES_BY_HAND <= MAX_LINES
    )
    return 0 if met else 1


_KEPT = frozenset({"PATH", "HOME", "LANG", "TMPDIR"})
_KEPT_PREFIXES = ("PIP_", "UV_")
"""Where packages come from is a setting of the machine."""


def _run(command: str, folder: Path) -> float:
    """Run a command as typed, without package cache or settings of this process; the seconds it took."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    environment |= {"PIP_NO_CACHE_DIR": "1", "UV_NO_CACHE": "1"}
    started = perf_counter()
    done = subprocess.run(
        command.split(),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    took = perf_counter() - started
    print(f"{took:7.1f} s  {command.replace(str(ROOT), 'URL')}")
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
        raise SystemExit(done.returncode)
    return took


if __name__ == "__main__":
    sys.exit(main())
