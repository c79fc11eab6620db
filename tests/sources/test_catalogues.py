"""Catalogues: found by identifier, by title, by a near title; what cannot be read is never "not found"."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.needs import Found, Lookup, NotFound, Unanswered
from judgemesh.mesh.sources.evidence.catalogue import Catalogue
from judgemesh.mesh.sources.evidence_sources import EvidenceSources

pytestmark = pytest.mark.anyio

RECORDS: tuple[dict[str, Any], ...] = (
    {
        "title": 'On the {K}\\"onigsberg Bridges',
        "author": "Leonhard Euler",
        "year": 1736,
        "doi": "10.5555/KOENIG.1",
    },
    {
        "title": "A Note on Two Problems",
        "authors": [{"given": "Ada", "family": "Byron"}],
        "date": "1843-05-01",
        "isbn": "0-306-40615-2",
    },
    {
        "title": "Two Papers of One Name",
        "author": "First, Ann",
        "year": 2001,
        "doi": "10.5555/two",
    },
    {"title": "Two Papers of One Name", "author": "Second, Bob", "year": 2011},
    {
        "fields": {
            "title": "Nested Fields Are Read",
            "author": "C. Clark",
            "year": "1999",
            "doi": "10.48550/arXiv.2101.00001v2",
        }
    },
)


def jsonl(
    folder: Path, rows: tuple[dict[str, Any], ...] = RECORDS
) -> dict[str, object]:
    (folder / "catalogue.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    return {"type": "jsonl", "path": "catalogue.jsonl"}


async def ask(
    folder: Path, source: Mapping[str, object], **query: str
) -> Found | NotFound | Unanswered:
    sources = EvidenceSources(folder)
    answer = await sources.answer(Lookup(source=source, query=query, want_text=True))
    await sources.aclose()
    return answer


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ({"doi": "10.5555/koenig.1"}, "onigsberg"),
        ({"isbn": "9780306406157"}, "A Note on Two Problems"),
        ({"isbn": "0-306-40615-2"}, "A Note on Two Problems"),
        ({"doi": "https://doi.org/10.5555/KOENIG.1"}, "onigsberg"),
        ({"arxiv": "2101.00001"}, "Nested"),
        ({"title": "on the konigsberg bridges"}, "onigsberg"),
        ({"title": "A note on two problem"}, "A Note"),
        ({"title": "Something else entirely"}, None),
        ({"doi": "10.5555/other"}, None),
    ],
)
async def test_a_record_is_found_by_what_it_is_called(
    tmp_path: Path, query: dict[str, str], title: str | None
) -> None:
    found = await ask(tmp_path, jsonl(tmp_path), **query)
    if title is None:
        assert isinstance(found, NotFound)
        assert not found.authoritative
    else:
        assert isinstance(found, Found)
        assert title in str(found.fields["title"])


async def test_of_two_records_of_one_title_the_one_that_fits_is_meant(
    tmp_path: Path,
) -> None:
    source = jsonl(tmp_path)
    first = await ask(
        tmp_path, source, title="Two papers of one name", author="Ann First"
    )
    second = await ask(tmp_path, source, title="Two papers of one name", year="2011")
    assert isinstance(first, Found)
    assert isinstance(second, Found)
    assert (first.fields["years"], second.fields["years"]) == ([2001], [2011])
    assert second.ref == "catalogue.jsonl:4"


async def test_a_kind_of_identifier_the_catalogue_does_not_have_is_not_covered(
    tmp_path: Path,
) -> None:
    source = jsonl(tmp_path)
    trial = await ask(tmp_path, source, nct="NCT01234567")
    assert isinstance(trial, NotFound)
    assert not trial.covers
    found = await ask(tmp_path, source, doi="10.5555/koenig.1")
    assert isinstance(found, Found)
    assert found.fields["schemes"] == ["doi"]


async def test_a_catalogue_may_be_declared_authoritative(tmp_path: Path) -> None:
    missing = await ask(
        tmp_path, {**jsonl(tmp_path), "authoritative": True}, doi="10.5555/none"
    )
    assert missing == NotFound(
        source=str(tmp_path / "catalogue.jsonl"), authoritative=True
    )


async def test_a_record_that_is_only_on_arxiv_is_known_as_a_preprint(
    tmp_path: Path,
) -> None:
    found = await ask(tmp_path, jsonl(tmp_path), title="Nested fields are read")
    assert isinstance(found, Found)
    assert found.fields["venue"] == "arXiv"


async def test_sql_rows_are_records(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "library.db")
    database.execute(
        "CREATE TABLE papers (name TEXT, people TEXT, y INTEGER, doi TEXT)"
    )
    database.execute(
        "INSERT INTO papers VALUES ('Rows as Records', 'Dana Doe', 2020, '10.5555/rows')"
    )
    database.commit()
    database.close()
    source = {
        "type": "sql",
        "url": "sqlite:///library.db",
        "query": "SELECT name AS title, people AS authors, y AS year, doi FROM papers",
    }
    found = await ask(tmp_path, source, doi="10.5555/rows")
    assert isinstance(found, Found)
    assert (found.fields["title"], found.fields["authors"], found.ref) == (
        "Rows as Records",
        ["Dana Doe"],
        "row 1",
    )


@pytest.mark.parametrize(
    ("source", "words", "inaccessible"),
    [
        ({"type": "jsonl", "path": "none.jsonl"}, "cannot be read", True),
        ({"type": "jsonl", "path": "broken.jsonl"}, "broken.jsonl:1: no JSON", True),
        (
            {"type": "jsonl", "path": "list.jsonl"},
            "list.jsonl:1: expected an object",
            True,
        ),
        ({"type": "jsonl"}, "path", False),
        ({"type": "jsonl", "path": "broken.jsonl", "colour": "red"}, "colour", False),
        (
            {"type": "jsonl", "path": "broken.jsonl", "authoritative": "yes"},
            "expected true or false",
            False,
        ),
        (
            {"type": "sql", "url": "sqlite:///none.db", "query": "SELECT 1"},
            "does not exist",
            True,
        ),
        (
            {"type": "sql", "url": "no address", "query": "SELECT 1"},
            "no database address",
            False,
        ),
        ({"type": "jsnol"}, "did you mean 'jsonl'", False),
        ({"type": "csv"}, "no evidence source type", False),
    ],
)
async def test_what_cannot_be_read_is_never_not_found(
    tmp_path: Path, source: dict[str, object], words: str, inaccessible: bool
) -> None:
    (tmp_path / "broken.jsonl").write_text("{nope\n")
    (tmp_path / "list.jsonl").write_text("[1]\n")
    answer = await ask(tmp_path, source, title="Any title at all")
    assert isinstance(answer, Unanswered)
    assert words in answer.message
    assert answer.inaccessible is inaccessible


async def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    source = jsonl(tmp_path, RECORDS[:1])
    sources = EvidenceSources(tmp_path)
    need = Lookup(source=source, query={"isbn": "9780306406157"})
    assert isinstance(await sources.answer(need), NotFound)
    jsonl(tmp_path)
    assert isinstance(await sources.answer(need), Found)
    await sources.aclose()


words = (
    st.text(alphabet="abcdefghij ", min_size=8, max_size=40)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: len(text) > 6)
)


@given(st.lists(words, min_size=1, max_size=8, unique=True), st.data())
def test_every_record_is_found_by_its_own_title(
    titles: list[str], data: st.DataObject
) -> None:
    catalogue = Catalogue(
        ((str(at), {"title": title}) for at, title in enumerate(titles)),
        "c",
        authoritative=False,
    )
    at = data.draw(st.integers(0, len(titles) - 1))
    found = catalogue.lookup(
        Lookup(source={}, query={"title": titles[at].upper() + "."})
    )
    assert isinstance(found, Found)
    assert found.fields["title"] == titles[at]
