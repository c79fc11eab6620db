"""Transcripts to a file of agent results: what `judgemesh convert` does."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.text.printable_json import printable_json
from judgemesh.mesh.inputs.replaceable import check_replaceable
from judgemesh.mesh.tracing.conversations.lines import (
    Conversion,
    ResultIds,
    result_line,
)
from judgemesh.mesh.tracing.conversations.reading import (
    ConversionCounts,
    Source,
    files_of,
    read_conversations,
)


def convert_files(
    names: Sequence[Path],
    conversion: Conversion,
    *,
    output: Path | None,
    format_name: str,
    result_id: str | None,
    counts: ConversionCounts,
    on_note: Callable[[str], None],
    on_progress: Callable[[], None] = lambda: None,
) -> None:
    """Write the results of the files, one a line. `output` appears whole, or not at all; None is standard output.

    Raises:
        InputError: a file or folder does not exist, or the output cannot be written.
        ConfigError: no such format, or the output is a file that this command did not write.
    """
    if output is not None:
        check_replaceable(output, "results")
    ids = ResultIds()
    # Before the output is opened: in a folder it is no input.
    files = [
        path
        for path in files_of(names)
        if output is None or path in names or not _is_same(path, output)
    ]
    found = read_conversations(
        files, format_name=format_name, counts=counts, on_problem=on_note
    )
    with _written(output) as stream:
        for source, conversation in found:
            name = result_id or conversation.id or source.stem
            line = result_line(conversation, conversion, ids.new(name))
            if conversation.unread:
                on_note(
                    f"{_place(source)}: its calls cannot all be read: {conversation.unread}"
                )
            text = printable_json(line, default=str)
            stream.write(text.encode(errors="replace") + b"\n")
            on_progress()


def _is_same(path: Path, output: Path) -> bool:
    return output.exists() and path.samefile(output)


def _place(source: Source) -> str:
    return (
        source.file
        if source.number == 1
        else f"{source.file}, conversation {source.number}"
    )


@contextmanager
def _written(output: Path | None) -> Generator[BinaryIO]:
    """The stream to write to. A file gets its name when it is complete."""
    if output is None:
        with suppress(BrokenPipeError):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    partial = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with partial.open("wb") as stream:
            yield stream
        partial.replace(output)
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror or error}", where=str(output)
        ) from None
    finally:
        partial.unlink(missing_ok=True)


def check_converted(counts: ConversionCounts) -> None:
    """Raise where a file was not converted.

    Raises:
        InputError: a file could not be read; its line was printed before.
    """
    if counts.problems:
        files = len(counts.problems)
        noun = "file" if files == 1 else "files"
        raise InputError(f"{files} {noun} could not be converted")
