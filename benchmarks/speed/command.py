"""Runs the installed `judgemesh grade`, and measures its process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_BYTES_PER_MB = 1e6
_RSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Measured:
    """One command. Memory in MB, times in seconds; `summary` is what it printed with `--json`."""

    peak_mb: float
    wall_s: float
    cpu_s: float
    summary: dict[str, Any]


def measured_grade(
    folder: Path, results: Path, contract: Path, *options: str
) -> Measured:
    """Grade a file into the ledger of a folder, in a process of its own; CPU time is that of its children too.

    Raises:
        SystemExit: the command failed.
    """
    ledger = f"sqlite:///{folder / 'ledger.db'}"
    command = [_judgemesh(), "grade", str(results), "--contracts", str(contract)]
    command += ["--ledger", ledger, "--no-progress", "--json", *options]
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        printed = b"" if process.stdout is None else process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall_s = time.perf_counter() - started
    if process.returncode not in (0, 1):
        message = f"{' '.join(command)} ended with exit code {process.returncode}"
        raise SystemExit(message)
    return Measured(
        usage.ru_maxrss * _RSS_UNIT_BYTES / _BYTES_PER_MB,
        wall_s,
        usage.ru_utime + usage.ru_stime,
        json.loads(printed),
    )


def _judgemesh() -> str:
    beside = Path(sys.executable).with_name("judgemesh")
    found = str(beside) if beside.is_file() else shutil.which("judgemesh")
    if found is None:
        message = "the command `judgemesh` is not installed; `pip install -e .` at the repository's root installs it"
        raise SystemExit(message)
    return found
