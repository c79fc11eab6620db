"""The public catalogues, against a local server that answers in the shapes they answer in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.needs import Found, Lookup, NotFound, Unanswered
from judgemesh.mesh.sources.evidence_sources import EvidenceSources

from .servers import Asked, Handler, answer, as_json, serving, table

pytestmark = pytest.mark.anyio
Answer = Found | NotFound | Unanswered

WORK: dict[str, Any] = {
    "DOI": "10.5555/FOX.1",
    "title": ["Foxes and Dogs"],
    "subtitle": ["A Long Jump"],
    "author": [
        {"given": "Ann", "family": "Fox", "sequence": "first"},
        {"name": "The Dog Consortium"},
    ],
    "issued": {"date-parts": [[2020, 3]]},
    "published-online": {"date-parts": [[2019, 12, 30]]},
    "container-title": ["Journal of Jumps"],
    "type": "journal-article",
}
FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>"""
ENTRY = """<entry><id>http://arxiv.org/abs/2101.00001v3</id><published>2021-01-01T00:00:00Z</published>
<updated>2022-02-02T00:00:00Z</updated><title>Foxes
  in Space</title><summary>We send foxes to space.</summary><author><name>Ann Fox</name></author>
<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.5555/space</arxiv:doi></entry>"""
ERROR_ENTRY = "<entry><id>http://arxiv.org/api/errors#incorrect_id_format</id><title>Error</title></entry>"
SUMMARY: dict[str, Any] = {
    "uid": "123",
    "title": "Foxes in clinics.",
    "authors": [{"name": "Fox A", "authtype": "Author"}],
    "pubdate": "2018 Jan 3",
    "epubdate": "2017 Dec 1",
    "fulljournalname": "The journal of clinics",
    "articleids": [{"idtype": "doi", "value": "10.5555/CLINIC"}],
}
STUDY: dict[str, Any] = {
    "protocolSection": {
        "identificationModule": {
            "nctId": "NCT01234567",
            "briefTitle": "Foxes vs Dogs",
            "officialTitle": "A Randomized Trial of Foxes Versus Dogs",
        },
        "statusModule": {
            "startDateStruct": {"date": "2012-05"},
            "completionDateStruct": {"date": "2014-01"},
        },
        "descriptionModule": {
            "briefSummary": "Foxes jump.",
            "detailedDescription": "Dogs do not.",
        },
    }
}


async def ask(
    handler: Handler, kind: str, query: Mapping[str, str], *, want_text: bool = False
) -> Answer:
    async with serving(handler) as server:
        source: dict[str, object] = {
            "type": kind,
            "base_url": server.url,
            "allow_hosts": ["127.0.0.1"],
            "timeout_s": 5,
        }
        if kind in ("crossref", "doi"):
            source |= {
                "datacite_url": f"{server.url}/datacite",
                "handle_url": f"{server.url}/handles",
            }
        sources = EvidenceSources(Path())
        found = await sources.answer(
            Lookup(source=source, query=query, want_text=want_text)
        )
        await sources.aclose()
    return found


def found(answer_: Answer) -> Mapping[str, Any]:
    assert isinstance(answer_, Found), answer_
    assert answer_.authoritative
    return answer_.fields


def denied(answer_: Answer) -> bool:
    assert isinstance(answer_, NotFound), answer_
    return answer_.authoritative


async def test_crossref_gives_all_years_a_work_may_be_cited_with() -> None:
    fields = found(
        await ask(
            table({"/works/10.5555/fox.1": as_json({"message": WORK})}),
            "crossref",
            {"doi": "10.5555/fox.1"},
        )
    )
    assert fields["title"] == "Foxes and Dogs: A Long Jump"
    assert fields["authors"] == ["Fox, Ann", "The Dog Consortium"]
    assert fields["years"] == [2019, 2020]
    assert fields["venue"] == "Journal of Jumps"


async def test_a_doi_of_another_agency_is_found_at_datacite() -> None:
    attributes = {
        "doi": "10.5555/data",
        "titles": [{"title": "Fox Counts"}],
        "creators": [{"givenName": "Ann", "familyName": "Fox"}],
        "publicationYear": 2016,
        "publisher": "Zoo",
    }
    fields = found(
        await ask(
            table(
                {
                    "/datacite/dois/10.5555/data": as_json(
                        {"data": {"attributes": attributes}}
                    )
                }
            ),
            "doi",
            {"doi": "10.5555/data"},
        )
    )
    assert (fields["title"], fields["authors"], fields["years"]) == (
        "Fox Counts",
        ["Fox, Ann"],
        [2016],
    )


async def test_only_the_handle_system_says_that_a_doi_does_not_exist() -> None:
    missing = await ask(table({}), "crossref", {"doi": "10.5555/none"})
    coded = await ask(
        table({"/handles/10.5555/none": as_json({"responseCode": 100})}),
        "crossref",
        {"doi": "10.5555/none"},
    )
    known = await ask(
        table({"/handles/10.5555/known": as_json({"responseCode": 1})}),
        "crossref",
        {"doi": "10.5555/known"},
    )
    odd = await ask(
        table({"/handles/10.5555/odd": as_json({"responseCode": 2})}),
        "crossref",
        {"doi": "10.5555/odd"},
    )
    down = await ask(
        table({"/handles/10.5555/down": answer("", status=503)}),
        "crossref",
        {"doi": "10.5555/down"},
    )
    assert denied(missing)
    assert denied(coded)
    assert found(known)["ids"] == {"doi": ["10.5555/known"]}
    assert isinstance(odd, Unanswered)
    assert isinstance(down, Unanswered)
    assert down.inaccessible


async def test_a_search_by_title_that_finds_nothing_near_denies_nothing() -> None:
    async def handle(asked: Asked) -> bytes:
        assert asked.path == "/works"
        return as_json(
            {"message": {"items": [{"title": ["Cats"], "DOI": "10.5555/cats"}, WORK]}}
        )

    fields = found(
        await ask(
            handle,
            "crossref",
            {"title": "Foxes and dogs: a long jump", "author": "Fox", "year": "2020"},
        )
    )
    nothing = await ask(
        handle, "crossref", {"title": "The economics of umbrellas in deserts"}
    )
    assert fields["ids"] == {"doi": ["10.5555/fox.1"]}
    assert not denied(nothing)


async def test_arxiv_by_id_and_by_title() -> None:
    feed = table(
        {"/api/query": answer(FEED.format(entries=ENTRY), kind="application/atom+xml")}
    )
    fields = found(await ask(feed, "arxiv", {"arxiv": "2101.00001"}, want_text=True))
    titled = found(await ask(feed, "arxiv", {"title": "Foxes in space"}))
    assert (fields["title"], fields["authors"], fields["years"]) == (
        "Foxes in Space",
        ["Ann Fox"],
        [2021, 2022],
    )
    assert fields["preprint"]
    assert fields["text"] == "We send foxes to space."
    assert fields["ids"]["doi"] == ["10.48550/arxiv.2101.00001", "10.5555/space"]
    assert titled["ids"]["arxiv"] == ["2101.00001"]
    assert found(await ask(feed, "arxiv", {"doi": "10.48550/arxiv.2101.00001"}))


@pytest.mark.parametrize("entries", ["", ERROR_ENTRY, ENTRY])
async def test_arxiv_denies_an_id_that_it_does_not_answer_with(entries: str) -> None:
    feed = table(
        {
            "/api/query": answer(
                FEED.format(entries=entries), kind="application/atom+xml"
            )
        }
    )
    assert denied(await ask(feed, "arxiv", {"arxiv": "2101.99999"}))


async def test_pubmed_by_pmid_doi_and_title() -> None:
    async def handle(asked: Asked) -> bytes:
        if asked.path == "/esearch.fcgi":
            return as_json({"esearchresult": {"idlist": ["123"]}})
        if asked.path == "/efetch.fcgi":
            return answer("Foxes visit clinics.", kind="text/plain")
        return as_json({"result": {"uids": ["123"], "123": SUMMARY}})

    fields = found(await ask(handle, "pubmed", {"pmid": "123"}, want_text=True))
    assert (fields["title"], fields["authors"], fields["years"]) == (
        "Foxes in clinics",
        ["Fox A"],
        [2017, 2018],
    )
    assert fields["ids"] == {"pmid": ["123"], "doi": ["10.5555/clinic"]}
    assert (fields["text"], fields["excerpt"]) == ("Foxes visit clinics.", True)
    assert found(await ask(handle, "pubmed", {"doi": "10.5555/clinic"}))
    assert found(await ask(handle, "pubmed", {"title": "Foxes in clinics"}))
    other = await ask(handle, "pubmed", {"doi": "10.5555/other"})
    assert isinstance(other, NotFound)
    assert not other.covers


@pytest.mark.parametrize(
    ("data", "exists"),
    [
        (
            {
                "result": {
                    "uids": ["9"],
                    "9": {"uid": "9", "error": "cannot get document summary"},
                }
            },
            False,
        ),
        ({"error": "Invalid uid 9 at position=0"}, False),
        ({"error": "API rate limit exceeded"}, None),
        ({}, None),
        ([], None),
    ],
)
async def test_pubmed_denies_only_when_it_says_so(
    data: object, exists: bool | None
) -> None:
    said = await ask(table({"/esummary.fcgi": as_json(data)}), "pubmed", {"pmid": "9"})
    if exists is None:
        assert isinstance(said, Unanswered)
        assert said.inaccessible
    else:
        assert denied(said)


async def test_clinical_trials_by_number_and_title() -> None:
    pages = table(
        {
            "/api/v2/studies/NCT01234567": as_json(STUDY),
            "/api/v2/studies": as_json({"studies": [STUDY]}),
        }
    )
    fields = found(
        await ask(pages, "clinicaltrials", {"nct": "NCT01234567"}, want_text=True)
    )
    assert fields["titles"] == [
        "Foxes vs Dogs",
        "A Randomized Trial of Foxes Versus Dogs",
    ]
    assert fields["years"] == [2012, 2013, 2014]
    assert fields["text"] == "Foxes jump.\nDogs do not."
    assert found(await ask(pages, "clinicaltrials", {"title": "Foxes vs. dogs"}))[
        "ids"
    ] == {"nct": ["NCT01234567"]}
    assert denied(await ask(pages, "clinicaltrials", {"nct": "NCT00000000"}))


@pytest.mark.parametrize("kind", ["crossref", "arxiv", "pubmed", "clinicaltrials"])
@pytest.mark.parametrize(
    "response",
    [
        answer("", status=500),
        answer("", status=429),
        answer("<html>captcha</html>"),
        answer("[]"),
        answer("null"),
        answer("{"),
        b"",
    ],
    ids=["500", "429", "html", "list", "null", "cut", "silent"],
)
async def test_an_answer_that_is_none_denies_nothing(
    kind: str, response: bytes
) -> None:
    async def handle(asked: Asked) -> bytes:
        return response

    scheme = {
        "crossref": ("doi", "10.5555/x"),
        "arxiv": ("arxiv", "2101.00001"),
        "pubmed": ("pmid", "1"),
        "clinicaltrials": ("nct", "NCT00000001"),
    }[kind]
    said = await ask(handle, kind, dict([scheme]))
    assert not isinstance(said, NotFound) or not said.authoritative
    assert isinstance(said, Unanswered)
    assert said.inaccessible


async def test_entities_of_arxiv_are_not_unpacked() -> None:
    bomb = (
        '<!DOCTYPE feed [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
        + FEED.format(entries="&b;").split("?>", 1)[1]
    )
    said = await ask(
        table({"/api/query": answer(bomb)}), "arxiv", {"arxiv": "2101.00001"}
    )
    assert isinstance(said, Unanswered)


@pytest.mark.parametrize("kind", ["crossref", "arxiv", "pubmed", "clinicaltrials"])
async def test_what_a_source_cannot_know_it_does_not_cover(kind: str) -> None:
    said = await ask(table({}), kind, {"isbn": "9780306406157"})
    assert isinstance(said, NotFound)
    assert (said.covers, said.authoritative) == (False, False)


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (200, Found),
        (404, NotFound),
        (410, NotFound),
        (403, Unanswered),
        (500, Unanswered),
    ],
)
async def test_a_web_page_answers_is_gone_or_cannot_be_seen(
    status: int, verdict: type
) -> None:
    page = answer(
        "<title>Foxes</title><body>They jump far.", status=status, kind="text/html"
    )
    async with serving(table({"/fox": page})) as server:
        sources = EvidenceSources(Path())
        source = {"type": "http", "allow_hosts": ["127.0.0.1"]}
        said = await sources.answer(
            Lookup(source=source, query={"url": f"{server.url}/fox"}, want_text=True)
        )
        blocked = await sources.answer(
            Lookup(source={"type": "http"}, query={"url": f"{server.url}/fox"})
        )
        await sources.aclose()
    assert isinstance(said, verdict)
    if isinstance(said, Found):
        assert (said.fields["title"], said.fields["text"]) == (
            "Foxes",
            "They jump far.",
        )
    if isinstance(said, NotFound):
        assert said.authoritative
    assert isinstance(blocked, Unanswered)
    assert blocked.inaccessible


@pytest.mark.parametrize("body", ["", " \n", "<body></body>"])
@pytest.mark.parametrize("want_text", [True, False])
async def test_a_page_without_text_is_there_and_says_nothing(
    body: str, want_text: bool
) -> None:
    page = answer(body, kind="text/html")
    async with serving(table({"/fox": page})) as server:
        sources = EvidenceSources(Path())
        source = {"type": "http", "allow_hosts": ["127.0.0.1"]}
        query = {"url": f"{server.url}/fox"}
        said = await sources.answer(
            Lookup(source=source, query=query, want_text=want_text)
        )
        await sources.aclose()
    assert isinstance(said, Unanswered if want_text else Found)
