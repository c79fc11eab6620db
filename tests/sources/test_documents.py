"""A folder of documents: named by path or title, read whatever their kind, never outside the folder."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import docx
import pytest

from judgemesh.contracts.needs import Found, Lookup, NotFound, Unanswered
from judgemesh.mesh.sources.evidence.document_text import read_document
from judgemesh.mesh.sources.evidence_sources import EvidenceSources
from judgemesh.mesh.sources.protocols import SourceInaccessible

pytestmark = pytest.mark.anyio
SENTENCE = "The quick brown fox jumps over the lazy dog."


def pdf(text: str) -> bytes:
    """The smallest file that a PDF reader takes."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out = bytearray(b"%PDF-1.4\n")
    places: list[int] = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(
        b"%010d 00000 n \n" % place for place in places
    )
    out += b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start
    return bytes(out)


def word(text: str) -> bytes:
    document = docx.Document()
    document.core_properties.title = "Foxes at Work"
    document.add_paragraph(text)
    document.add_table(1, 1).cell(0, 0).text = "a cell"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


HTML = f"<html><head><title>Foxes</title><meta name=citation_author content='Ann Fox'><style>b{{}}</style></head><body><p>{SENTENCE}<script>hidden()</script></body></html>"


@pytest.mark.parametrize(
    ("name", "data", "title"),
    [
        ("a.txt", SENTENCE.encode(), SENTENCE),
        ("a.md", f"# A Heading\n\n{SENTENCE}".encode(), "A Heading"),
        ("a.html", HTML.encode(), "Foxes"),
        ("a.pdf", pdf(SENTENCE), SENTENCE),
        ("a.docx", word(SENTENCE), "Foxes at Work"),
    ],
)
async def test_documents_of_every_kind_are_read(
    tmp_path: Path, name: str, data: bytes, title: str
) -> None:
    (tmp_path / name).write_bytes(data)
    sources = EvidenceSources(tmp_path)
    source = {"type": "directory", "path": "."}
    found = await sources.answer(
        Lookup(source=source, query={"id": name}, want_text=True)
    )
    passage = await sources.answer(
        Lookup(source=source, query={"quote": "QUICK brown fox, jumps over"})
    )
    titled = await sources.answer(Lookup(source=source, query={"title": title}))
    missing = await sources.answer(Lookup(source=source, query={"id": "b.txt"}))
    await sources.aclose()
    assert isinstance(found, Found)
    assert SENTENCE in str(found.fields["text"])
    assert "hidden" not in str(found.fields["text"])
    assert found.fields["title"] == title
    assert isinstance(passage, Found)
    assert isinstance(titled, Found)
    assert isinstance(missing, NotFound)


@pytest.mark.parametrize(
    "name",
    [
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "/etc/passwd",
        "..\\secret.txt",
        "link.txt",
        "sub/../../secret.txt",
        "file:///etc/passwd",
        "\x00",
        "a" * 5000,
        "secret.txt",
    ],
)
async def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("the secret")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    (inside / "open.txt").write_text("nothing to see")
    sources = EvidenceSources(tmp_path)
    for query in ({"id": name}, {"title": name}, {"quote": "the secret is here"}):
        answer = await sources.answer(
            Lookup(
                source={"type": "directory", "path": "inside"},
                query=query,
                want_text=True,
            )
        )
        assert isinstance(answer, NotFound), query
    await sources.aclose()


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "a/../../*"])
async def test_a_pattern_that_leads_outside_is_refused(
    tmp_path: Path, pattern: str
) -> None:
    sources = EvidenceSources(tmp_path)
    answer = await sources.answer(
        Lookup(
            source={"type": "directory", "path": ".", "pattern": pattern},
            query={"id": "x"},
        )
    )
    assert isinstance(answer, Unanswered)
    assert "pattern" in answer.message


async def test_a_folder_that_is_not_there_is_out_of_reach(tmp_path: Path) -> None:
    sources = EvidenceSources(tmp_path)
    answer = await sources.answer(
        Lookup(source={"type": "directory", "path": "none"}, query={"id": "x"})
    )
    assert isinstance(answer, Unanswered)
    assert answer.inaccessible


async def test_a_file_that_cannot_be_read_is_not_read_again_until_it_changes(
    tmp_path: Path,
) -> None:
    path = tmp_path / "fox.txt"
    sources = EvidenceSources(tmp_path)
    need = Lookup(source={"type": "directory", "path": "."}, query={"id": "fox.txt"})

    async def ask_after(content: bytes, modified_ns: int) -> Found | Unanswered:
        path.write_bytes(content)
        os.utime(path, ns=(modified_ns, modified_ns))
        answer = await sources.answer(need)
        assert isinstance(answer, Found | Unanswered)
        return answer

    first = await ask_after(SENTENCE.encode() + b"\0", 10**18)
    again = await ask_after(SENTENCE.encode() + b" ", 10**18)  # taken for the same file
    changed = await ask_after(SENTENCE.encode() + b" ", 10**18 + 1)
    await sources.aclose()
    assert isinstance(first, Unanswered)
    assert again == first
    assert isinstance(changed, Found)


def _zip_bomb() -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed,
        packed.open("word/document.xml", "w") as entry,
    ):
        for _ in range(260):
            entry.write(b"\0" * 2**20)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (".pdf", b"%PDF-1.4 broken"),
        (".pdf", b""),
        (".pdf", pdf("")),
        (".docx", b"PK\x03\x04 broken"),
        (".docx", b""),
        (".docx", _zip_bomb()),
        (".txt", b"\x00\x01\x02binary"),
        (".exe", b"MZ"),
    ],
    ids=[
        "broken pdf",
        "empty pdf",
        "pdf without text",
        "broken docx",
        "empty docx",
        "zip bomb",
        "binary",
        "unknown kind",
    ],
)
def test_a_document_that_cannot_be_read_is_a_line(kind: str, data: bytes) -> None:
    with pytest.raises(SourceInaccessible):
        read_document(data, kind)


def test_html_of_any_depth_is_read() -> None:
    document = read_document(
        b"<div>" * 50_000 + b"deep" + b"</div>" * 50_000, "text/html; charset=utf-8"
    )
    assert "deep" in document.text
