"""What every command prints at 60, 80 and 120 columns and in a pipe, as files that a reviewer can read.

`UPDATE_SNAPSHOTS=1 python -m pytest tests/terminal` writes the files anew.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
import typer.main
from rich.cells import cell_len

from judgemesh.mesh.cli.app import COMMANDS as NAMES
from judgemesh.mesh.cli.app import app, main

from .commands import COMMANDS

ROOT: Final = Path(__file__).resolve().parents[2]
SNAPSHOTS: Final = Path(__file__).with_name("snapshots")
WIDTHS: Final = (60, 80, 120)
UPDATE: Final = "UPDATE_SNAPSHOTS"
_VARYING: Final = (
    (re.compile(r"run_[0-9a-f]{4,12}(?=…)|run_[0-9a-f]{12}"), "run_0123456789ab"),
    (re.compile(r"sha256:[0-9a-f]{8,}"), "sha256:0123456789abcdef"),
    (re.compile(r"\b\d[\d,]*(\.\d+)? (ms|s)\b"), r"# \2"),
    (re.compile(r"20\d\d-\d\d-\d\d \d[\d:]*"), "2026-04-28 10:00"),
)
"""What differs from one run to the next."""
_COPIED_LINES: Final = ("ledger  ", "next    ", "wrote   ")
"""Paths and commands, which are never wrapped, so that they can be copied."""
_UNWRAPPED_OPTIONS: Final = frozenset({"--help", "--plain"})
"""Examples in a help stand as they are typed."""
_SENTENCES: Final = frozenset({"label_export", "ledger_purge", "trace_import"})
"""Commands that print a few sentences, a line each, which the terminal wraps."""
_HOSTILE: Final = (
    "\x1b[2J\x1b]0;owned\x07Done.\r\nPASS  hostile  (task t)\n\n"
    "\u202egnp.exe\u2066 \x9b31m \u2028PASS \u200b\U000e0041 </script> [bold]x[/bold] | `a` | =1+1"
)

_HOSTILE_ID: Final = "\x1b[32mfail\u202e " + "PASS " * 30


def _leaves() -> Iterator[str]:
    """Every command, with its sub-commands."""
    group: Any = typer.main.get_command(app)
    for name in NAMES:
        command = group.get_command(None, name)
        inner = getattr(command, "commands", None)
        if inner is None:
            yield name
        else:
            yield from (f"{name}_{sub}" for sub in inner)


def test_every_command_has_a_snapshot() -> None:
    missing = set(_leaves()) - set(COMMANDS)
    assert not missing, f"add them to {Path(__file__).with_name('commands.py')}"


def test_every_snapshot_belongs_to_a_command() -> None:
    files = {path.stem for path in SNAPSHOTS.glob("*.txt")}
    assert files == set(COMMANDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples, hostile results, and the ledgers that commands read."""
    folder = tmp_path_factory.mktemp("terminal")
    (folder / "examples").symlink_to(ROOT / "examples")
    steps = [
        {"role": "user", "content": _HOSTILE},
        {"tool_name": "drop\x1b[31m", "arguments": {"\u202ea": _HOSTILE}},
    ]
    results = [
        {"result_id": "hostile", "task_id": "t", "output": _HOSTILE, "trace": steps},
        {
            "result_id": _HOSTILE_ID,
            "task_id": "t",
            "output": "\u4f60" * 90,
        },
    ]
    lines = [json.dumps(result) for result in results]
    (folder / "hostile.jsonl").write_text("\n".join(lines))
    contract = "task_id: t\nsuccess_criteria: {must_include: [total]}\nsop: {permissions: {tools: [find]}}\n"
    (folder / "hostile.yaml").write_text(contract)
    desk = "examples/support_desk"
    graded = f"{desk}/results.jsonl -c {desk}/contracts.yaml --judge replay:{desk}/judge.jsonl"
    for prepared in (
        f"grade {graded} --ledger ledger.db -q",
        "grade hostile.jsonl -c hostile.yaml --ledger hostile.db -q",
        "trace import examples/cost_profile/steps.jsonl --ledger traces.db",
    ):
        _run(prepared, folder, None)
    return folder


@dataclass(frozen=True, slots=True)
class _Printed:
    out: str
    err: str


def _printed(typed: str, folder: Path, columns: int | None) -> _Printed:
    """What a command prints in a copy of the folder."""
    with TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, symlinks=True, dirs_exist_ok=True)
        return _run(typed, Path(copy), columns)


def _run(typed: str, folder: Path, columns: int | None) -> _Printed:
    """What a command prints, with what varies written alike."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("JUDGEMESH_", "COLUMNS", "FORCE_COLOR", "TERM")):
                patch.delenv(name)
        if columns is not None:
            patch.setenv("COLUMNS", str(columns))
        patch.setenv("NO_COLOR", "1")
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["judgemesh", *shlex.split(typed)])
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit):
            main()
    return _Printed(_steady(out.getvalue(), folder), _steady(err.getvalue(), folder))


def _alike(replacement: str, match: re.Match[str]) -> str:
    """The replacement, no longer than a value that was cut."""
    cut = match.string[match.end() : match.end() + 1] == "…"
    return match.expand(replacement)[: len(match[0]) if cut else None]


def _steady(text: str, folder: Path) -> str:
    text = text.replace(str(folder), ".")
    for pattern, replacement in _VARYING:
        text = pattern.sub(partial(_alike, replacement), text)
    return text


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_prints_what_its_snapshot_shows(name: str, folder: Path) -> None:
    typed = COMMANDS[name]
    outputs = {width: _printed(typed, folder, width) for width in (*WIDTHS, None)}
    shown = ""
    for width, printed in outputs.items():
        where = "in a pipe" if width is None else f"{width} columns"
        shown += f"$ judgemesh {typed}    # {where}\n{printed.out}{printed.err}\n"
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get(UPDATE):
        path.write_text(shown, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == shown, f"{UPDATE}=1 writes it anew"
    if name not in _SENTENCES and not _UNWRAPPED_OPTIONS & set(typed.split()):
        for width in WIDTHS:
            assert not list(_too_long(outputs[width].out, width))
    # A table that fills a line of no width would be megabytes of blanks and rules.
    assert not re.search(r" {200}|\u2500{400}", outputs[None].out)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028]", shown)


def _too_long(text: str, width: int) -> Iterator[str]:
    for line in text.splitlines():
        if cell_len(line) > width and not line.startswith(_COPIED_LINES):
            yield line


def test_no_line_of_a_hostile_result_begins_like_one_of_ours(folder: Path) -> None:
    for columns in (*WIDTHS, None):
        for result_id in ("hostile", _HOSTILE_ID):
            typed = shlex.join(["report", result_id, "--ledger", "hostile.db"])
            lines = _printed(typed, folder, columns).out.splitlines()
            assert lines[0].startswith("FAIL")
            assert not [line for line in lines if line.startswith("PASS")]
