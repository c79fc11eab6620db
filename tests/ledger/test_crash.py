"""`kill -9` in the middle of writing: what was acknowledged is there, and every result that is there is whole."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from judgemesh.mesh.ledger.store import Ledger

_CHILD = Path(__file__).with_name("crash_child.py")
_VERDICTS = 6


def _killed_while_writing(url: str, after: int) -> set[str]:
    """The results that the child knew to be committed when it was killed."""
    with subprocess.Popen(
        [sys.executable, str(_CHILD), url], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(after)]
        child.kill()
        rest = child.stdout.read()
    assert child.returncode == -signal.SIGKILL
    return {
        line
        for line in [*(line.strip() for line in lines), *rest.split("\n")[:-1]]
        if line
    }


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("after", [1, 137, 400])
async def test_only_whole_results_survive_and_no_acknowledged_one_is_lost(
    tmp_path: Path, after: int
) -> None:
    path = tmp_path / "ledger.db"
    acknowledged = _killed_while_writing(str(path), after)

    async with await Ledger.open(str(path)) as ledger:
        stored = {row.result_id async for row in ledger.graded("run")}
        reports = [report async for report in ledger.reports("run")]
        summary = await ledger.summary("run")

    assert len(acknowledged) >= after
    assert acknowledged <= stored
    assert {len(report.verdicts) for report in reports} == {_VERDICTS}
    # Every result asked its judge before it was written: spend of results that were lost in flight is on record too.
    assert summary.judge_calls >= len(stored)
    connection = sqlite3.connect(path)
    try:
        states = connection.execute("SELECT count(*) FROM eval_state_result").fetchone()
        codes = connection.execute("SELECT count(*) FROM eval_failure_code").fetchone()
        assert (states, codes) == ((_VERDICTS * len(stored),), (len(stored),))
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    finally:
        connection.close()
