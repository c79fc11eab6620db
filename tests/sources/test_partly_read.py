"""A source that was read only in part says what it holds, and never what it does not hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgemesh.contracts.needs import Found, Lookup, NotFound, Records, Unanswered
from judgemesh.mesh.sources.evidence.charset import decoded
from judgemesh.mesh.sources.evidence.document import MAX_TEXT_CHARS
from judgemesh.mesh.sources.evidence.document_text import read_document
from judgemesh.mesh.sources.evidence_sources import EvidenceSources
from judgemesh.mesh.sources.record_sources import RecordSources

from .servers import answer, serving, table

pytestmark = pytest.mark.anyio
PASSAGE = "Die Prüfung dauert zwölf Stunden."


@pytest.mark.parametrize(
    ("data", "content_type", "text", "is_whole"),
    [
        (PASSAGE.encode(), "text/plain", PASSAGE, True),
        (PASSAGE.encode("utf-16"), "text/plain", PASSAGE, True),
        (PASSAGE.encode("utf-8-sig"), "text/plain", PASSAGE, True),
        (PASSAGE.encode("latin-1"), "text/plain; charset=iso-8859-1", PASSAGE, True),
        (PASSAGE.encode("cp1252"), 'text/plain; charset="windows-1252"', PASSAGE, True),
        ("試験は十二時間".encode("shift_jis"), "text/plain;charset=Shift_JIS", "試験は十二時間", True),
        (PASSAGE.encode(), "text/plain; charset=iso-8859-1", PASSAGE, True),
        (PASSAGE.encode("latin-1"), "text/plain", PASSAGE.replace("ü", "\ufffd").replace("ö", "\ufffd"), False),
        (PASSAGE.encode("latin-1"), "text/plain; charset=rot13", PASSAGE.replace("ü", "\ufffd").replace("ö", "\ufffd"), False),
        (PASSAGE.encode("latin-1"), "text/plain; charset=nonsense", PASSAGE.replace("ü", "\ufffd").replace("ö", "\ufffd"), False),
    ],
)  # fmt: skip
def test_characters_are_read_as_declared(
    data: bytes, content_type: str, text: str, is_whole: bool
) -> None:
    assert decoded(data, content_type) == (text, is_whole)


def test_a_page_may_declare_its_characters_itself() -> None:
    page = (
        f"<html><head><meta charset='iso-8859-1'></head><body>{PASSAGE}</body></html>"
    )
    document = read_document(page.encode("latin-1"), "text/html")
    assert document.text == PASSAGE
    assert document.is_whole


def test_a_text_beyond_the_limit_is_not_whole() -> None:
    assert read_document(b"a " * MAX_TEXT_CHARS, ".txt").is_whole is False
    assert read_document(b"a " * 100, ".txt").is_whole is True


async def test_a_passage_beyond_the_limit_is_unknown_and_not_absent(
    tmp_path: Path,
) -> None:
    (tmp_path / "long.txt").write_text("a b " * (MAX_TEXT_CHARS // 4) + PASSAGE)
    (tmp_path / "short.txt").write_text("The pump was closed on Monday.")
    source = {"type": "directory", "path": str(tmp_path)}
    sources = EvidenceSources(tmp_path)
    absent = await sources.answer(Lookup(source=source, query={"quote": PASSAGE}))
    there = await sources.answer(
        Lookup(source=source, query={"quote": "The pump was closed on Monday."})
    )
    (tmp_path / "long.txt").unlink()
    nowhere = await sources.answer(Lookup(source=source, query={"quote": PASSAGE}))
    await sources.aclose()
    assert isinstance(absent, Unanswered)
    assert absent.inaccessible
    assert isinstance(there, Found)
    assert isinstance(nowhere, NotFound)


@pytest.mark.parametrize(
    "following", [7, "page 2", {"url": "x"}, "ftp://a.test/2", True]
)
async def test_a_next_page_without_an_address_is_no_last_page(
    tmp_path: Path, following: object
) -> None:
    body = json.dumps({"items": [{"kind": "pay"}], "next": following})
    pages = {"/log": answer(body, Content_Type="application/json")}
    async with serving(table(pages)) as server:
        source = {
            "type": "http",
            "url": f"{server.url}/log",
            "rows": "items",
            "next": "next",
            "allow_hosts": ["127.0.0.1"],
        }
        with RecordSources(tmp_path) as sources:
            got = await sources.answer(
                Records(source=source, result_id="r", task_id="t", trace_id=None)
            )
    assert isinstance(got, Unanswered)
    assert got.inaccessible


def test_text_with_shifts_is_read_as_it_is_declared() -> None:
    page = '<meta charset="iso-2022-jp"><p>日本の川</p>'.encode("iso-2022-jp")
    assert "日本の川" in decoded(page)[0]
    assert decoded(page) == decoded(page, "text/html; charset=iso-2022-jp")


def test_a_document_of_blanks_has_no_text() -> None:
    for data, kind in ((b"", "txt"), (b" \n\t\n", "md"), (b"<p> </p>", "html")):
        assert read_document(data, kind).text == ""


@pytest.mark.parametrize(
    ("encoding", "text"), [("iso-2022-jp", "日本の川"), ("hz", "中国的河")]
)
def test_text_with_shifts_that_is_cut_off_is_not_understood(
    encoding: str, text: str
) -> None:
    page = f'<meta charset="{encoding}"><p>'.encode() + text.encode(encoding)
    assert decoded(page) == (page.decode(encoding), True)
    shifted = page.removesuffix(b"\x1b(B").removesuffix(b"~}")
    assert decoded(shifted[:-1])[1] is False
    plain = f'<meta charset="{encoding}"><p>café'.encode()
    assert decoded(plain) == (plain.decode(), True)
