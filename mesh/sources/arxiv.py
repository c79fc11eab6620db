"""The evidence source `arxiv`: preprints by id or title, from the Atom interface."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast
from xml.etree import ElementTree as ET

from judgemesh.contracts.identifiers import fold, normal
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.mesh.sources.evidence.json_answers import years_of
from judgemesh.mesh.sources.evidence.titles import nearest_by_title, title_alone
from judgemesh.mesh.sources.http.fetcher import Page
from judgemesh.mesh.sources.http.source import NetworkSource
from judgemesh.mesh.sources.options import base_url
from judgemesh.mesh.sources.protocols import SourceInaccessible

_NAME: Final = "arxiv"
_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_ARXIV: Final = "{http://arxiv.org/schemas/atom}"
_DOI_PREFIX: Final = "10.48550/arxiv."
_MAX_TITLE_CHARS: Final = 300


class ArxivPreprints(NetworkSource):
    """`{type: arxiv}`; authoritative for arXiv ids. `base_url` names another server of the same interface."""

    OPTIONS = ("base_url",)

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        super().__init__(options, base_dir)
        self._server = base_url(options, "base_url", "https://export.arxiv.org")

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The preprint of an id, or the one whose title is nearest.

        Raises:
            SourceInaccessible: arXiv cannot be asked.
        """
        arxiv_id, title = _queried_id(need.query), title_alone(need.query)
        if arxiv_id is not None:
            return await self._by_id(arxiv_id, need)
        if title is not None:
            return await self._by_title(title, need)
        return NotFound(source=_NAME, authoritative=False, covers=False)

    async def _by_id(self, arxiv_id: str, need: Lookup) -> Found | NotFound:
        params = {"id_list": arxiv_id, "max_results": "1"}
        for preprint in await self._ask(params, need):
            if arxiv_id in _ids(preprint):
                return self._found(arxiv_id, preprint)
        return NotFound(source=_NAME, authoritative=self._authoritative)

    async def _by_title(self, title: str, need: Lookup) -> Found | NotFound:
        words = fold(title)[:_MAX_TITLE_CHARS]
        params = {"search_query": f'ti:"{words}"', "max_results": "5"}
        nearest = nearest_by_title(title, await self._ask(params, need))
        if nearest is None:
            return NotFound(source=_NAME, authoritative=False)
        return self._found(_ids(nearest)[0], nearest)

    async def _ask(
        self, params: Mapping[str, str], need: Lookup
    ) -> list[dict[str, object]]:
        page = await self._fetcher.get(
            f"{self._server}/api/query", params=params, accept="application/atom+xml"
        )
        if page is None:
            raise SourceInaccessible("arXiv's interface is not there")
        preprints: list[dict[str, object]] = []
        for entry in _entries(page):
            # An error of arXiv is an entry too, whose id is no arXiv id.
            arxiv_id = normal("arxiv", entry.findtext(f"{_ATOM}id", ""))
            if arxiv_id is not None:
                preprints.append(_fields(arxiv_id, entry, want_text=need.want_text))
        return preprints

    def _found(self, arxiv_id: str, fields: Mapping[str, object]) -> Found:
        return Found(
            ref=f"https://arxiv.org/abs/{arxiv_id}",
            fields=fields,
            source=_NAME,
            authoritative=self._authoritative,
        )


def _queried_id(query: Mapping[str, str]) -> str | None:
    """The arXiv id of a query, which may be part of a DOI that arXiv registered."""
    if query.get("arxiv"):
        return query["arxiv"]
    doi = query.get("doi", "")
    return doi.removeprefix(_DOI_PREFIX) if doi.startswith(_DOI_PREFIX) else None


def _ids(fields: Mapping[str, object]) -> list[str]:
    return cast("dict[str, list[str]]", fields["ids"])["arxiv"]


def _entries(page: Page) -> list[ET.Element]:
    """The entries of a feed. A document type could define entities that expand without end; arXiv sends none."""
    if b"<!DOCTYPE" in page.body or b"<!ENTITY" in page.body:
        raise SourceInaccessible(
            "arXiv's answer declares a document type, which it never does"
        )
    try:
        root = ET.fromstring(page.body)  # noqa: S314 (no document type: see above)
    except ET.ParseError as error:
        raise SourceInaccessible(f"arXiv's answer is no Atom feed: {error}") from None
    if root.tag != f"{_ATOM}feed":
        # Another well-formed document, such as a captcha.
        raise SourceInaccessible("arXiv's answer is no Atom feed")
    return root.findall(f"{_ATOM}entry")


def _fields(arxiv_id: str, entry: ET.Element, *, want_text: bool) -> dict[str, object]:
    """The fields of `Found`."""
    dates = (entry.findtext(f"{_ATOM}published"), entry.findtext(f"{_ATOM}updated"))
    dois = [f"{_DOI_PREFIX}{arxiv_id}"]
    publisher_doi = normal("doi", entry.findtext(f"{_ARXIV}doi", ""))
    if publisher_doi:
        dois.append(publisher_doi)
    authors = entry.findall(f"{_ATOM}author")
    fields: dict[str, object] = {
        "title": _line(entry, "title"),
        "authors": [_line(author, "name") for author in authors],
        "years": years_of(dates),
        "venue": "arXiv",
        "ids": {"arxiv": [arxiv_id], "doi": dois},
        "schemes": ["arxiv"],
        "preprint": True,
    }
    if want_text:
        fields["text"] = _line(entry, "summary")
        fields["excerpt"] = True
    return fields


def _line(element: ET.Element, name: str) -> str:
    """The text of a child in one line."""
    return " ".join(element.findtext(f"{_ATOM}{name}", "").split())
