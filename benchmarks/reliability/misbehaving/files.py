"""Files and sources that are hostile, damaged or cut off: their contract, result, and what stands in the folder."""

from __future__ import annotations

import gzip
import io
import json
import os
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

_STATE: Final = 'state: {allowed: ["/y/**"]}\n'
_SOP: Final = "sop: {forbidden_tools: [pay]}\n"
_LIMIT_S: Final = 1.0
_MIB: Final = 2**20
_QUOTE: Final = "The tank holds nine hundred litres of diesel in winter."
_ENDLESS: Final = "WITH RECURSIVE a(kind) AS (SELECT 'x' UNION ALL SELECT kind FROM a) SELECT kind FROM a"


@dataclass(frozen=True)
class FileCase:
    """A file case; `prepare` writes into the folder of the results."""

    name: str
    contract: str
    result: dict[str, Any]
    prepare: Callable[[Path], None] = field(default=lambda _folder: None)
    limit_s: float = _LIMIT_S


def _named(folder: Path) -> None:
    """Files that a result may name."""
    os.mkfifo(folder / "pipe")
    (folder / "secret-link").symlink_to("/etc/hostname")
    (folder / "zero-link").symlink_to("/dev/zero")
    (folder / "proc-link").symlink_to("/proc")
    (folder / "folder").mkdir()
    with (folder / "sparse").open("wb") as stream:
        stream.truncate(200 * 2**30)
    (folder / "bomb.json").write_bytes(gzip.compress(b"[" + b"[]," * (80 * _MIB)))
    (folder / "values.json").write_bytes(b"[" + b"[]," * (60 * _MIB) + b"[]]")
    (folder / "deep.json").write_bytes(b"[" * 5_000_000)
    (folder / "cut.json").write_bytes(gzip.compress(b"[" + b"{}," * 90 + b"{}]")[:-9])
    (folder / "log.eval").write_bytes(_archive("samples/1.json", b"[]," * (80 * _MIB)))
    (folder / "empty.json").write_bytes(b"")


def _archive(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": {}, "version": 2}))
        archive.writestr(name, content)
    return out.getvalue()


_NAMES: Final = (
    "pipe", "sparse", "secret-link", "zero-link", "proc-link/self/environ", "folder", "missing", "../results.jsonl",
    "/etc/hostname", "/dev/zero", "/dev/stdin", "/proc/self/environ", "bomb.json", "values.json", "deep.json",
    "cut.json", "log.eval", "empty.json", "", "folder/../pipe", "a" * 5000,
)  # fmt: skip


def _of_results() -> Iterator[FileCase]:
    for name in _NAMES:
        shown = name[:30] or "(empty)"
        yield FileCase(f"{shown} as trace", _SOP, {"trace": {"ref": name}}, _named)
        state = {"before_path": name, "after_path": name}
        yield FileCase(f"{shown} as state", _STATE, {"state": state}, _named)


def _docx() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<a>" + "<b/>" * (15 * _MIB) + "</a>")
    return out.getvalue()


def _pdf(pages: int) -> bytes:
    from pypdf import PdfWriter

    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(72, 72)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _long(before: int) -> bytes:
    return b"word " * (before // 5) + _QUOTE.encode()


_DOCUMENTS: Final[dict[str, Callable[[], bytes]]] = {
    "empty.txt": lambda: b"",
    "blank.md": lambda: b" \n\n",
    "binary.txt": lambda: os.urandom(5_000) + b"\0",
    "long.txt": lambda: _long(6_000_000),
    "long.html": lambda: b"<p>" + _long(6_000_000),
    "bomb.docx": _docx,
    "cut.docx": lambda: _docx()[:-200],
    "pages.pdf": lambda: _pdf(2_500),
    "cut.pdf": lambda: _pdf(3)[:-300],
    "attributes.html": lambda: b"<p " + b"a=1 " * (8 * _MIB),
    "deep.html": lambda: b"<div>" * 500_000,
    "rules.md": lambda: b"|" + b"-|" * (10 * _MIB),
    "latin.html": lambda: b'<meta charset="no-such"><p>caf\xe9 ' + b"x" * 100,
    # Cut in the middle of a character. One that is whole can be read, and does not have the quote.
    "japanese.html": lambda: b'<meta charset="iso-2022-jp"><p>\x1b$B$"$',
}


def _put(name: str, content: Callable[[], bytes]) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        (folder / "sources").mkdir()
        (folder / "sources" / name).write_bytes(content())

    return prepare


def _of_documents() -> Iterator[FileCase]:
    source = "{type: directory, path: sources/, authoritative: true}"
    contract = f"evidence: {{sources: [{source}]}}\n"
    for name, content in _DOCUMENTS.items():
        cited = {"id": name, "quote": _QUOTE}
        result = {"output": {"final_answer": _QUOTE, "citations": [cited]}}
        # A reader gets 20 s.
        yield FileCase(f"document {name}", contract, result, _put(name, content), 20.0)


def _records(name: str, content: bytes) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return prepare


_RECORDS: Final = {
    "empty.jsonl": b"",
    "cut.jsonl": b'{"kind": "book", "target": "x", "result_id": "ba',
    "page.jsonl": b"<html><body>Bad gateway</body></html>",
    "empty.csv": b"",
    "page.csv": b"<!DOCTYPE html>\n<html><body>Bad gateway</body></html>\n",
    "plain.csv": b"Service unavailable\n",
    "login.csv": b"<html>\n<form action=/login>\n</form>\n</html>\n",
    "cut.csv": b"kind,target,result_id\nbook,x",
    "zeros.jsonl": b"\0" * 4096,
    "utf16.csv": "kind,target,result_id\nbook,x,y\n".encode("utf-16"),
}


def _of_records() -> Iterator[FileCase]:
    for name, content in _RECORDS.items():
        kind = name.rpartition(".")[2]
        source = f"{{type: {kind}, path: {name}}}"
        contract = f"execution: {{source: {source}, expected: [{{kind: book}}]}}\n"
        yield FileCase(f"records {name}", contract, {}, _records(name, content))


def _catalogues() -> Iterator[FileCase]:
    cited = {"title": "Warm rivers and their fish", "doi": "10.5555/rivers.2020.1"}
    result = {"output": {"final_answer": "x", "citations": [cited]}}
    for name, content in _RECORDS.items():
        if not name.endswith(".jsonl"):
            continue
        source = f"{{type: jsonl, path: {name}, authoritative: true}}"
        contract = f"evidence: {{sources: [{source}]}}\n"
        yield FileCase(f"catalogue {name}", contract, result, _records(name, content))


def _database(folder: Path) -> None:
    with sqlite3.connect(folder / "orders.db") as database:
        database.execute("CREATE TABLE orders (kind TEXT, result_id TEXT)")


def _locked(folder: Path) -> None:
    """A lock that outlives this function: the journal of a writer that holds the database."""
    _database(folder)
    database = sqlite3.connect(folder / "orders.db", check_same_thread=False)
    database.execute("BEGIN EXCLUSIVE")
    _HELD.append(database)


_HELD: Final[list[sqlite3.Connection]] = []
_QUERIES: Final = {
    "endless": (_ENDLESS, _database),
    "endless sum": (
        _ENDLESS.removesuffix("kind FROM a") + "max(kind) AS kind FROM a",
        _database,
    ),
    "huge value": ("SELECT zeroblob(900000000) AS kind", _database),
    "vacuum into": ("VACUUM INTO 'x.db'", _database),
    "attach": ("ATTACH 'x.db' AS x", _database),
    "pragma": ("PRAGMA journal_mode = WAL", _database),
    "delete": ("DELETE FROM orders RETURNING kind", _database),
    "locked": ("SELECT kind FROM orders", _locked),
    "no such table": ("SELECT kind FROM elsewhere", _database),
}


def _of_databases() -> Iterator[FileCase]:
    for name, (query, prepare) in _QUERIES.items():
        options = {
            "type": "sql", "url": "sqlite:///orders.db", "query": query, "timeout_s": 1,
        }  # fmt: skip
        source = json.dumps(options)
        contract = f"execution: {{source: {source}, expected: [{{kind: book}}]}}\n"
        yield FileCase(f"sql {name}", contract, {}, prepare)


FILES: Final = (
    *_of_results(),
    *_of_documents(),
    *_of_records(),
    *_catalogues(),
    *_of_databases(),
)
