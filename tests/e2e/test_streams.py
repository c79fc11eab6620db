"""Every command with streams that are closed, full, without a reader, or ASCII: the exit code says what became of it."""

from __future__ import annotations

import json
import os
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from .command import judgemesh

ROOT: Final = Path(__file__).resolve().parents[2]
COMMANDS: Final[dict[str, str]] = runpy.run_path(
    str(ROOT / "tests" / "terminal" / "commands.py")
)["COMMANDS"]
_CHILD: Final = Path(__file__).with_name("streams_child.py")
_DESK: Final = "examples/support_desk"
_MORE: Final = {
    "help": "--help",
    "version": "--version",
    "usage": "grade",
    "absent": "report absent --ledger ledger.db",
    "doctor_verify": "doctor --verify ledger.db",
    "report_json": "report --ledger hostile.db --json --all",
    "convert_task": "convert examples/transcripts/chat.json --task t",
}
_ALL: Final = {**COMMANDS, **_MORE}
_EVERYWHERE: Final = ("as it is", "stdout full", "stdout ASCII")
_SOME: Final = (
    "stderr full",
    "stdout closed",
    "stderr closed",
    "stdout without a reader",
)
_WITH_ALL_STREAMS: Final = frozenset({"grade", "report", "help", "usage", "plugin_new"})
"""Commands that print by tables, by click and on stderr alone: all go through the same two streams."""
_LEAVES_FAILURE: Final = ("stdout full", "stdout closed")
_SILENT: Final = (
    "stderr full",
    "stderr closed",
    "stdout without a reader",
    "stdout ASCII",
)
_ODD: Final = "\u4f60\u597d \u2192 \U0001f600 caf\u00e9 "


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    (folder / "examples").symlink_to(ROOT / "examples")
    result = {"result_id": _ODD, "task_id": "t", "output": _ODD * 9}
    (folder / "hostile.jsonl").write_text(json.dumps(result))
    (folder / "hostile.yaml").write_text(
        "{task_id: t, success_criteria: {must_include: [total]}}"
    )
    desk = f"{_DESK}/results.jsonl -c {_DESK}/contracts.yaml --judge replay:{_DESK}/judge.jsonl"
    for typed in (
        f"grade {desk} --ledger ledger.db -q",
        "grade hostile.jsonl -c hostile.yaml --ledger hostile.db -q",
        "trace import examples/cost_profile/steps.jsonl --ledger traces.db",
    ):
        judgemesh(*shlex.split(typed), cwd=folder, expect=None)
    return folder


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[str, dict[str, Any]]:
    commands: dict[str, Any] = {}
    for name, typed in _ALL.items():
        more = _SOME if name in _WITH_ALL_STREAMS else ()
        commands[name] = (shlex.split(typed), (*_EVERYWHERE, *more))
    done = subprocess.run(
        [sys.executable, str(_CHILD), str(folder)],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    loaded: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return loaded


@pytest.mark.parametrize("name", _ALL)
def test_the_exit_code_says_what_became_of_the_output(
    name: str, rows: dict[str, dict[str, Any]]
) -> None:
    row = rows[name]
    code, out, _ = row["as it is"]
    for stream in row.keys() & set(_SILENT):
        assert row[stream][0] == code, (stream, row[stream])
    for stream in row.keys() & set(_LEAVES_FAILURE):
        expected = 2 if out and code == 0 else code
        assert row[stream][0] == expected, (stream, row[stream])
        assert ("error: stdout: cannot be written" in row[stream][2]) == bool(out)
    for _, shown, told in row.values():
        assert "Traceback" not in shown + told
        assert "internal error" not in told
        assert "Exception ignored" not in told


@pytest.mark.parametrize("name", _ALL)
def test_ascii_holds_the_same_lines(name: str, rows: dict[str, dict[str, Any]]) -> None:
    out, plain = rows[name]["as it is"][1], rows[name]["stdout ASCII"][1]
    assert name.startswith("convert") or plain.isascii()
    assert plain.count("\n") == out.count("\n")
    if name == "report_json":
        assert json.loads(plain) == json.loads(out)


def test_a_real_pipe_that_is_closed_early_and_a_full_device(folder: Path) -> None:
    command = f"{shlex.quote(str(Path(sys.executable).with_name('judgemesh')))} report --ledger ledger.db"
    for typed, code in (
        (f"{command} | true; exit ${{PIPESTATUS[0]}}", 0),
        (f"{command} > /dev/full", 2),
        (f"{command} >&-", 2),
        (f"{command} 2>&-", 0),
        (f"PYTHONIOENCODING=ascii {command}", 0),
    ):
        done = subprocess.run(
            ["bash", "-c", typed],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == code, (typed, done.stderr)
        assert "Traceback" not in done.stderr
