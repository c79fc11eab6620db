"""Only regular files below the folder are read for a result, whole and in bounded memory."""

from __future__ import annotations

import gzip
import io
import os
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.analysis.labels.files import read_lines
from judgemesh.mesh.inputs.files.limits import FileLimit
from judgemesh.mesh.inputs.files.opening import FileRefused, names_of
from judgemesh.mesh.inputs.files.reading import (
    check_values,
    opened_unpacked,
    read_below,
    read_file,
)
from judgemesh.mesh.inputs.files.unpacking import Body, gunzip
from judgemesh.mesh.inputs.files.zip_entry import (
    ArchiveTooLargeError,
    UnreadableEntryError,
    check_archive,
)
from judgemesh.mesh.inputs.rows import rows
from judgemesh.mesh.inputs.yaml import text_of
from judgemesh.mesh.judging.gateways.cassette import ReplayJudge
from judgemesh.mesh.pricing.price_file import read_price_file

LIMIT = FileLimit(1_000, max_values=100)
MIB = 2**20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "runs"
    (folder / "inner").mkdir(parents=True)
    (folder / "plain").write_text("plain")
    (folder / "inner/deep").write_text("deep")
    (folder / "..hidden").write_text("hidden")
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("plain")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "up").symlink_to(tmp_path)
    (folder / "same").symlink_to("inner")
    (folder / "loop").symlink_to("loop")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "proc").symlink_to("/proc")
    (folder / "large").write_bytes(b"x" * 1_001)
    with (folder / "sparse").open("wb") as stream:
        stream.truncate(200 * 2**30)
    return folder


@pytest.mark.parametrize(
    ("reference", "content"),
    [
        ("plain", b"plain"),
        ("./plain", b"plain"),
        ("inner/deep", b"deep"),
        ("inner//deep", b"deep"),
        ("inner/./deep", b"deep"),
        ("..hidden", b"hidden"),
    ],
)
def test_a_file_below_the_folder_is_read(
    folder: Path, reference: str, content: bytes
) -> None:
    assert read_below(folder, reference, LIMIT) == content


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("../secret", "leads out"),
        ("inner/../../secret", "leads out"),
        ("inner/../plain", "leads out"),
        ("..", "leads out"),
        (".", "leads out"),
        ("/dev/zero", "absolute"),
        ("/proc/self/environ", "absolute"),
        ("/dev/stdin", "absolute"),
        ("//etc/passwd", "absolute"),
        ("", "no usable path"),
        (" ", "no usable path"),
        ("a\0b", "no usable path"),
        ("a" * 5_000, "no usable path"),
        ("a" * 300, "name too long"),
        ("link", "link"),
        ("out", "link"),
        ("loop", "link"),
        ("zero", "link"),
        ("up/secret", "link"),
        ("same/deep", "link"),
        ("proc/self/environ", "link"),
        ("plain/x", "folder is expected"),
        ("pipe", "no regular file"),
        ("inner", "is a folder"),
        ("large", "larger than 1000 bytes"),
        ("sparse", "larger than 1000 bytes"),
        ("missing", "no such file"),
        ("\udcff", "no such file"),
        ("~/x", "no such file"),
    ],
)
def test_other_paths_are_refused(folder: Path, reference: str, reason: str) -> None:
    with pytest.raises(OSError, match=f"(?i){reason}"):
        read_below(folder, reference, LIMIT)


def test_an_absolute_path_below_the_folder_is_refused(folder: Path) -> None:
    with pytest.raises(FileRefused, match="absolute"):
        read_below(folder, str(folder / "plain"), LIMIT)


def test_a_socket_is_refused(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        with pytest.raises(OSError, match="No such device"):
            read_below(folder, "socket", LIMIT)


def test_a_folder_that_becomes_a_link_is_never_followed(
    folder: Path, tmp_path: Path
) -> None:
    """The name changes between the folder and a link out of it, as fast as it can."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "deep").write_text("secret")
    (folder / "spare").symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for name, other in (("spare", "inner"), ("inner", "spare")):
                (folder / other).rename(folder / "aside")
                (folder / name).rename(folder / other)
                (folder / "aside").rename(folder / name)

    thread = threading.Thread(target=swap)
    thread.start()
    read: set[bytes] = set()
    try:
        for _ in range(2_000):
            try:
                read.add(read_below(folder, "inner/deep", LIMIT))
            except OSError:
                continue
    finally:
        stop.set()
        thread.join()
    assert b"secret" not in read


@given(st.text(alphabet="ab./\\\0~ ", max_size=12))
def test_the_names_of_a_path_stay_below_its_folder(reference: str) -> None:
    try:
        names = names_of(reference)
    except FileRefused:
        return
    joined = os.path.normpath("/base/" + "/".join(names))
    assert joined.startswith("/base/")


def test_a_file_of_proc_is_not_read_whole() -> None:
    with pytest.raises(FileRefused, match="changed while"):
        read_file(Path("/proc/self/status"), FileLimit(MIB))


@pytest.mark.parametrize(
    ("kept", "added", "kept_after", "reason"),
    [
        (slice(0, -9), b"", None, "cut off"),
        (slice(0, 12), b"", None, "cut off"),
        (slice(0, -8), b"\0" * 8, None, "damaged"),
        (slice(0, 20), b"\xff" * 20, 40, "damaged"),
        (slice(0, None), b"rubbish", None, "damaged"),
    ],
)
def test_damaged_gzip_is_refused(
    tmp_path: Path, kept: slice, added: bytes, kept_after: int | None, reason: str
) -> None:
    whole = gzip.compress(os.urandom(500))
    data = whole[kept] + added
    if kept_after is not None:
        data += whole[kept_after:]
    with pytest.raises(FileRefused, match=reason):
        gunzip(data, "x", LIMIT)
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(FileRefused), opened_unpacked(path) as stream:
        stream.read()


def test_a_gzip_bomb_is_refused_before_it_is_unpacked() -> None:
    data = gzip.compress(b"\0" * 64 * MIB)
    with pytest.raises(FileRefused, match="unpacks to more"):
        gunzip(data, "x", LIMIT)
    body = Body(1_000, is_packed=True)
    with pytest.raises(ValueError, match="larger"):
        body.add(data)
    assert len(body.content) <= 1_001


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_body_of_several_members_is_their_sum(size: int) -> None:
    data = gzip.compress(b"one ") + gzip.compress(b"two")
    body = Body(1_000, is_packed=True)
    for start in range(0, len(data), size):
        body.add(data[start : start + size])
    assert body.is_whole
    assert body.content == b"one two"


def test_a_body_is_whole_only_at_its_end() -> None:
    data = gzip.compress(b"one") + gzip.compress(b"two")
    for end in range(1, len(data)):
        body = Body(1_000, is_packed=True)
        body.add(data[:end])
        # A member that ends is a body that ends.
        assert body.is_whole == (body.content == b"one" and end == len(data) // 2)


def _zip(parts: int, size: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(parts):
            archive.writestr(f"part{number}", b"\0" * size)
    return out.getvalue()


def test_an_archive_that_unpacks_to_too_much_is_refused() -> None:
    limit = FileLimit(64 * MIB)
    check_archive(_zip(2, MIB), limit)
    with pytest.raises(ArchiveTooLargeError):
        check_archive(_zip(1, 40 * MIB), limit)
    with pytest.raises(ArchiveTooLargeError):
        check_archive(_zip(10, 4 * MIB), limit)
    with pytest.raises(UnreadableEntryError):
        check_archive(_zip(1, MIB)[:-30], limit)


def test_an_archive_may_not_hold_more_than_it_declares() -> None:
    data = bytearray(_zip(1, 40 * MIB))
    size = (40 * MIB).to_bytes(4, "little")
    assert data.count(size) == 2
    lying = bytes(data).replace(size, (1_000).to_bytes(4, "little"))
    with pytest.raises(UnreadableEntryError):
        check_archive(lying, FileLimit(64 * MIB))


def test_json_of_very_many_values_is_refused() -> None:
    check_values(b"[" + b"1," * 90 + b"1]", "x", LIMIT)
    with pytest.raises(FileRefused, match="more than 100 values"):
        check_values(b"[" + b"[]," * 90 + b"1]", "x", LIMIT)


def _all(read: Callable[[Path], Iterator[object]]) -> Callable[[Path], object]:
    """Reads all of what is read line by line."""
    return lambda path: list(read(path))


@pytest.mark.parametrize(
    "read",
    [
        read_price_file,
        _all(read_lines),
        ReplayJudge,
        text_of,
        _all(rows),
    ],
)
def test_a_file_in_another_encoding_is_named_with_the_remedy(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("name\ncafé\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.csv.*iconv -f WINDOWS-1252"):
        read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match=r"latin\.csv: cannot be read: [^\[]*$"):
        read(path)
