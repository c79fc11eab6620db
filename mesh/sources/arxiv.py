"""arXiv: preprints by id or title, from its Atom interface."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast
from xml.etree import ElementTree as ET

from judgemesh.contracts.identifiers import fold, normal
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.contracts.references import year_of
from judgemesh.mesh.sources.evidence import flag
from judgemesh.mesh.sources.fetch import Fetcher, Limits, Page
from judgemesh.mesh.sources.protocol import SourceInaccessible
from judgemesh.mesh.sources.rows import known_options
from judgemesh.mesh.sources.shapes import nearest, text_option_or

_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_ARXIV: Final = "{http://arxiv.org/schemas/atom}"
_DOI: Final = "10.48550/arxiv."


class ArxivPreprints:
    """`{type: arxiv}`; authoritative for arXiv ids. `base_url` names another server of the same interface."""

    remote = True

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:  # noqa: ARG002 (the protocol's)
        known_options(options, "base_url", "authoritative", *Limits.OPTIONS)
        self._base = text_option_or(options, "base_url", "https://export.arxiv.org")
        self._authoritative = flag(options, "authoritative", default=True)
        self._fetcher = Fetcher(Limits.of(options))

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The preprint of an id, or the one whose title is nearest.

        Raises:
            SourceInaccessible: arXiv cannot be asked.
        """
        query = need.query
        doi = query.get("doi", "")
        arxiv = query.get("arxiv") or (
            doi.removeprefix(_DOI) if doi.startswith(_DOI) else None
        )
        if arxiv is not None:
            found = await self._ask({"id_list": arxiv, "max_results": "1"}, need)
            same = [one for one in found if arxiv in _ids(one)]
            return (
                self._found(arxiv, same[0])
                if same
                else NotFound(source="arxiv", authoritative=self._authoritative)
            )
        if "title" in query and not any(
            scheme in query for scheme in ("doi", "pmid", "nct", "isbn", "url")
        ):
            words = fold(query["title"])[:300]
            best = nearest(
                query["title"],
                await self._ask(
                    {"search_query": f'ti:"{words}"', "max_results": "5"}, need
                ),
            )
            return (
                self._found(_ids(best)[0], best)
                if best
                else NotFound(source="arxiv", authoritative=False)
            )
        return NotFound(source="arxiv", authoritative=False, covers=False)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._fetcher.aclose()

    async def _ask(
        self, params: Mapping[str, str], need: Lookup
    ) -> list[dict[str, object]]:
        page = await self._fetcher.get(
            f"{self._base}/api/query", params=params, accept="application/atom+xml"
        )
        if page is None:
            raise SourceInaccessible("arXiv's interface is not there")
        return [
            fields
            for entry in _entries(page)
            if (fields := _fields(entry, want_text=need.want_text))
        ]

    def _found(self, arxiv: str, fields: Mapping[str, object]) -> Found:
        return Found(
            ref=f"https://arxiv.org/abs/{arxiv}",
            fields=fields,
            source="arxiv",
            authoritative=self._authoritative,
        )


def _ids(fields: Mapping[str, object]) -> list[str]:
    return cast("dict[str, list[str]]", fields["ids"])["arxiv"]


def _entries(page: Page) -> list[ET.Element]:
    """The entries of a feed. A document type could define entities that grow without end; arXiv sends none."""
    if b"<!DOCTYPE" in page.body or b"<!ENTITY" in page.body:
        raise SourceInaccessible(
            "arXiv's answer declares a document type, which it never does"
        )
    try:
        root = ET.fromstring(page.body)  # noqa: S314 (no document type: see above)
    except ET.ParseError as fault:
        raise SourceInaccessible(f"arXiv's answer is no Atom feed: {fault}") from None
    if root.tag != f"{_ATOM}feed":
        raise SourceInaccessible(
            "arXiv's answer is no Atom feed"
        )  # a captcha may be well-formed
    return root.findall(f"{_ATOM}entry")


def _fields(entry: ET.Element, *, want_text: bool) -> dict[str, object]:
    """The fields of `Found`; none for arXiv's way to report an error, which is an entry too."""
    address = entry.findtext(f"{_ATOM}id", "")
    arxiv = normal("arxiv", address)
    if arxiv is None:
        return {}
    dates = (entry.findtext(f"{_ATOM}published"), entry.findtext(f"{_ATOM}updated"))
    doi = entry.findtext(f"{_ARXIV}doi", "")
    dois = [f"{_DOI}{arxiv}", *filter(None, [normal("doi", doi)])]
    fields: dict[str, object] = {
        "title": " ".join(entry.findtext(f"{_ATOM}title", "").split()),
        "authors": [
            " ".join(one.findtext(f"{_ATOM}name", "").split())
            for one in entry.findall(f"{_ATOM}author")
        ],
        "years": sorted({year for date in dates if (year := year_of(date))}),
        "venue": "arXiv",
        "ids": {"arxiv": [arxiv], "doi": dois},
        "schemes": ["arxiv"],
        "preprint": True,
    }
    if want_text:
        fields["text"] = " ".join(entry.findtext(f"{_ATOM}summary", "").split())
        fields["excerpt"] = True
    return fields
