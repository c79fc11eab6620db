"""From files of transcripts to conversations, one file at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.inputs.files.limits import TABLE
from judgemesh.mesh.inputs.files.reading import check_values, read_stream
from judgemesh.mesh.inputs.files.unpacking import GZIP, gunzip
from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document, values_of
from judgemesh.mesh.tracing.conversations.table import AUTO, format_named, format_of
from judgemesh.mesh.tracing.readers.ingest import paths_of
from judgemesh.mesh.tracing.readers.source import TraceFile

STDIN: Final = Path("-")
_STDIN_NAME: Final = "<stdin>"


@dataclass(slots=True)
class ConversionCounts:
    """How far a conversion is. Changed in place.

    formats: the format of each file. problems: files that could not be read, one line each.
    unread: conversations whose calls could not all be read. lost: how many conversations lack what.
    """

    files: int = 0
    conversations: int = 0
    calls: int = 0
    unread: int = 0
    formats: dict[str, str] = field(default_factory=dict[str, str])
    lost: dict[str, int] = field(default_factory=dict[str, int])
    problems: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Source:
    """Where a conversation stands: the file, and its number there."""

    file: str
    stem: str
    number: int


def read_conversations(
    names: Sequence[Path],
    *,
    format_name: str = AUTO,
    counts: ConversionCounts | None = None,
    on_problem: Callable[[str], None] | None = None,
) -> Iterator[tuple[Source, Conversation]]:
    """The conversations of files, of the files of folders, and of standard input (`-`).

    A file that cannot be read is a problem, and the others are read.

    Raises:
        InputError: a file or folder does not exist.
        ConfigError: no such format.
    """
    counted = ConversionCounts() if counts is None else counts
    if format_name != AUTO:
        format_named(format_name)
    for path in files_of(names):
        try:
            yield from _conversations(path, format_name, counted)
        except InputError as error:
            counted.problems.append(str(error))
            if on_problem is not None:
                on_problem(str(error))


def files_of(names: Sequence[Path]) -> list[Path]:
    """The files that are named, and those of folders that are; `-` stays.

    Raises:
        InputError: one does not exist, or a folder is empty.
    """
    return [
        path
        for name in names
        for path in ([name] if name == STDIN else paths_of([name]))
    ]


def document_of(path: Path) -> Document:
    """The document of a file, or of standard input."""
    if path != STDIN:
        return Document(str(path), TraceFile(path))
    try:
        data = read_stream(sys.stdin.buffer, _STDIN_NAME, TABLE)
        if data.startswith(GZIP):
            data = gunzip(data, _STDIN_NAME, TABLE)
        check_values(data, _STDIN_NAME, TABLE)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot be read: {reason}", where=_STDIN_NAME) from None
    return Document(_STDIN_NAME, given=values_of(data, _STDIN_NAME))


def _conversations(
    path: Path, format_name: str, counts: ConversionCounts
) -> Iterator[tuple[Source, Conversation]]:
    document = document_of(path)
    row = format_of(document) if format_name == AUTO else format_named(format_name)
    counts.formats[document.name] = row.name
    number = 0
    for number, conversation in enumerate(row.read(document), start=1):
        _count(counts, conversation)
        yield Source(document.name, _stem(path), number), conversation
    counts.files += 1
    if not number:
        raise InputError(f"holds no conversation ({row.name})", where=document.name)


def _stem(path: Path) -> str:
    return (
        "stdin"
        if path == STDIN
        else path.name.removesuffix(".gz").rpartition(".")[0] or path.name
    )


def _count(counts: ConversionCounts, conversation: Conversation) -> None:
    counts.conversations += 1
    counts.calls += sum(1 for _ in conversation.calls)
    counts.unread += conversation.unread is not None
    for what in conversation.lost:
        counts.lost[what] = counts.lost.get(what, 0) + 1
