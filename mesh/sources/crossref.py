"""The evidence source `crossref` (also `doi`): metadata from Crossref and DataCite, existence from doi.org.

Only the handle system behind doi.org knows every DOI, so only its "no" is authoritative; Crossref's is not, because
other agencies register DOIs too.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast
from urllib.parse import quote

from judgemesh.contracts.identifiers import fold
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.contracts.references import authors_of, plain
from judgemesh.mesh.sources.evidence.json_answers import (
    mapping_at,
    objects_at,
    without_empty,
    years_of,
)
from judgemesh.mesh.sources.evidence.titles import nearest_by_title, title_alone
from judgemesh.mesh.sources.http.source import NetworkSource
from judgemesh.mesh.sources.options import base_url, optional_parameter
from judgemesh.mesh.sources.protocols import SourceInaccessible

_NAME: Final = "crossref"
_DATES: Final = ("issued", "published", "published-print", "published-online")
_HANDLE_EXISTS: Final = 1
_HANDLE_MISSING: Final = 100
_ARXIV_DOI_PREFIX: Final = "10.48550/arxiv."
_MAX_TITLE_CHARS: Final = 400
_MAX_AUTHOR_CHARS: Final = 100


class CrossrefDois(NetworkSource):
    """`{type: crossref}`. `base_url`, `datacite_url` and `handle_url` name other servers of the same interfaces."""

    OPTIONS = ("base_url", "datacite_url", "handle_url", "mailto")

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        super().__init__(options, base_dir)
        self._crossref = base_url(options, "base_url", "https://api.crossref.org")
        self._datacite = base_url(options, "datacite_url", "https://api.datacite.org")
        self._handles = base_url(options, "handle_url", "https://doi.org/api/handles")
        self._mailto = optional_parameter(options, "mailto")

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The work of a DOI, or the one whose title is nearest.

        Raises:
            SourceInaccessible: a server that has to be asked cannot be.
        """
        doi, title = need.query.get("doi"), title_alone(need.query)
        if doi is not None:
            return await self._by_doi(doi)
        if title is not None:
            return await self._by_title(title, need.query)
        return NotFound(source=_NAME, authoritative=False, covers=False)

    async def _by_doi(self, doi: str) -> Found | NotFound:
        path = quote(doi, safe="")
        page = await self._fetcher.get(
            f"{self._crossref}/works/{path}", params=self._mailto or None
        )
        if page is not None:
            return self._found(
                doi, _crossref_fields(mapping_at(page.json(), "message"))
            )
        page = await self._fetcher.get(f"{self._datacite}/dois/{path}")
        if page is not None:
            attributes = mapping_at(page.json(), "data", "attributes")
            return self._found(doi, _datacite_fields(attributes))
        if await self._is_registered(doi):
            return self._found(doi, {})
        return NotFound(source="doi.org", authoritative=self._authoritative)

    async def _is_registered(self, doi: str) -> bool:
        """Whether the handle system knows the DOI."""
        page = await self._fetcher.get(f"{self._handles}/{quote(doi, safe='/')}")
        if page is None:
            return False
        code = cast("Mapping[str, object]", page.json()).get("responseCode")
        if code not in (_HANDLE_EXISTS, _HANDLE_MISSING):
            raise SourceInaccessible(f"doi.org answered with response code {code!r}")
        return code == _HANDLE_EXISTS

    async def _by_title(self, title: str, query: Mapping[str, str]) -> Found | NotFound:
        author, year = query.get("author", ""), query.get("year", "")
        words = (title[:_MAX_TITLE_CHARS], author[:_MAX_AUTHOR_CHARS], year)
        params = {
            "query.bibliographic": " ".join(filter(None, words)),
            "rows": "5",
            **self._mailto,
        }
        page = await self._fetcher.get(f"{self._crossref}/works", params=params)
        if page is None:
            raise SourceInaccessible("the search of Crossref is not there")
        items = objects_at(page.json(), "message", "items")
        nearest = nearest_by_title(title, [_crossref_fields(item) for item in items])
        if nearest is None:
            return NotFound(source=_NAME, authoritative=False)
        dois = cast("Mapping[str, list[str]]", nearest["ids"])["doi"]
        return self._found(dois[0], nearest)

    def _found(self, doi: str, fields: Mapping[str, object]) -> Found:
        return Found(
            ref=f"https://doi.org/{doi}",
            fields={"ids": {"doi": [doi]}, **fields, "schemes": ["doi"]},
            source=_NAME,
            authoritative=self._authoritative,
        )


def _crossref_fields(work: Mapping[str, object]) -> dict[str, object]:
    """The fields of `Found` out of a work as Crossref describes it."""
    title, subtitle = plain(work.get("title")), plain(work.get("subtitle"))
    if subtitle and fold(subtitle) not in fold(title):
        title = f"{title}: {subtitle}"
    authors, _ = authors_of(work.get("author"))
    years = years_of(work.get(name) for name in _DATES)
    return without_empty(
        {
            "title": title,
            "authors": list(authors),
            "years": years or years_of([work.get("created")]),
            "venue": plain(work.get("container-title")),
            "ids": _doi_ids(work.get("DOI")),
            "preprint": work.get("type") == "posted-content",
        }
    )


def _datacite_fields(attributes: Mapping[str, object]) -> dict[str, object]:
    """The fields of `Found` out of DataCite's attributes."""
    titles = objects_at(attributes, "titles")
    creators = objects_at(attributes, "creators")
    doi = plain(attributes.get("doi")).casefold()
    general_type = mapping_at(attributes, "types").get("resourceTypeGeneral")
    return without_empty(
        {
            "title": plain(titles[0].get("title")) if titles else "",
            "authors": [_creator_name(creator) for creator in creators],
            "years": years_of([attributes.get("publicationYear")]),
            "venue": plain(attributes.get("publisher")),
            "ids": _doi_ids(doi),
            "preprint": doi.startswith(_ARXIV_DOI_PREFIX) or general_type == "Preprint",
        }
    )


def _doi_ids(value: object) -> dict[str, list[str]]:
    doi = plain(value).casefold()
    return {"doi": [doi]} if doi else {}


def _creator_name(creator: Mapping[str, object]) -> str:
    if creator.get("familyName"):
        return f"{plain(creator.get('familyName'))}, {plain(creator.get('givenName'))}"
    return plain(creator.get("name"))
