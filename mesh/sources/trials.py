"""ClinicalTrials.gov: studies by NCT number or title, from its interface version 2."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from judgemesh.contracts.identifiers import fold
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.contracts.references import plain, year_of
from judgemesh.mesh.sources.evidence import flag
from judgemesh.mesh.sources.fetch import Fetcher, Limits
from judgemesh.mesh.sources.protocol import SourceInaccessible
from judgemesh.mesh.sources.rows import known_options
from judgemesh.mesh.sources.shapes import items_at, mapping_at, nearest, text_option_or

_DATES: Final = (
    "startDateStruct",
    "studyFirstPostDateStruct",
    "completionDateStruct",
    "lastUpdatePostDateStruct",
)


class ClinicalTrials:
    """`{type: clinicaltrials}`; authoritative for NCT numbers. `base_url` names another server of that interface."""

    remote = True

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:  # noqa: ARG002 (the protocol's)
        known_options(options, "base_url", "authoritative", *Limits.OPTIONS)
        self._base = text_option_or(options, "base_url", "https://clinicaltrials.gov")
        self._authoritative = flag(options, "authoritative", default=True)
        self._fetcher = Fetcher(Limits.of(options))

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The study of an NCT number, or the one whose title is nearest.

        Raises:
            SourceInaccessible: ClinicalTrials.gov cannot be asked.
        """
        query = need.query
        if "nct" in query:
            page = await self._fetcher.get(
                f"{self._base}/api/v2/studies/{query['nct']}", params={"format": "json"}
            )
            if page is None:
                return NotFound(
                    source="clinicaltrials", authoritative=self._authoritative
                )
            return self._found(
                study_fields(mapping_at(page.json()), want_text=need.want_text),
                query["nct"],
            )
        if "title" in query and not any(
            scheme in query for scheme in ("doi", "arxiv", "pmid", "isbn", "url")
        ):
            page = await self._fetcher.get(
                f"{self._base}/api/v2/studies",
                params={
                    "query.titles": fold(query["title"])[:300],
                    "pageSize": "5",
                    "format": "json",
                },
            )
            if page is None:
                raise SourceInaccessible(
                    "the search of ClinicalTrials.gov is not there"
                )
            found = [
                study_fields(one, want_text=need.want_text)
                for one in items_at(page.json(), "studies")
            ]
            best = nearest(query["title"], found)
            if best:
                return self._found(best, str(best.get("nct", "")))
            return NotFound(source="clinicaltrials", authoritative=False)
        return NotFound(source="clinicaltrials", authoritative=False, covers=False)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._fetcher.aclose()

    def _found(self, fields: Mapping[str, object], nct: str) -> Found:
        shown = {name: value for name, value in fields.items() if name != "nct"}
        return Found(
            ref=f"https://clinicaltrials.gov/study/{nct}",
            fields=shown,
            source="clinicaltrials",
            authoritative=self._authoritative,
        )


def study_fields(study: Mapping[str, object], *, want_text: bool) -> dict[str, object]:
    """The fields of `Found`. A study has a short and an official title; a year may be that of any of its dates."""
    named = mapping_at(study, "protocolSection", "identificationModule")
    status = mapping_at(study, "protocolSection", "statusModule")
    told = mapping_at(study, "protocolSection", "descriptionModule")
    nct = plain(named.get("nctId")).upper()
    years = sorted(
        {
            year
            for name in _DATES
            if (year := year_of(mapping_at(status, name).get("date")))
        }
    )
    fields: dict[str, object] = {
        "nct": nct,
        "title": plain(named.get("briefTitle")),
        "titles": [
            title
            for title in (
                plain(named.get("briefTitle")),
                plain(named.get("officialTitle")),
            )
            if title
        ],
        "years": list(range(years[0], years[-1] + 1)) if years else [],
        "ids": {"nct": [nct]},
        "schemes": ["nct"],
    }
    if want_text:
        fields["text"] = "\n".join(
            str(told.get(name) or "")
            for name in ("briefSummary", "detailedDescription")
        )
    return {name: value for name, value in fields.items() if value}
