"""Lines put together from chunks: the same lines, however the stream was cut."""

from __future__ import annotations

import io
import itertools
import os
import tempfile
from collections.abc import Sequence
from typing import BinaryIO

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.inputs.files.lines import (
    LineSplitter,
    RawLine,
    arriving_chunks,
    chunks,
)

TEXTS = st.lists(
    st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\xef\xbb\xbf", b"\r"]), max_size=30
).map(b"".join)


def split(pieces: Sequence[bytes], max_bytes: int) -> list[RawLine]:
    splitter = LineSplitter(max_bytes)
    lines = [line for piece in pieces for line in splitter.feed(piece)]
    return [*lines, *splitter.end()]


def by_readline(content: bytes, max_bytes: int) -> list[RawLine]:
    """The lines that the standard library gives."""
    lines: list[RawLine] = []
    for number, full in enumerate(io.BytesIO(content), start=1):
        body = full.removesuffix(b"\n")
        whole = len(body) <= max_bytes
        kept = body if whole else body[: max_bytes + 1]
        if number == 1:
            kept = kept.removeprefix(b"\xef\xbb\xbf")
        lines.append(RawLine(number, kept.rstrip(b"\r"), whole))
    return lines


@given(TEXTS, st.data(), st.integers(0, 8))
def test_lines_do_not_depend_on_the_chunks(
    content: bytes, data: st.DataObject, max_bytes: int
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=6)))
    edges = [0, *cuts, len(content)]
    pieces = [content[begin:end] for begin, end in itertools.pairwise(edges)]
    assert split(pieces, max_bytes) == by_readline(content, max_bytes)


def test_a_long_line_takes_no_more_memory_than_its_limit() -> None:
    splitter = LineSplitter(10)
    for _ in range(1000):
        assert not list(splitter.feed(b"x" * 1000))
        assert len(splitter._begun) == 11
    (line,) = splitter.feed(b"\n")
    assert line == RawLine(1, b"x" * 11, whole=False)


def test_chunks_of_a_file_are_its_content() -> None:
    with tempfile.TemporaryFile() as stream:
        stream.write(b"line\n" * 100_000)
        stream.seek(0)
        assert b"".join(chunks(stream)) == b"line\n" * 100_000


@pytest.mark.anyio
async def test_other_work_goes_on_while_a_pipe_has_nothing() -> None:
    reading, writing = os.pipe()
    came: list[bytes] = []
    news = anyio.Event()

    async def read(stream: BinaryIO) -> None:
        async for chunk in arriving_chunks(stream):
            came.append(chunk)
            news.set()

    with os.fdopen(reading, "rb") as stream, anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read, stream)
            for text in (b"one\n", b"two"):
                await anyio.sleep(0.01)
                news = anyio.Event()
                os.write(writing, text)
                await news.wait()
            os.close(writing)
    assert b"".join(came) == b"one\ntwo"


@pytest.mark.anyio
@pytest.mark.parametrize("content", [b"", b"one\ntwo\n"])
async def test_a_file_and_a_buffer_are_read_at_once(content: bytes) -> None:
    with tempfile.TemporaryFile() as stream:
        stream.write(content)
        stream.seek(0)
        found = [chunk async for chunk in arriving_chunks(stream)]
    buffer = io.BytesIO(content)
    assert b"".join(found) == content
    assert b"".join([chunk async for chunk in arriving_chunks(buffer)]) == content
