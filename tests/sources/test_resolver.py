"""Look-ups in the ledger: asked once, kept with their time, replayed offline; without network nothing is "not found"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from judgemesh.contracts.attempts import LookupContext, SourceLookup
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Found, Lookup, NotFound, Unanswered
from judgemesh.contracts.report import Report
from judgemesh.mesh import Mesh
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.sources.answer_cache import AnswerCache, CachedAnswer
from judgemesh.mesh.sources.resolver import SourceResolver

from .servers import Asked, as_json, serving

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORK = {
    "DOI": "10.5555/fox",
    "title": ["Foxes and Their Dogs"],
    "author": [{"given": "Ann", "family": "Fox"}],
    "issued": {"date-parts": [[2020]]},
}


async def works(asked: Asked) -> bytes:
    await anyio.sleep(0.01)
    return (
        as_json({"message": WORK})
        if asked.path.endswith("/fox")
        else as_json({}, status=404)
    )


class Clock:
    """A time that the test moves."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def source(url: str) -> dict[str, object]:
    return {
        "type": "crossref",
        "base_url": url,
        "datacite_url": url,
        "handle_url": url,
        "allow_hosts": ["127.0.0.1"],
        "timeout_s": 5,
    }


async def test_an_answer_is_kept_in_the_ledger_with_its_time_and_replayed_offline(
    tmp_path: Path,
) -> None:
    rows: list[SourceLookup] = []
    clock = Clock()

    async def record(row: SourceLookup) -> None:
        rows.append(row)

    context = LookupContext(validator_name="citations", record=record)
    async with (
        await Ledger.open(str(tmp_path / "l.db")) as ledger,
        serving(works) as server,
    ):
        found, missing = (
            Lookup(source=source(server.url), query={"doi": doi})
            for doi in ("10.5555/fox", "10.5555/none")
        )
        online = SourceResolver(ledger, clock=clock)
        first = [
            await online.lookup(need, tmp_path, context) for need in (found, missing)
        ]
        await online.aclose()
        number = len(server.asked)
        clock.now = NOW + timedelta(days=400)
        offline = SourceResolver(ledger, offline=True, clock=clock)
        again = [
            await offline.lookup(need, tmp_path, context) for need in (found, missing)
        ]
        unheard = await offline.lookup(
            Lookup(source=source(server.url), query={"doi": "10.5555/new"}),
            tmp_path,
            context,
        )
        await offline.aclose()
        assert len(server.asked) == number
        stale = SourceResolver(ledger, clock=clock)
        await stale.lookup(found, tmp_path, context)
        await stale.aclose()
        assert len(server.asked) == number + 1
    assert again == first
    assert isinstance(first[0], Found)
    assert isinstance(first[1], NotFound)
    assert isinstance(unheard, Unanswered)
    assert unheard.inaccessible
    assert [(row.status, row.cache_hit) for row in rows] == [
        ("found", False), ("not_found", False), ("found", True), ("not_found", True), ("unanswered", False), ("found", False)
    ]  # fmt: skip
    assert {row.answered_at for row in rows[:4]} == {NOW}


async def test_one_question_of_many_results_is_asked_once(tmp_path: Path) -> None:
    async def record(row: SourceLookup) -> None:
        """Nobody reads it."""

    async with serving(works) as server:
        resolver = SourceResolver()
        need = Lookup(source=source(server.url), query={"doi": "10.5555/fox"})
        async with anyio.create_task_group() as group:
            for name in "abcdef":
                group.start_soon(
                    resolver.lookup,
                    need,
                    tmp_path,
                    LookupContext(validator_name=name, record=record),
                )
        await resolver.aclose()
    assert len(server.asked) == 1


def contract(url: str) -> EvalContract:
    return EvalContract.model_validate(
        {"task_id": "t", "evidence": {"sources": [source(url)]}}
    )


RESULT: dict[str, Any] = {
    "result_id": "r",
    "task_id": "t",
    "output": {
        "final_answer": "As shown.",
        "citations": [
            {
                "title": "Foxes and their dogs",
                "author": "A. Fox",
                "year": 2020,
                "doi": "10.5555/fox",
            }
        ],
    },
}


async def graded(
    url: str, ledger: Path | None, **options: Any
) -> tuple[Report, list[SourceLookup]]:
    async with Mesh.from_config(
        contracts=[contract(url)], ledger=ledger, **options
    ) as mesh:
        report = await mesh.grade(RESULT)
        run = mesh.run
        rows = [] if run is None else await run.ledger.lookups(run.run_id, "r")
    return report, rows


async def test_a_report_is_replayed_without_the_network(tmp_path: Path) -> None:
    async with serving(works) as server:
        url = server.url
        report, rows = await graded(url, tmp_path / "l.db")
    again, replayed = await graded(url, tmp_path / "l.db", offline=True)
    down, faults = await graded(url, None)
    assert (report.gate, again.gate, down.gate) == ("pass", "pass", "undecided")
    assert report.evidence_validity_score == again.evidence_validity_score == 10
    assert (rows[0].status, rows[0].cache_hit, replayed[0].cache_hit) == (
        "found",
        False,
        True,
    )
    assert replayed[0].answered_at == rows[0].answered_at
    assert rows[0].query == {"doi": "10.5555/fox", "want_text": False}
    assert not faults
    assert FailureCode.EVIDENCE_SOURCE_INACCESSIBLE in down.failure_reason_codes
    assert FailureCode.FABRICATED_REFERENCE not in down.failure_reason_codes


@pytest.mark.parametrize(
    "options", [{"offline": True}, {"offline": True, "cache": False}]
)
async def test_offline_without_a_kept_answer_is_undecided(
    tmp_path: Path, options: dict[str, bool]
) -> None:
    report, rows = await graded("http://127.0.0.1:9", tmp_path / "l.db", **options)
    assert report.gate == "undecided"
    assert [row.error_type for row in rows] == ["source_inaccessible"] * len(rows)
    assert rows


async def test_answers_in_memory_are_bounded_by_their_size() -> None:
    cache = AnswerCache(None, max_bytes=10_000)

    def answer(number: int) -> CachedAnswer:
        found = Found(ref=str(number), fields={"text": "x" * 3_000}, source="s")
        return CachedAnswer(found, NOW)

    for number in range(3):
        await cache.put(f"k{number}", answer(number), in_memory=True)
    assert await cache.get("k0") == answer(0)
    await cache.put("k3", answer(3), in_memory=True)
    # The answer that was not used for the longest time is dropped.
    assert await cache.get("k1") is None
    assert await cache.get("k0") == answer(0)
    assert await cache.get("k3") == answer(3)
    await cache.put("k4", answer(4), in_memory=False)
    assert await cache.get("k4") is None
