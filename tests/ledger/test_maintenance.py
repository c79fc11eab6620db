"""Texts removed, copies, two ledgers made one: sums stay, the log of reports holds, nothing is counted twice."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import text

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.verdicts import Pass
from judgemesh.mesh import Mesh
from judgemesh.mesh.analysis.ledger_verification import verify_ledger
from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.maintenance.merge import Merged
from judgemesh.mesh.ledger.maintenance.opened import (
    backup_ledger,
    count_matching,
    merge_ledgers,
    purge_ledger,
)
from judgemesh.mesh.ledger.maintenance.purge import PurgeFilter
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.testing import ScriptedJudge

pytestmark = pytest.mark.anyio

MakeReport = Callable[..., Report]
MakeAttempt = Callable[..., JudgeAttempt]
SECRET: Final = "Ann Example, 12 Mill Lane"
SUMS: Final = (
    "SELECT count(*), sum(outcome_score) FROM eval_task_result",
    "SELECT gate, count(*) FROM eval_task_result GROUP BY gate ORDER BY gate",
    "SELECT count(*), sum(cost) FROM judge_call",
    "SELECT validator_name, kind, count(*) FROM eval_validator_result GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT sum(results), sum(passed) FROM day_summary",
)

HOLDING: Final = (
    "SELECT count(*) FROM eval_task_result WHERE explanation LIKE '%Mill Lane%'",
    "SELECT count(*) FROM eval_validator_result WHERE diagnostic_message LIKE '%Mill Lane%'",
    "SELECT count(*) FROM eval_validator_result WHERE CAST(evidence_refs AS TEXT) LIKE '%Mill Lane%'",
    "SELECT count(*) FROM eval_validator_result WHERE CAST(details AS TEXT) LIKE '%Mill Lane%'",
    "SELECT count(*) FROM judge_call WHERE reason LIKE '%Mill Lane%'",
)


def rows(place: str, *queries: str) -> list[list[tuple[Any, ...]]]:
    engine = writing_engine(parse_address(place), 5.0)
    try:
        with engine.begin() as connection:
            found = [connection.execute(text(query)).all() for query in queries]
    finally:
        engine.dispose()
    return [[tuple(map(plain, row)) for row in of_query] for of_query in found]


def plain(value: object) -> object:
    """SQLite sums money as a float, PostgreSQL as a decimal."""
    return float(value) if isinstance(value, Decimal) else value


def quoting(report: Report) -> Report:
    """The report with the secret in a verdict and in the explanation."""
    verdict = Pass(
        check="first",
        diagnostic=SECRET,
        evidence_refs=(SECRET,),
        details={"seen": [SECRET]},
    )
    first = replace(report.verdicts[0], verdict=verdict)
    return replace(report, verdicts=(first, *report.verdicts[1:]), explanation=SECRET)


@pytest.fixture
async def filled(
    ledger: Ledger,
    place: str,
    make_report: MakeReport,
    make_attempt: MakeAttempt,
    now: datetime,
) -> str:
    """Four results of one run, all of which hold the secret; the first is a year old."""
    for index in range(4):
        report = quoting(
            make_report(f"r{index}", Gate.FAIL if index == 3 else Gate.PASS)
        )
        await ledger.write_report(
            "run",
            report,
            result_digest="d",
            input_index=index,
            created_at=now - timedelta(days=365 if index == 0 else 0),
            content=lambda: {"answer": SECRET},
        )
        attempt = replace(make_attempt(), reason=SECRET)
        await ledger.write_attempt("run", f"r{index}", attempt)
    await ledger.aclose()
    return place


def said(place: str) -> bool:
    """Whether any table still holds the secret."""
    found = rows(place, *HOLDING)
    return any(count for ((count,),) in found)


async def test_a_purge_removes_texts_keeps_sums_and_the_log_holds(filled: str) -> None:
    before = rows(filled, *SUMS)
    assert said(filled)
    purged = purge_ledger(filled, PurgeFilter(run_id="run"), lambda _: None)
    assert (purged.results, purged.contents, purged.calls) == (4, 4, 4)
    assert not said(filled)
    assert rows(filled, *SUMS) == before
    (run,) = await verify_ledger(filled)
    assert run.faults == []
    assert (run.reports, run.purged, run.entries) == (4, 4, 8)


async def test_a_purge_is_made_once_and_only_of_what_matches(
    filled: str, now: datetime
) -> None:
    old = PurgeFilter(before=now - timedelta(days=1))
    assert count_matching(filled, old) == 1
    assert purge_ledger(filled, old, lambda _: None).results == 1
    assert purge_ledger(filled, old, lambda _: None).results == 0
    task = PurgeFilter(task_id="task of r2")
    assert purge_ledger(filled, task, lambda _: None).results == 1
    assert count_matching(filled, PurgeFilter(run_id="run")) == 2
    assert count_matching(filled, PurgeFilter(run_id="other")) == 0
    (run,) = await verify_ledger(filled)
    assert (run.purged, run.faults) == (2, [])


async def test_an_altered_report_is_still_found_after_a_purge(filled: str) -> None:
    purge_ledger(filled, PurgeFilter(run_id="run"), lambda _: None)
    engine = writing_engine(parse_address(filled), 5.0)
    with engine.begin() as connection:
        connection.execute(
            text(
                "UPDATE eval_task_result SET outcome_score = 9.5 WHERE result_id = 'r1'"
            )
        )
    engine.dispose()
    (run,) = await verify_ledger(filled)
    assert [fault.result_id for fault in run.faults] == ["r1"]


async def test_purged_bytes_are_gone_from_the_file(filled: str) -> None:
    if "://" in filled:
        pytest.skip("PostgreSQL frees its pages by VACUUM")
    purge_ledger(filled, PurgeFilter(run_id="run"), lambda _: None)
    for path in Path(filled).parent.glob(f"{Path(filled).name}*"):
        assert b"Mill Lane" not in path.read_bytes(), path


async def test_a_ledger_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    place = tmp_path / "none.db"
    with pytest.raises(LedgerError, match="does not exist"):
        purge_ledger(str(place), PurgeFilter(task_id="t"), lambda _: None)
    assert not place.exists()


async def test_a_run_that_is_being_graded_is_neither_purged_nor_merged(
    filled: str, tmp_path: Path, now: datetime
) -> None:
    engine = writing_engine(parse_address(filled), 5.0)
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO run_lease (run_id, token, machine, pid, created_at, renewed_at)"
                " VALUES ('run', 't', 'elsewhere', 7, :now, :now)"
            ),
            {"now": datetime.now(UTC).replace(tzinfo=None).isoformat(sep=" ")},
        )
    engine.dispose()
    for work in (
        lambda: purge_ledger(filled, PurgeFilter(run_id="run"), lambda _: None),
        lambda: merge_ledgers([filled], str(tmp_path / "into.db")),
    ):
        with pytest.raises(LedgerError, match="is being graded by process 7"):
            work()
    assert said(filled)


async def test_a_merge_copies_all_and_the_second_changes_nothing(
    filled: str, tmp_path: Path
) -> None:
    into = str(tmp_path / "into.db")
    (added,) = merge_ledgers([filled], into)
    assert (added.runs, added.results, added.calls) == (1, 4, 4)
    assert rows(into, *SUMS) == rows(filled, *SUMS)
    (run,) = await verify_ledger(into)
    assert (run.reports, run.faults) == (4, [])
    assert merge_ledgers([filled], into) == [Merged(present=1)]
    assert rows(into, *SUMS) == rows(filled, *SUMS)


async def test_a_merge_from_a_file_into_a_server_and_back(
    filled: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server = request.getfixturevalue("postgresql_server").database()
    merge_ledgers([filled], server)
    back = str(tmp_path / "back.db")
    merge_ledgers([server], back)
    assert rows(back, *SUMS[:2]) == rows(filled, *SUMS[:2])
    (run,) = await verify_ledger(back)
    assert run.faults == []


async def test_a_run_that_went_different_ways_is_refused(
    filled: str, tmp_path: Path, make_report: MakeReport, now: datetime
) -> None:
    into = str(tmp_path / "into.db")
    merge_ledgers([filled], into)
    async with await Ledger.open(into) as ledger:
        await ledger.write_report(
            "run", make_report("r9"), result_digest="d", input_index=9, created_at=now
        )
    # The target went on: the other ledger has nothing that it lacks.
    assert merge_ledgers([filled], into) == [Merged(present=1)]
    with pytest.raises(LedgerError, match="merge in the other direction"):
        merge_ledgers([into], filled)
    async with await Ledger.open(filled) as ledger:
        await ledger.write_report(
            "run", make_report("r8"), result_digest="d", input_index=8, created_at=now
        )
    before = rows(into, *SUMS)
    with pytest.raises(LedgerError, match="different reports"):
        merge_ledgers([filled], into)
    assert rows(into, *SUMS) == before


async def test_two_runs_of_the_same_inputs_both_stay(
    filled: str,
    tmp_path: Path,
    run_record: RunRecord,
    make_report: MakeReport,
    now: datetime,
) -> None:
    into = str(tmp_path / "into.db")
    async with await Ledger.open(into) as ledger:
        await ledger.begin_run(replace(run_record, run_id="other"))
        await ledger.write_report(
            "other", make_report("r0"), result_digest="d", input_index=0, created_at=now
        )
    merge_ledgers([filled], into)
    merge_ledgers([filled], into)
    assert {run.run_id for run in await verify_ledger(into)} == {"run", "other"}


async def test_a_ledger_is_not_merged_into_itself(filled: str) -> None:
    with pytest.raises(LedgerError, match="into itself"):
        merge_ledgers([filled], filled)


async def test_a_backup_is_whole_while_a_writer_writes(
    tmp_path: Path, run_record: RunRecord, make_report: MakeReport, now: datetime
) -> None:
    place, copies = (
        str(tmp_path / "ledger.db"),
        [tmp_path / f"copy{at}.db" for at in range(3)],
    )
    written, ended = threading.Event(), threading.Event()

    async def write() -> None:
        async with await Ledger.open(place) as ledger:
            await ledger.begin_run(run_record)
            for index in range(100_000):
                if ended.is_set():
                    break
                await ledger.write_report(
                    "run",
                    make_report(f"r{index}"),
                    result_digest="d",
                    input_index=index,
                    created_at=now,
                )
                written.set()

    import asyncio

    writer = threading.Thread(target=asyncio.run, args=(write(),))
    writer.start()
    try:
        assert written.wait(60)
        for copy in copies:
            assert backup_ledger(place, copy) == copy.stat().st_size
    finally:
        ended.set()
        writer.join(60)
    for copy in copies:
        assert copy.stat().st_mode & 0o777 == 0o600
        (run,) = await verify_ledger(str(copy))
        assert run.reports >= 1
        assert run.faults == []


@pytest.mark.parametrize(
    ("source", "target", "says"),
    [
        ("absent.db", "copy.db", "does not exist"),
        ("text.db", "copy.db", "file is not a database"),
        ("other.db", "copy.db", "it is no ledger"),
        ("other.db", "text.db", "is not replaced"),
        ("ledger.db", "no/such/folder/copy.db", "No such file"),
        (":memory:", "copy.db", "does not exist"),
        ("postgresql://u:secret@localhost/d", "copy.db", "pg_dump --format=custom"),
    ],
)
async def test_a_backup_that_cannot_be_made_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, target: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.db").write_text("no database\n" * 200)
    with closing(sqlite3.connect("other.db")) as other:
        other.execute("CREATE TABLE x (y)")
    async with await Ledger.open("ledger.db"):
        pass
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    with pytest.raises(LedgerError, match=says) as raised:
        backup_ledger(source, Path(target))
    assert "secret" not in str(raised.value)
    assert {
        path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()
    } == before


async def test_a_purge_of_a_task_empties_the_cache_of_its_calls_and_lookups(
    tmp_path: Path,
) -> None:
    place = str(tmp_path / "l.db")
    contracts = [
        {
            "task_id": task,
            "criteria": [{"id": "c", "question": "Is a probe named?", "gate": True}],
        }
        for task in ("a", "b")
    ]
    judge = ScriptedJudge({"c": "yes"})
    async with Mesh.from_config(contracts=contracts, judge=judge, ledger=place) as mesh:
        for task in ("a", "b"):
            output = {"final_answer": f"The probe of {task} is sealed."}
            await mesh.grade({"result_id": task, "task_id": task, "output": output})
    count = "SELECT count(*) FROM judge_cache"
    of_task = (
        "SELECT count(*) FROM judge_cache JOIN judge_call USING (created_at) "
        "WHERE eval_id LIKE '%{}'"
    )
    ((kept,),), ((a_kept,),), ((b_kept,),) = rows(
        place, count, of_task.format("a"), of_task.format("b")
    )
    assert kept == a_kept + b_kept
    assert a_kept > 0
    purged = purge_ledger(place, PurgeFilter(task_id="a"), lambda _: None)
    assert purged.replies == a_kept
    assert rows(place, count, of_task.format("b")) == [[(b_kept,)], [(b_kept,)]]
