"""The evidence source `clinicaltrials`: studies by NCT number or title, from version 2 of the interface."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from judgemesh.contracts.identifiers import fold
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.contracts.references import plain
from judgemesh.mesh.sources.evidence.json_answers import (
    mapping_at,
    objects_at,
    without_empty,
    years_of,
)
from judgemesh.mesh.sources.evidence.titles import nearest_by_title, title_alone
from judgemesh.mesh.sources.http.source import NetworkSource
from judgemesh.mesh.sources.options import base_url
from judgemesh.mesh.sources.protocols import SourceInaccessible

_NAME: Final = "clinicaltrials"
_MAX_TITLE_CHARS: Final = 300
_DATES: Final = (
    "startDateStruct",
    "studyFirstPostDateStruct",
    "completionDateStruct",
    "lastUpdatePostDateStruct",
)


class ClinicalTrials(NetworkSource):
    """`{type: clinicaltrials}`; authoritative for NCT numbers. `base_url` names another server of that interface."""

    OPTIONS = ("base_url",)

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        super().__init__(options, base_dir)
        server = base_url(options, "base_url", "https://clinicaltrials.gov")
        self._studies_url = f"{server}/api/v2/studies"

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The study of an NCT number, or the one whose title is nearest.

        Raises:
            SourceInaccessible: ClinicalTrials.gov cannot be asked.
        """
        nct, title = need.query.get("nct"), title_alone(need.query)
        if nct is not None:
            return await self._by_number(nct, need)
        if title is not None:
            return await self._by_title(title, need)
        return NotFound(source=_NAME, authoritative=False, covers=False)

    async def _by_number(self, nct: str, need: Lookup) -> Found | NotFound:
        page = await self._fetcher.get(
            f"{self._studies_url}/{nct}", params={"format": "json"}
        )
        if page is None:
            return NotFound(source=_NAME, authoritative=self._authoritative)
        study = mapping_at(page.json())
        return self._found(nct, _fields(study, want_text=need.want_text))

    async def _by_title(self, title: str, need: Lookup) -> Found | NotFound:
        params = {
            "query.titles": fold(title)[:_MAX_TITLE_CHARS],
            "pageSize": "5",
            "format": "json",
        }
        page = await self._fetcher.get(self._studies_url, params=params)
        if page is None:
            raise SourceInaccessible("the search of ClinicalTrials.gov is not there")
        studies = [
            _fields(study, want_text=need.want_text)
            for study in objects_at(page.json(), "studies")
        ]
        nearest = nearest_by_title(title, studies)
        if nearest is None:
            return NotFound(source=_NAME, authoritative=False)
        ids: Any = nearest["ids"]
        return self._found(ids["nct"][0], nearest)

    def _found(self, nct: str, fields: Mapping[str, object]) -> Found:
        return Found(
            ref=f"https://clinicaltrials.gov/study/{nct}",
            fields=fields,
            source=_NAME,
            authoritative=self._authoritative,
        )


def _fields(study: Mapping[str, object], *, want_text: bool) -> dict[str, object]:
    """The fields of `Found`. A study has a short and an official title, and may be cited by the year of any date."""
    identification = mapping_at(study, "protocolSection", "identificationModule")
    status = mapping_at(study, "protocolSection", "statusModule")
    description = mapping_at(study, "protocolSection", "descriptionModule")
    short_title = plain(identification.get("briefTitle"))
    official_title = plain(identification.get("officialTitle"))
    years = years_of(mapping_at(status, name).get("date") for name in _DATES)
    fields: dict[str, object] = {
        "title": short_title,
        "titles": [title for title in (short_title, official_title) if title],
        "years": list(range(years[0], years[-1] + 1)) if years else [],
        "ids": {"nct": [plain(identification.get("nctId")).upper()]},
        "schemes": ["nct"],
    }
    if want_text:
        summary = str(description.get("briefSummary") or "")
        details = str(description.get("detailedDescription") or "")
        fields["text"] = f"{summary}\n{details}"
    return without_empty(fields)
