"""Answers on the wire that are refused, cut off, or of the wrong kind."""

from __future__ import annotations

from collections.abc import Iterator

from reliability.campaign.case import Case

from judgemesh.mesh.testing.faults import WireFault

_GRADED: tuple[str, ...] = ("--no-preflight",)


def wire_cases() -> Iterator[Case]:
    """All cases of a judge, a service of records, and cited pages."""
    for fault in WireFault:
        yield _spoilt("judge", "preflight of the judge", fault, 1, task="judged")
        for at in (1, 2, 4):
            yield _spoilt("judge", "judge's answers", fault, at, task="judged")
        yield _spoilt("judge", "judge's answers", fault, 2, task="judged", lasting=True)
        if fault is WireFault.NO_USAGE:
            continue
        yield _spoilt("pages", "preflight of the records", fault, 1, task="http")
        for at in (1, 2):
            yield _spoilt("pages", "service of records", fault, at, task="http")
        for seam, task in (("service of records", "http"), ("cited pages", "page")):
            yield _spoilt("pages", seam, fault, 1, task=task, lasting=True)


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
