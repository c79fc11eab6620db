"""Snapshots of folders, SQL tables and JSON files, and the changes between them."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.state.documents import profile
from judgemesh.mesh.state.evidence import changes_of, with_documents
from judgemesh.mesh.state.snapshot import (
    Directory,
    JsonFile,
    Source,
    SqlTables,
    read_snapshot,
    snapshot,
    watch,
    write_snapshot,
)


def files(folder: Path, **options: Any) -> dict[str, dict[str, Any]]:
    return cast("dict[str, dict[str, Any]]", Directory(path=folder, **options).take())


def test_a_file_has_size_mode_hash_and_text(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "note.log").write_text("héllo")
    (tmp_path / "deep" / "note.log").chmod(0o640)
    (tmp_path / "blob.bin").write_bytes(b"\x00\x01")
    (tmp_path / "long.log").write_text("x" * 100)
    found = files(tmp_path, max_text=50)
    assert found["deep/note.log"]["text"] == "héllo"
    assert (found["deep/note.log"]["size"], found["deep/note.log"]["mode"]) == (
        6,
        "0640",
    )
    assert "text" not in found["blob.bin"]
    assert "text" not in found["long.log"]
    assert all(len(entry["sha256"]) == 64 for entry in found.values())


def test_links_are_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("s3cret")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "file").symlink_to(outside / "secret.txt")
    (inside / "folder").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    os.mkfifo(inside / "pipe")
    found = files(inside)
    assert found == {
        "file": {"link": str(outside / "secret.txt")},
        "folder": {"link": str(outside)},
        "loop": {"link": str(inside)},
        "pipe": {"special": "fifo"},
    }
    assert "s3cret" not in json.dumps(found)


def test_what_is_excluded_and_what_is_too_much(tmp_path: Path) -> None:
    for name in (".git/config", "a/keep.txt", "a/drop.tmp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert set(files(tmp_path, exclude=(".git", "*.tmp"))) == {"a/keep.txt"}
    with pytest.raises(InputError, match="more than 1 files"):
        files(tmp_path, max_files=1)
    assert files(tmp_path / "nowhere") == {}
    with pytest.raises(InputError, match="no folder"):
        files(tmp_path / "a" / "keep.txt")


def database(path: Path, *statements: str) -> str:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


def test_rows_stand_by_their_key(tmp_path: Path) -> None:
    url = database(
        tmp_path / "o.db",
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, total NUMERIC, raw BLOB)",
        "CREATE TABLE lines (order_id INTEGER, pos INTEGER, what TEXT, PRIMARY KEY (order_id, pos))",
        "CREATE TABLE log (what TEXT)",
        "INSERT INTO orders VALUES (1, 2.5, x'00ff')",
        "INSERT INTO lines VALUES (1, 1, 'tea'), (1, 2, NULL)",
        "INSERT INTO log VALUES ('a'), ('a')",
    )
    taken = cast("dict[str, dict[str, Any]]", SqlTables(url=url).take())
    assert taken["orders"] == {"1": {"id": 1, "total": 2.5, "raw": "AP8="}}
    assert set(taken["lines"]) == {"1,1", "1,2"}
    assert [key.partition("#")[2] for key in taken["log"]] == ["", "2"]
    assert set(SqlTables(url=url, tables=("log",)).take()) == {"log"}
    with pytest.raises(InputError, match="no table 'nope'"):
        SqlTables(url=url, tables=("nope",)).take()
    with pytest.raises(InputError, match="more than 1 rows"):
        SqlTables(url=url, tables=("log",), max_rows=1).take()
    with pytest.raises(InputError, match="no such file"):
        SqlTables(url=f"sqlite:///{tmp_path}/none.db").take()
    assert not (tmp_path / "none.db").exists()


def test_a_run_between_two_snapshots(tmp_path: Path) -> None:
    out, config = tmp_path / "out", tmp_path / "c.json"
    out.mkdir()
    (out / "old.txt").write_text("1")
    config.write_text('{"level": 1}')
    with watch(Directory(path=out), JsonFile(path=config, name="config")) as seen:
        (out / "old.txt").unlink()
        (out / "sub").mkdir()
        (out / "sub" / "new.txt").write_text("2")
        config.write_text('{"level": 2}')
    assert [(change["op"], change["path"]) for change in seen.diff] == [
        ("remove", "/files/old.txt"),
        ("add", "/files/sub~1new.txt"),
        ("replace", "/config/level"),
    ]
    result = AgentResult.model_validate(
        {"result_id": "r", "task_id": "t", "state": seen.state}
    )
    assert len(changes_of(result, tmp_path) or ()) == 3


@pytest.mark.anyio
async def test_the_same_in_an_event_loop_and_after_a_failure(tmp_path: Path) -> None:
    seen = watch(Directory(path=tmp_path))

    async def fail() -> None:
        async with seen:
            (tmp_path / "x").write_text("x")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert [change["path"] for change in seen.diff] == ["/files/x"]


def test_names_must_differ(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'files'"):
        snapshot([Directory(path=tmp_path), Directory(path=tmp_path)])


def test_snapshot_files_stand_for_the_state_in_them(tmp_path: Path) -> None:
    place = tmp_path / "out"
    place.mkdir()
    sources: list[Source] = [
        Directory(path=place),
        SqlTables(url="postgresql://joe:pw@db.example/x"),
    ]
    write_snapshot(tmp_path / "before.json", sources[:1], snapshot(sources[:1]))
    (place / "a.md").write_text("# A")
    write_snapshot(tmp_path / "after.json", sources, snapshot(sources[:1]))
    assert "pw" not in (tmp_path / "after.json").read_text()
    again, state = read_snapshot(tmp_path / "after.json")
    assert [source.name for source in again] == ["files", "tables"]
    assert again[0] == Directory(path=place)
    with pytest.raises(InputError, match="give --sql again"):
        again[1].take()
    paths = {"before_path": "before.json", "after_path": "after.json"}
    result = AgentResult.model_validate(
        {"result_id": "r", "task_id": "t", "state": paths}
    )
    assert [change.path for change in changes_of(result, tmp_path) or ()] == [
        "/files/a.md"
    ]
    whole = with_documents(result, tmp_path)
    assert whole.state is not None
    assert whole.state.after == state
    assert changes_of(whole, Path("/nowhere")) == changes_of(result, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        '{"judgemesh_snapshot": 9, "state": {}}',
        '{"judgemesh_snapshot": 1}',
        '{"judgemesh_snapshot": 1, "state": 1, "sources": [{}]}',
    ],
)
def test_damaged_snapshot_files(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(InputError, match=r"s\.json"):
        read_snapshot(tmp_path / "s.json")


def docx(*, heading: str = "Findings", bomb: bool = False) -> bytes:
    from docx import Document

    made = Document()
    made.add_heading("Report", 0)
    made.add_heading(heading, 1)
    made.add_paragraph("It rained.")
    table = made.add_table(rows=2, cols=2)
    for cell, text in zip(table.rows[0].cells, ("Day", "Rain"), strict=True):
        cell.text = text
    packed = io.BytesIO()
    made.save(packed)
    if bomb:
        with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("word/bomb.bin", bytes(220 * 2**20))
    return packed.getvalue()


def pdf() -> bytes:
    """One page that says Hello, written by hand."""
    stream = b"BT /F1 24 Tf 72 700 Td (Hello) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    made, offsets = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, start=1):
        offsets.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(made)
    made += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(
        b"%010d 00000 n \n" % offset for offset in offsets
    )
    return made + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start


MARKDOWN = "# Title\n\nTwo\n---\n\n```\n# no heading\n| a | b |\n|---|---|\n```\n\n| x | y |\n| :-- | --: |\n| 1 | 2 |\n"


@pytest.mark.parametrize(
    ("name", "data", "headings", "tables", "columns"),
    [
        ("a.md", MARKDOWN.encode(), ["Title", "Two"], 1, [["x", "y"]]),
        ("a.csv", b"day;rain\n1;2\n", [], 1, [["day", "rain"]]),
        ("a.json", b'{"a": 1}', [], 0, []),
        (
            "a.html",
            b"<h1>T</h1><script>x</script><table><tr><th>c</th></tr></table>",
            ["T"],
            1,
            [["c"]],
        ),
        ("a.docx", docx(), ["Report", "Findings"], 1, [["Day", "Rain"]]),
        ("a.pdf", pdf(), [], 0, []),
        ("a.txt", b"plain", [], 0, []),
    ],
)
def test_documents_are_looked_at(
    name: str, data: bytes, headings: list[str], tables: int, columns: list[list[str]]
) -> None:
    found = profile(name, data)
    assert found is not None
    assert found["opens"] is True
    assert cast("int", found["chars"]) > 0
    assert (found["headings"], found["tables"], found["columns"]) == (
        headings,
        tables,
        columns,
    )
    if name in ("a.docx", "a.pdf", "a.html"):
        assert any(
            word in cast("str", found["text"]) for word in ("rained", "Hello", "T")
        )


@pytest.mark.parametrize(
    ("name", "data", "opens"),
    [
        ("a.docx", b"not a zip", False),
        ("a.docx", b"PK\x03\x04", False),
        ("a.docx", docx(bomb=True), None),
        ("a.pdf", b"%PDF-1.4 nothing", False),
        ("a.pdf", b"", False),
        ("a.json", b"{", False),
        ("a.json", b"[" * 100_000, False),
        ("a.json", b'{"a": 1, "a": 2}', False),
        ("a.csv", b"a,b\n1\n", False),
        ("a.csv", b"a,b\n1," + b"9" * 200_000, None),
        ("a.csv", b'a,"b\n', False),
        ("a.md", b"\xff\xfe\x00", False),
        ("a.md", b"", True),
        ("a.html", b"\x00", False),
        ("a.html", b"<div>" * 20_000, True),
        ("a.md", b"| " * 50_000 + b"\n" + b"|-" * 50_000, True),
        ("a.md", b"#" * 200_000, True),
    ],
)
def test_damaged_documents(name: str, data: bytes, opens: bool | None) -> None:
    found = profile(name, data)
    assert found is not None
    assert found["opens"] is opens
    assert opens or found["error"]


def test_what_is_no_document_is_not_looked_at() -> None:
    assert profile("a.bin", b"x") is None
    assert profile("Makefile", b"x") is None
