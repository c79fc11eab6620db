"""Runs commands with streams that are closed, full, without a reader, or ASCII, each in a process forked from this one.

usage: streams_child.py FOLDER < JSON {name: [[argument, ...], [stream, ...]]}

Prints JSON {name: {stream: [exit code, stdout, stderr]}}. Forking saves the start of an interpreter for each.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

_LOADED_ONCE: Final = (
    "judgemesh.mesh.cli.app",
    "judgemesh.mesh.analysis.results.loading",
    "judgemesh.mesh.ledger.store",
    "judgemesh.mesh.runs.mesh",
    "jsonschema_rs",
    "numpy",
    "re2",
    "rich.console",
    "rich.table",
    "sqlalchemy",
)
"""What every fork would load again."""
STDOUT: Final = 1
STDERR: Final = 2


def _as_it_is() -> None:
    pass


def _full(number: int) -> None:
    os.dup2(os.open("/dev/full", os.O_WRONLY), number)


def _closed(number: int) -> None:
    os.close(number)
    name = "stdout" if number == STDOUT else "stderr"
    setattr(sys, name, None)
    setattr(sys, f"__{name}__", None)


def _no_reader() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    os.dup2(writing, STDOUT)


def _ascii() -> None:
    stream = io.TextIOWrapper(
        io.FileIO(STDOUT, "w", closefd=False), encoding="ascii", errors="strict"
    )
    sys.stdout = sys.__stdout__ = stream  # type: ignore[misc]


STREAMS: Final[dict[str, Callable[[], None]]] = {
    "as it is": _as_it_is,
    "stdout full": lambda: _full(STDOUT),
    "stderr full": lambda: _full(STDERR),
    "stdout closed": lambda: _closed(STDOUT),
    "stderr closed": lambda: _closed(STDERR),
    "stdout without a reader": _no_reader,
    "stdout ASCII": _ascii,
}


def main() -> None:
    """Run every command with every kind of stream."""
    folder = Path(sys.argv[1])
    commands: dict[str, tuple[list[str], list[str]]] = json.load(sys.stdin)
    for name in _LOADED_ONCE:
        import_module(name)

    rows: dict[str, dict[str, Any]] = {}
    for name, (arguments, streams) in commands.items():
        rows[name] = {
            stream: _run(folder, arguments, STREAMS[stream]) for stream in streams
        }
    sys.stdout.write(json.dumps(rows))


def _run(
    folder: Path, arguments: list[str], change: Callable[[], None]
) -> tuple[int, str, str]:
    with TemporaryDirectory() as name:
        copy, out, err = Path(name, "copy"), Path(name, "out"), Path(name, "err")
        shutil.copytree(folder, copy, symlinks=True)
        child = os.fork()
        if not child:
            _child(copy, out, err, arguments, change)
        _, status = os.waitpid(child, 0)
        shown = [path.read_bytes().decode(errors="replace") for path in (out, err)]
    return os.waitstatus_to_exitcode(status), shown[0], shown[1]


def _child(
    copy: Path, out: Path, err: Path, arguments: list[str], change: Callable[[], None]
) -> None:
    from judgemesh.mesh.cli.app import main as command

    code = 99
    try:
        os.chdir(copy)
        for number, path in ((STDOUT, out), (STDERR, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["judgemesh", *arguments]
        change()
        command()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 98
    finally:
        os.kill(os.getpid(), 9) if code == 99 else _leave(code)


def _leave(code: int) -> None:
    from judgemesh.mesh.isolation import exits

    exits._END(code)


if __name__ == "__main__":
    main()
