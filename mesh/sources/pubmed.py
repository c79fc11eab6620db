"""PubMed: articles by PMID, DOI or title, from the E-utilities."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from judgemesh.contracts.identifiers import fold, normal
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.contracts.references import plain, year_of
from judgemesh.mesh.sources.evidence import flag
from judgemesh.mesh.sources.fetch import Fetcher, Limits, Page
from judgemesh.mesh.sources.protocol import SourceInaccessible
from judgemesh.mesh.sources.rows import known_options
from judgemesh.mesh.sources.shapes import items_at, mapping_at, nearest, text_option_or

_UNKNOWN: Final = ("cannot get document summary", "invalid uid", "not found")


class PubmedArticles:
    """`{type: pubmed}`; authoritative for PMIDs. `api_key` raises the rate that NCBI allows."""

    remote = True

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:  # noqa: ARG002 (the protocol's)
        known_options(options, "base_url", "api_key", "authoritative", *Limits.OPTIONS)
        self._base = text_option_or(
            options, "base_url", "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
        )
        self._key = (
            {"api_key": text_option_or(options, "api_key", "")}
            if options.get("api_key")
            else {}
        )
        self._authoritative = flag(options, "authoritative", default=True)
        self._fetcher = Fetcher(Limits.of(options))

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The article of a PMID, or one found by DOI or title.

        Raises:
            SourceInaccessible: PubMed cannot be asked.
        """
        query = need.query
        if "pmid" in query:
            found = await self._summaries([query["pmid"]])
            if not found:
                return NotFound(source="pubmed", authoritative=self._authoritative)
            return await self._found(found[0], need)
        if "doi" in query:
            found = await self._summaries(await self._search(f'"{query["doi"]}"[DOI]'))
            same = [
                one
                for one in found
                if query["doi"]
                in cast("Mapping[str, list[str]]", one["ids"]).get("doi", [])
            ]
            return await self._found(same[0], need) if same else _missing(covers=False)
        if "title" in query and not any(
            scheme in query for scheme in ("arxiv", "nct", "isbn", "url")
        ):
            best = nearest(
                query["title"],
                await self._summaries(
                    await self._search(f"{fold(query['title'])[:300]}[Title]")
                ),
            )
            return await self._found(best, need) if best else _missing(covers=True)
        return _missing(covers=False)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._fetcher.aclose()

    async def _ask(self, tool: str, params: Mapping[str, str]) -> Page:
        page = await self._fetcher.get(
            f"{self._base}/{tool}.fcgi", params={"db": "pubmed", **params, **self._key}
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
            [str(one) for one in cast("list[object]", ids)]
            if isinstance(ids, list)
            else []
        )

    async def _summaries(self, ids: list[str]) -> list[dict[str, object]]:
        """The articles that exist. An error that does not say "no such article" is not taken for one."""
        if not ids:
            return []
        page = await self._ask("esummary", {"id": ",".join(ids), "retmode": "json"})
        data = page.json()
        result = mapping_at(data, "result")
        found: list[dict[str, object]] = []
        for one in ids:
            article = mapping_at(result, one)
            error = plain(article.get("error")) or plain(mapping_at(data).get("error"))
            if article and not error:
                found.append(_fields(one, article))
            elif not any(words in error.casefold() for words in _UNKNOWN):
                raise SourceInaccessible(
                    f"PubMed answered: {error[:200] or 'nothing about the article'}"
                )
        return found

    async def _found(self, fields: Mapping[str, object], need: Lookup) -> Found:
        pmid = cast("Mapping[str, list[str]]", fields["ids"])["pmid"][0]
        if need.want_text:
            page = await self._ask(
                "efetch", {"id": pmid, "rettype": "abstract", "retmode": "text"}
            )
            fields = {
                **fields,
                "text": page.body.decode("utf-8", "replace"),
                "excerpt": True,
            }
        return Found(
            ref=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
            fields=fields,
            source="pubmed",
            authoritative=self._authoritative,
        )


def _missing(*, covers: bool) -> NotFound:
    return NotFound(source="pubmed", authoritative=False, covers=covers)


def _fields(pmid: str, article: Mapping[str, object]) -> dict[str, object]:
    ids: dict[str, list[str]] = {"pmid": [pmid]}
    for one in items_at(article, "articleids"):
        if one.get("idtype") == "doi" and (
            doi := normal("doi", plain(one.get("value")))
        ):
            ids["doi"] = [doi]
    dates = (article.get("pubdate"), article.get("epubdate"))
    return {
        "title": plain(article.get("title")).rstrip("."),
        "authors": [plain(one.get("name")) for one in items_at(article, "authors")],
        "years": sorted({year for date in dates if (year := year_of(date))}),
        "venue": plain(article.get("fulljournalname")) or plain(article.get("source")),
        "ids": ids,
        "schemes": ["pmid"],
    }
