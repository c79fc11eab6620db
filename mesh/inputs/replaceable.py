"""Which files a command may replace: empty ones, and those that judgemesh wrote in the same format."""

from __future__ import annotations

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
    "questions.jsonl": re.compile(rb'\{"rank": '),
    "questions.csv": re.compile(rb"rank,result_id,"),
}
_ENDS: Final = {".parquet": re.compile(rb"judgemesh\.run_id")}
"""What stands near the end of a file whose start does not tell who wrote it."""


def check_replaceable(path: Path, kind: str) -> None:
    """See to it that no file of another kind is lost. What is no regular file, such as a device, is not replaced.

    Args:
        path: the output that a command is asked to write.
        kind: its format: a key of the table above.

    Raises:
        ConfigError: a file stands there that judgemesh did not write in this format, or that cannot be read.
    """
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


def _tail(file: BinaryIO) -> bytes:
    size = file.seek(0, SEEK_END)
    file.seek(max(0, size - _TAIL_BYTES))
    return file.read(_TAIL_BYTES)
