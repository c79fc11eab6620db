"""Ledgers that earlier versions of the code made, with data: opened, migrated, read and verified by the present code.

`older_ledgers/schema_N.sql` is what the code of schema version N wrote when it graded the first four results of
`examples/support_desk`, as SQL (`sqlite3 ledger.db .dump`). They are never made anew. Version 4 is that of its last
commit: it went on changing before. No commit of the main line wrote version 8.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh import Mesh
from judgemesh.mesh.analysis.ledger_verification import verify_ledger
from judgemesh.mesh.ledger.maintenance.opened import purge_ledger
from judgemesh.mesh.ledger.maintenance.purge import PurgeFilter
from judgemesh.mesh.ledger.schema.migrations import MIGRATIONS
from judgemesh.mesh.ledger.store import Ledger

pytestmark = pytest.mark.anyio
OLDER = sorted((Path(__file__).with_name("older_ledgers")).glob("schema_*.sql"))
NEWEST = MIGRATIONS[-1].version


@pytest.fixture(params=OLDER, ids=lambda path: path.stem)
def older(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A ledger file as the older code left it."""
    place = tmp_path / "ledger.db"
    with closing(sqlite3.connect(place)) as connection:
        connection.executescript(Path(request.param).read_text(encoding="utf-8"))
    return place


def _schema(place: Path) -> tuple[int, dict[str, set[str]]]:
    """The version of a ledger, and the columns of each of its tables and views."""
    with closing(sqlite3.connect(place)) as connection:
        (version,) = connection.execute(
            "SELECT max(version) FROM schema_migration"
        ).fetchone()
        found = connection.execute(
            "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
            "WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%'"
        ).fetchall()
    columns: dict[str, set[str]] = {}
    for table, column in found:
        columns.setdefault(table, set()).add(column)
    return version, columns


def test_there_is_one_of_each_version_that_was_graded_with() -> None:
    assert [path.stem for path in OLDER] == [f"schema_{n}" for n in (4, 5, 6, 7)]


async def test_reading_alone_changes_nothing(older: Path) -> None:
    before = _schema(older)
    with pytest.raises(LedgerError, match="older schema version"):
        await verify_ledger(str(older))
    assert _schema(older) == before


async def test_an_older_ledger_becomes_what_a_new_one_is(
    older: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new.db"
    for place in (older, new):
        async with await Ledger.open(str(place)):
            pass
    assert _schema(older) == _schema(new)
    assert _schema(older)[0] == NEWEST


async def test_what_an_older_ledger_holds_is_read_counted_and_verified(
    older: Path,
) -> None:
    with closing(sqlite3.connect(older)) as connection:
        gates = dict(connection.execute("SELECT result_id, gate FROM eval_task_result"))
    async with await Ledger.open(str(older)) as ledger:
        (run,) = await ledger.runs()
        summary = await ledger.summary(run.run_id)
        reports = [report async for report in ledger.reports(run.run_id)]
    assert {report.result_id: report.gate.value for report in reports} == gates
    assert summary.attempted == len(gates) == 4
    assert summary.passed == list(gates.values()).count("pass")
    (verified,) = await verify_ledger(str(older))
    assert (verified.reports, verified.faults) == (4, [])


async def test_an_older_ledger_is_graded_into_and_purged(older: Path) -> None:
    contract = {"task_id": "t", "answer": {"contains": "sealed"}}
    result = {"result_id": "n", "task_id": "t", "output": {"final_answer": "sealed"}}
    async with Mesh.from_config(contracts=[contract], ledger=older) as mesh:
        report = await mesh.grade(result)
    assert report.hard_success
    verified = await verify_ledger(str(older))
    assert sorted(run.reports for run in verified) == [1, 4]
    assert [run.faults for run in verified] == [[], []]
    assert purge_ledger(str(older), PurgeFilter(), lambda _: None).results == 5
    assert [run.faults for run in await verify_ledger(str(older))] == [[], []]
