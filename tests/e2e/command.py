"""Run the installed `judgemesh` command the way a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = Path(sys.executable).with_name("judgemesh")


def environment(**extra: str) -> dict[str, str]:
    """A plain environment: no colours, no keys, nothing of the test run."""
    keep = {
        name: value
        for name, value in os.environ.items()
        if name in ("PATH", "HOME", "LANG", "TMPDIR")
    }
    return {**keep, "NO_COLOR": "1", "PYTHONSAFEPATH": "1", **extra}


def judgemesh(
    *args: str | Path, cwd: Path, expect: int | None = 0, **extra: str
) -> subprocess.CompletedProcess[str]:
    """Run to the end; `expect` is the exit code, None for any."""
    done = subprocess.run(
        [COMMAND, *map(str, args)],
        cwd=cwd,
        env=environment(**extra),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if expect is not None:
        assert done.returncode == expect, (
            f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def start(
    *args: str | Path, cwd: Path, shell: str = ":", **extra: str
) -> subprocess.Popen[str]:
    """Start without waiting, `shell` before it: `trap '' INT` starts it as a shell starts a background job."""
    return subprocess.Popen(
        ["sh", "-c", f'{shell}; exec "$0" "$@"', COMMAND, *map(str, args)],
        cwd=cwd,
        env=environment(**extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def summary(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one JSON object of `--json`."""
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    """A JSONL file."""
    return [json.loads(line) for line in path.read_text().splitlines()]
