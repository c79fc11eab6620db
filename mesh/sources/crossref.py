"""DOIs: metadata from Crossref and DataCite, existence from the handle system behind doi.org.

Only the handle system knows every DOI, so only its "no" is authoritative; Crossref's is not, because other agencies
register DOIs too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, cast
from urllib.parse import quote

from judgemesh.contracts.identifiers import fold
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.contracts.references import authors_of, plain, year_of
from judgemesh.mesh.sources.evidence import flag
from judgemesh.mesh.sources.fetch import Fetcher, Limits
from judgemesh.mesh.sources.protocol import SourceInaccessible
from judgemesh.mesh.sources.rows import known_options
from judgemesh.mesh.sources.shapes import items_at, mapping_at, nearest, text_option_or

_DATES: Final = (
    "issued",
    "published",
    "published-print",
    "published-online",
    "created",
)
_HANDLE_FOUND: Final = 1
_HANDLE_MISSING: Final = 100
_ARXIV_DOI: Final = "10.48550/arxiv."


class CrossrefDois:
    """`{type: crossref}`. `base_url`, `datacite_url` and `handle_url` name other servers of the same interfaces."""

    remote = True

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:  # noqa: ARG002 (the protocol's)
        known_options(
            options,
            "base_url",
            "datacite_url",
            "handle_url",
            "mailto",
            "authoritative",
            *Limits.OPTIONS,
        )
        self._works = text_option_or(options, "base_url", "https://api.crossref.org")
        self._datacite = text_option_or(
            options, "datacite_url", "https://api.datacite.org"
        )
        self._handles = text_option_or(
            options, "handle_url", "https://doi.org/api/handles"
        )
        self._mailto = (
            {"mailto": text_option_or(options, "mailto", "")}
            if options.get("mailto")
            else {}
        )
        self._authoritative = flag(options, "authoritative", default=True)
        self._fetcher = Fetcher(Limits.of(options))

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The work of a DOI, or the one whose title is nearest.

        Raises:
            SourceInaccessible: a server that has to be asked cannot be.
        """
        doi, title = need.query.get("doi"), need.query.get("title")
        if doi is not None:
            return await self._by_doi(doi)
        if title is not None and not any(
            scheme in need.query for scheme in ("arxiv", "pmid", "nct", "isbn", "url")
        ):
            return await self._by_title(need.query)
        return NotFound(source="crossref", authoritative=False, covers=False)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._fetcher.aclose()

    async def _by_doi(self, doi: str) -> Found | NotFound:
        path = quote(doi, safe="")
        page = await self._fetcher.get(
            f"{self._works}/works/{path}", params=self._mailto or None
        )
        if page is not None:
            return self._found(doi, crossref_fields(mapping_at(page.json(), "message")))
        page = await self._fetcher.get(f"{self._datacite}/dois/{path}")
        if page is not None:
            return self._found(
                doi, datacite_fields(mapping_at(page.json(), "data", "attributes"))
            )
        page = await self._fetcher.get(f"{self._handles}/{quote(doi, safe='/')}")
        code = (
            None
            if page is None
            else cast("Mapping[str, object]", page.json()).get("responseCode")
        )
        if page is None or code == _HANDLE_MISSING:
            return NotFound(source="doi.org", authoritative=self._authoritative)
        if code != _HANDLE_FOUND:
            raise SourceInaccessible(f"doi.org answered with response code {code!r}")
        return self._found(doi, {})

    async def _by_title(self, query: Mapping[str, str]) -> Found | NotFound:
        words = " ".join(
            filter(
                None,
                (
                    query["title"][:400],
                    query.get("author", "")[:100],
                    query.get("year", ""),
                ),
            )
        )
        page = await self._fetcher.get(
            f"{self._works}/works",
            params={"query.bibliographic": words, "rows": "5", **self._mailto},
        )
        if page is None:
            raise SourceInaccessible("the search of Crossref is not there")
        found = [
            crossref_fields(item) for item in items_at(page.json(), "message", "items")
        ]
        best = nearest(query["title"], found)
        if best is None:
            return NotFound(source="crossref", authoritative=False)
        return self._found(
            next(iter(cast("Mapping[str, list[str]]", best["ids"])["doi"]), ""), best
        )

    def _found(self, doi: str, fields: Mapping[str, object]) -> Found:
        return Found(
            ref=f"https://doi.org/{doi}",
            fields={"ids": {"doi": [doi]}, **fields, "schemes": ["doi"]},
            source="crossref",
            authoritative=self._authoritative,
        )


def crossref_fields(work: Mapping[str, object]) -> dict[str, object]:
    """The fields of `Found` out of a work as Crossref describes it."""
    title, subtitle = plain(work.get("title")), plain(work.get("subtitle"))
    if subtitle and fold(subtitle) not in fold(title):
        title = f"{title}: {subtitle}"
    years = {year for name in _DATES[:-1] if (year := year_of(work.get(name)))}
    years = years or {year for year in (year_of(work.get("created")),) if year}
    return _kept(
        title=title,
        authors=list(authors_of(work.get("author"))[0]),
        years=sorted(years),
        venue=plain(work.get("container-title")),
        ids={"doi": [doi]} if (doi := plain(work.get("DOI")).casefold()) else {},
        preprint=work.get("type") == "posted-content",
    )


def datacite_fields(data: Mapping[str, object]) -> dict[str, object]:
    """The same out of DataCite's attributes."""
    creators = cast("Sequence[object]", data.get("creators") or [])
    named = [
        cast("Mapping[str, object]", one)
        for one in creators
        if isinstance(one, Mapping)
    ]
    doi = plain(data.get("doi")).casefold()
    return _kept(
        title=next((plain(one.get("title")) for one in items_at(data, "titles")), ""),
        authors=[
            f"{plain(one.get('familyName'))}, {plain(one.get('givenName'))}"
            if one.get("familyName")
            else plain(one.get("name"))
            for one in named
        ],
        years=[year] if (year := year_of(data.get("publicationYear"))) else [],
        venue=plain(data.get("publisher")),
        ids={"doi": [doi]} if doi else {},
        preprint=doi.startswith(_ARXIV_DOI)
        or mapping_at(data, "types").get("resourceTypeGeneral") == "Preprint",
    )


def _kept(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value}
