"""Fixtures: the judge's server for the whole session, and a folder with contract, ledger and settings for a test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

pytest.register_assert_rewrite("desk")

import desk  # noqa: E402 (beside this file; import mode importlib does not put it on the path)

OFFLINE = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DO_NOT_TRACK": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "OPIK_SENTRY_ENABLE": "false",
    "OPIK_TRACK_DISABLE": "true",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PYTHONSAFEPATH": "1",
    "RAGAS_DO_NOT_TRACK": "true",
}
"""The harnesses stay on this machine."""


@dataclass(frozen=True)
class Desk:
    """A folder with a contract; `run` starts a program there with the settings of judgemesh in its environment."""

    folder: Path
    environment: dict[str, str]

    def run(self, *command: object, ok: tuple[int, ...] = (0,)) -> str:
        """Its standard output."""
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.folder,
            env={**os.environ, **OFFLINE, **self.environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
        assert done.returncode in ok, f"{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
        return done.stdout

    def python(self, script: str, *arguments: object) -> str:
        """Run a script that can import `desk`."""
        path = self.folder / "harness_run.py"
        head = f"import sys\nsys.path.insert(0, {str(HERE)!r})\nimport desk\n"
        path.write_text(head + script, encoding="utf-8")
        return self.run(sys.executable, path, *arguments)

    def ledger(self) -> dict[str, Any]:
        """See `desk.ledger_of`."""
        return desk.ledger_of(self.folder)


@pytest.fixture(scope="session")
def judge_url() -> Iterator[str]:
    with desk.judge_server() as url:
        yield url


@pytest.fixture
def refund_desk(tmp_path: Path, judge_url: str) -> Desk:
    return Desk(tmp_path, desk.settings(tmp_path, judge_url))


@pytest.fixture
def bin_folder() -> Path:
    """The commands of this environment."""
    return Path(sys.executable).parent


Script = Callable[[str], str]
