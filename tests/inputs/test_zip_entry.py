"""Logs of Inspect that are packed with zstd, and archives that would fill the memory."""

from __future__ import annotations

import json
import struct
import sys
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from judgemesh.mesh.inputs.files.zip_entry import UnreadableEntryError, entry_bytes
from judgemesh.mesh.tracing.readers.ingest import read_traces

zstd: Any = pytest.importorskip(
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
)
NAME = "samples/a_epoch_1.json"


def _archive(path: Path, packed: bytes, size: int, crc: int) -> Path:
    """A zip with one entry of method 93, as Inspect writes it."""
    name = NAME.encode()
    fields = (20, 0, 93, 0, 0, crc, len(packed), size, len(name), 0)
    local = struct.pack("<4s5H3L2H", b"PK\x03\x04", *fields) + name
    central = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, *fields, 0, 0, 0, 0, 0)
    start = len(local) + len(packed)
    end = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(central) + len(name), start, 0
    )
    path.write_bytes(local + packed + central + name + end)
    return path


def _entry(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return entry_bytes(archive, NAME)


def test_an_entry_of_several_frames_is_unpacked(tmp_path: Path) -> None:
    data = json.dumps({"text": "é" * 300_000}).encode()
    packed = zstd.compress(data[:70_000]) + zstd.compress(data[70_000:])
    path = _archive(tmp_path / "a.eval", packed, len(data), zlib.crc32(data))

    assert _entry(path) == data
    cut = _archive(tmp_path / "b.eval", packed[:-9], len(data), 0)
    with pytest.raises(UnreadableEntryError, match="ends early"):
        _entry(cut)


def test_an_entry_that_unpacks_to_a_thousand_times_its_size_is_refused(
    tmp_path: Path,
) -> None:
    packed = zstd.compress(bytes(2**28))
    path = _archive(tmp_path / "bomb.eval", packed, 1000, 0)

    tracemalloc.start()
    with pytest.raises(UnreadableEntryError, match="times its size"):
        _entry(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 80 * 2**20


def test_without_the_package_the_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = json.dumps({"id": "a", "epoch": 1, "messages": []}).encode()
    path = _archive(tmp_path / "a.eval", zstd.compress(data), len(data), 0)
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    problems: list[str] = []

    assert list(read_traces([path], on_malformed=problems.append)) == []
    assert problems == [
        f"{path}: {NAME}: is packed with zstd; pip install judgemesh[inspect] to read it"
    ]
