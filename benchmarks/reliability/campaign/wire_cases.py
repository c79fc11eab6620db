"""Answers on the wire that are refused, cut off, or of the wrong kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from reliability.campaign.case import Case

from judgemesh.mesh.testing.faults import WireFault

_GRADED: Final = ("--no-preflight",)
_ANSWERS_OF_RECORDS: Final = frozenset({WireFault.NO_USAGE, WireFault.STATUS_404})
"""No faults: a service of records says with 404 that it knows no such run."""
_ANSWERS_OF_PAGES: Final = _ANSWERS_OF_RECORDS | {
    WireFault.HTML,
    WireFault.JSON_LIST,
    WireFault.TRUNCATED_JSON,
    WireFault.WRONG_CHARSET,
    WireFault.WRONG_SCHEMA,
}
"""No faults either: a whole page with other words is a page without the quote. A byte order mark outdoes a charset."""


def wire_cases() -> Iterator[Case]:
    """All cases of a judge, a service of records, and cited pages."""
    for fault in WireFault:
        yield _spoilt("judge", "preflight of the judge", fault, 1, task="judged")
        for at in (1, 2, 4):
            yield _spoilt("judge", "judge's answers", fault, at, task="judged")
        yield _spoilt("judge", "judge's answers", fault, 2, task="judged", lasting=True)
    for fault in sorted(frozenset(WireFault) - _ANSWERS_OF_RECORDS):
        yield _spoilt("pages", "preflight of the records", fault, 1, task="http")
        for at in (1, 2):
            yield _spoilt("pages", "service of records", fault, at, task="http")
        yield _spoilt(
            "pages", "service of records", fault, 1, task="http", lasting=True
        )
    for fault in sorted(frozenset(WireFault) - _ANSWERS_OF_PAGES):
        yield _spoilt("pages", "cited pages", fault, 1, task="page", lasting=True)


def _spoilt(
    server: str,
    seam: str,
    fault: WireFault,
    at: int,
    *,
    task: str,
    lasting: bool = False,
) -> Case:
    return Case(
        seam=seam,
        kind=fault.value,
        moment=f"{at}{'+' * lasting}",
        wire={server: {"fault": fault.value, "at": at, "lasting": lasting}},
        tasks=(task, "plain"),
        arguments=() if seam.startswith("preflight") else _GRADED,
    )
