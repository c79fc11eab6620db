"""The evidence source `pubmed`: articles by PMID, DOI or title, from the E-utilities."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from judgemesh.contracts.identifiers import fold, normal
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.contracts.references import plain
from judgemesh.mesh.sources.evidence.json_answers import (
    mapping_at,
    objects_at,
    years_of,
)
from judgemesh.mesh.sources.evidence.titles import nearest_by_title, title_alone
from judgemesh.mesh.sources.http.fetcher import Page
from judgemesh.mesh.sources.http.source import NetworkSource
from judgemesh.mesh.sources.options import base_url, optional_parameter
from judgemesh.mesh.sources.protocols import SourceInaccessible

_NAME: Final = "pubmed"
_SERVER: Final = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
_NO_SUCH_ARTICLE: Final = (
    "cannot get document summary",
    "invalid uid",
    "not found",
)
_MAX_TITLE_CHARS: Final = 300
_MAX_ERROR_CHARS: Final = 200


class PubmedArticles(NetworkSource):
    """`{type: pubmed}`; authoritative for PMIDs. `api_key` raises the rate that NCBI allows."""

    OPTIONS = ("base_url", "api_key")

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        super().__init__(options, base_dir)
        self._server = base_url(options, "base_url", _SERVER)
        self._key = optional_parameter(options, "api_key")

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The article of a PMID, or one found by DOI or title.

        Raises:
            SourceInaccessible: PubMed cannot be asked.
        """
        query = need.query
        if "pmid" in query:
            articles = await self._summaries([query["pmid"]])
            if articles:
                return await self._found(articles[0], need)
            return NotFound(source=_NAME, authoritative=self._authoritative)
        if "doi" in query:
            article = await self._by_doi(query["doi"])
            # PubMed does not hold every DOI, so it cannot say that one does not exist.
            missing = NotFound(source=_NAME, authoritative=False, covers=False)
            return missing if article is None else await self._found(article, need)
        title = title_alone(query)
        if title is None:
            return NotFound(source=_NAME, authoritative=False, covers=False)
        ids = await self._search(f"{fold(title)[:_MAX_TITLE_CHARS]}[Title]")
        nearest = nearest_by_title(title, await self._summaries(ids))
        if nearest is None:
            return NotFound(source=_NAME, authoritative=False)
        return await self._found(nearest, need)

    async def _by_doi(self, doi: str) -> Mapping[str, object] | None:
        ids = await self._search(f'"{doi}"[DOI]')
        for article in await self._summaries(ids):
            if doi in _ids(article).get("doi", []):
                return article
        return None

    async def _ask(self, tool: str, params: Mapping[str, str]) -> Page:
        page = await self._fetcher.get(
            f"{self._server}/{tool}.fcgi",
            params={"db": "pubmed", **params, **self._key},
        )
        if page is None:
            raise SourceInaccessible("the interface of PubMed is not there")
        return page

    async def _search(self, term: str) -> list[str]:
        page = await self._ask(
            "esearch", {"term": term, "retmode": "json", "retmax": "5"}
        )
        ids = mapping_at(page.json(), "esearchresult").get("idlist")
        return (
            list(map(str, cast("list[object]", ids))) if isinstance(ids, list) else []
        )

    async def _summaries(self, ids: list[str]) -> list[dict[str, object]]:
        """The articles that exist.

        Raises:
            SourceInaccessible: PubMed answers with an error that does not say "no such article".
        """
        if not ids:
            return []
        page = await self._ask("esummary", {"id": ",".join(ids), "retmode": "json"})
        data = page.json()
        summaries = mapping_at(data, "result")
        articles: list[dict[str, object]] = []
        for pmid in ids:
            summary = mapping_at(summaries, pmid)
            error = plain(summary.get("error")) or plain(mapping_at(data).get("error"))
            if summary and not error:
                articles.append(_fields(pmid, summary))
            elif not any(phrase in error.casefold() for phrase in _NO_SUCH_ARTICLE):
                why = error[:_MAX_ERROR_CHARS] or "nothing about the article"
                raise SourceInaccessible(f"PubMed answered: {why}")
        return articles

    async def _found(self, fields: Mapping[str, object], need: Lookup) -> Found:
        pmid = _ids(fields)["pmid"][0]
        if need.want_text:
            page = await self._ask(
                "efetch", {"id": pmid, "rettype": "abstract", "retmode": "text"}
            )
            abstract = page.body.decode("utf-8", "replace")
            fields = {**fields, "text": abstract, "excerpt": True}
        return Found(
            ref=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
            fields=fields,
            source=_NAME,
            authoritative=self._authoritative,
        )


def _ids(fields: Mapping[str, object]) -> Mapping[str, list[str]]:
    return cast("Mapping[str, list[str]]", fields["ids"])


def _fields(pmid: str, summary: Mapping[str, object]) -> dict[str, object]:
    """The fields of `Found`."""
    ids: dict[str, list[str]] = {"pmid": [pmid]}
    for article_id in objects_at(summary, "articleids"):
        doi = normal("doi", plain(article_id.get("value")))
        if article_id.get("idtype") == "doi" and doi:
            ids["doi"] = [doi]
    authors = objects_at(summary, "authors")
    journal = plain(summary.get("fulljournalname")) or plain(summary.get("source"))
    return {
        "title": plain(summary.get("title")).rstrip("."),
        "authors": [plain(author.get("name")) for author in authors],
        "years": years_of((summary.get("pubdate"), summary.get("epubdate"))),
        "venue": journal,
        "ids": ids,
        "schemes": ["pmid"],
    }
