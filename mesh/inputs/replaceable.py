"""Which files a command may replace: empty ones, and those that judgemesh wrote in the same format.

A file that is replaced is complete at every moment: the new one is written beside it and takes its name.
"""

from __future__ import annotations

import os
import re
from io import SEEK_END
from pathlib import Path
from typing import BinaryIO, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.inputs.files.opening import open_file

_HEAD_BYTES: Final = 4096
_TAIL_BYTES: Final = 65_536
_STARTS: Final = {
    ".html": re.compile(
        rb'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        rb'<meta name="generator" content="judgemesh report">'
    ),
    ".jsonl": re.compile(rb'\{"result_id":"[^\n]*"evaluator_version":'),
    ".xml": re.compile(rb'<\?xml [^>]*\?>\n<testsuites name="judgemesh '),
    ".md": re.compile(rb"## judgemesh: "),
    ".json": re.compile(rb'\{\n  "run_id": "'),
    ".csv": re.compile(rb"result_id,task_id,agent_id,skill_id,trace_id,gate,"),
    ".parquet": re.compile(rb"PAR1"),
    ".otlp.jsonl": re.compile(
        rb'\{"resourceLogs":\[\{"resource":\{"attributes":\[\{"key":"service.name",'
        rb'"value":\{"stringValue":"judgemesh"'
    ),
    ".rejects": re.compile(rb'\{"file": '),
    "results": re.compile(rb'\{"result_id": "[^\n]*"output": '),
    "bill.html": re.compile(
        rb'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        rb'<meta name="generator" content="judgemesh bill">'
    ),
    "bill.json": re.compile(rb'\{\n  "trace_id": '),
    "snapshot": re.compile(rb'\{"judgemesh_snapshot": '),
    "rollback.json": re.compile(rb'\{\n  "ra": '),
    "ra.jsonl": re.compile(rb'\{"task_id": "[^\n]*"ra": \{"by": '),
    "questions.jsonl": re.compile(rb'\{"rank": '),
    "questions.csv": re.compile(rb"rank,result_id,"),
}
_OF_A_DATABASE: Final = ("-wal", "-shm", "-journal")
"""Such a file is read as a part of the database when that is opened."""
_ENDS: Final = {".parquet": re.compile(rb"judgemesh\.run_id")}
"""What stands near the end of a file whose start does not tell who wrote it."""


def check_replaceable(path: Path, kind: str) -> None:
    """See to it that no file of another kind is lost. What is no regular file, such as a device, is not replaced.

    Args:
        path: the output that a command is asked to write.
        kind: its format: a key of the table above.

    Raises:
        ConfigError: a file stands there that judgemesh did not write in this format, or that cannot be read; or the
            name is one that SQLite reads beside a database.
    """
    if path.name.endswith(_OF_A_DATABASE):
        raise ConfigError(
            "is a name that SQLite gives to files beside a database",
            where=str(path),
            hint="choose another name",
        )
    if not path.is_file():
        return
    try:
        with open_file(path) as file:
            head = file.read(_HEAD_BYTES)
            tail = _tail(file) if kind in _ENDS else b""
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror or error}", where=str(path)
        ) from None
    ours = _STARTS[kind].match(head)
    if ours and kind in _ENDS:
        ours = _ENDS[kind].search(tail)
    if head and not ours:
        raise ConfigError(
            "is not replaced: judgemesh did not write it as this output",
            where=str(path),
            hint="remove it or choose another name",
        )


def write_replaceable(path: Path, text: str, kind: str) -> None:
    """Write a whole file as UTF-8; its folder is made. A device or pipe is written to, and not replaced.

    Raises:
        ConfigError: as `check_replaceable`, or it cannot be written.
    """
    check_replaceable(path, kind)
    partial = path.with_name(f".{path.name[:100]}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8", newline="")
            return
        try:
            partial.write_text(text, encoding="utf-8", newline="")
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"cannot be written: {reason}", where=str(path)) from None


def _tail(file: BinaryIO) -> bytes:
    size = file.seek(0, SEEK_END)
    file.seek(max(0, size - _TAIL_BYTES))
    return file.read(_TAIL_BYTES)
