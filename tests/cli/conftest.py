"""The installed command in a folder of its own, and small inputs for it."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from judgemesh.mesh.cli.app import main

CONTRACT = (
    "task_id: trip\nsuccess_criteria:\n  must_include: [booking_number, total_price]\n"
)
SLOW = '''
import asyncio

async def slow(case):
    """Takes its time."""
    await asyncio.sleep(0.02)
    return True
'''
TOTAL = 150
GOOD = {"booking_number": "QX7RT2", "total_price": 310}


@dataclass(frozen=True, slots=True)
class Cli:
    """Runs `judgemesh` as a user does."""

    folder: Path
    command: str
    env: Mapping[str, str] = field(default_factory=dict[str, str])

    def __call__(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run the entry point to its end within this process, which saves starting an interpreter."""
        stdout, stderr = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr(sys, "argv", [self.command, *arguments])
            for name, value in {**self.env, **env}.items():
                patch.setenv(name, value)
            with (
                redirect_stdout(stdout),
                redirect_stderr(stderr),
                pytest.raises(SystemExit) as left,
            ):
                main()
        code = left.value.code
        return subprocess.CompletedProcess(
            arguments,
            code if isinstance(code, int) else 0,
            stdout.getvalue(),
            stderr.getvalue(),
        )

    def process(
        self, *arguments: str, stdin: str = "", **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the installed command to its end, as a process of its own."""
        return subprocess.run(
            [self.command, *arguments],
            cwd=self.folder,
            env={**self.env, **env},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def start(
        self, *arguments: str, shell: str = ":", **env: str
    ) -> subprocess.Popen[str]:
        """Start and give back the running process, `shell` before it: `trap '' INT` as for a background job."""
        return subprocess.Popen(
            ["sh", "-c", f'{shell}; exec "$0" "$@"', self.command, *arguments],
            cwd=self.folder,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def write(self, name: str, *lines: object) -> str:
        """A file with one line for each value: text as it is, anything else as JSON."""
        text = "".join(
            (line if isinstance(line, str) else json.dumps(line)) + "\n"
            for line in lines
        )
        (self.folder / name).write_text(text)
        return name


def result(
    result_id: str, *, task_id: str = "trip", good: bool = True
) -> dict[str, object]:
    """One agent result that passes or fails the contract."""
    return {
        "result_id": result_id,
        "task_id": task_id,
        "output": {"final_answer": "Done.", "outputs": GOOD if good else {}},
    }


@pytest.fixture(scope="session")
def command() -> str:
    """The installed entry point of this interpreter's environment."""
    found = shutil.which("judgemesh", path=str(Path(sys.executable).parent))
    assert found is not None, "install the package first: pip install -e ."
    return found


@pytest.fixture
def cli(tmp_path: Path, command: str) -> Cli:
    """The command in an empty folder, without colours, progress and keys of the surroundings."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "HOME", "PYTHONPATH", "LANG", "TMPDIR")
        if name in os.environ
    }
    cli = Cli(tmp_path, command, {**kept, "COLUMNS": "100", "NO_COLOR": "1"})
    cli.write("contracts.yaml", CONTRACT)
    return cli


ResultOf = Callable[..., dict[str, object]]


@pytest.fixture
def make() -> ResultOf:
    """Makes agent results."""
    return result


@pytest.fixture
def slow_cli(cli: Cli, make: ResultOf, tmp_path: Path) -> Cli:
    """The command with a slow third-party validator installed, and work for some seconds."""
    site = tmp_path / "site"
    info = site / "slow_check-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: slow-check\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(
        "[judgemesh.validators]\nslow = slow_check:slow\n"
    )
    (site / "slow_check.py").write_text(SLOW)
    cli.write("results.jsonl", *(make(f"r{number}") for number in range(TOTAL)))
    path = f"{site}:{cli.env['PYTHONPATH']}" if "PYTHONPATH" in cli.env else str(site)
    return replace(cli, env={**cli.env, "PYTHONPATH": path})
