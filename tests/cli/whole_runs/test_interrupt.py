"""Stopping a run: what was graded stays, the files hold it, and the same command goes on from there."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..conftest import Cli

TOTAL = 150


def committed(ledger: Path) -> int:
    if not ledger.exists():
        return 0
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
        try:
            (count,) = connection.execute(
                "SELECT count(*) FROM eval_task_result"
            ).fetchone()
        except sqlite3.OperationalError:
            return 0
        return int(count)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stop_and_go_on(slow_cli: Cli, number: signal.Signals) -> None:
    command = (
        "grade",
        "results.jsonl",
        "-c",
        "contracts.yaml",
        "--validator",
        "slow",
        "-j",
        "1",
        "--json",
    )
    outputs = ("-o", "reports.jsonl", "-o", "junit.xml", "-o", "report.html")
    page, told = slow_cli.folder / "report.html", "the run was interrupted; the command"
    process = slow_cli.start(*command, *outputs)
    deadline = time.monotonic() + 30
    while committed(slow_cli.folder / ".judgemesh" / "ledger.db") < 5:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    first = json.loads(stdout)
    assert 5 <= first["attempted"] < TOTAL
    assert first["exit_rule"].startswith(
        f"exit 130: interrupted after {first['attempted']} results; the same command"
    )
    assert stderr == first["exit_rule"] + "\n"
    reports = (slow_cli.folder / "reports.jsonl").read_text().splitlines()
    assert len(reports) == first["attempted"]
    assert told in page.read_text()

    done = slow_cli.process(*command, "-j", "64", *outputs)
    second = json.loads(done.stdout)
    assert done.returncode == 0
    assert (second["attempted"], second["resumed"]) == (TOTAL, first["attempted"])
    assert second["run_id"] == first["run_id"]
    assert told not in page.read_text()
    reports = [
        json.loads(line)["result_id"]
        for line in (slow_cli.folder / "reports.jsonl").read_text().splitlines()
    ]
    assert reports == [f"r{number}" for number in range(TOTAL)]


def test_a_killed_run_is_not_called_running(slow_cli: Cli) -> None:
    command = ("grade", "results.jsonl", "-c", "contracts.yaml", "--validator", "slow")

    def listed() -> dict[str, Any]:
        done = slow_cli.process("report", "--runs", "--json")
        (run,) = json.loads(done.stdout)["runs"]
        return dict(run)

    process = slow_cli.start(*command, "-j", "1")
    deadline = time.monotonic() + 30
    while committed(slow_cli.folder / ".judgemesh" / "ledger.db") < 5:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    # On a busy machine it would reach its end before the list is printed.
    process.send_signal(signal.SIGSTOP)
    assert listed()["status"] == "running"
    process.kill()
    process.communicate(timeout=30)

    killed = listed()
    assert (killed["status"], killed["finished_at"]) == ("interrupted", None)
    assert killed["last_active_at"] >= killed["last_started_at"]
    table = slow_cli.process("report", "--runs").stdout
    assert "interrupted: the command that began the run grades the remaining" in table
    assert "running" not in table
    report = slow_cli.process("report").stdout
    assert "warning:  the run was interrupted; the command that began it" in report
    shown = json.loads(slow_cli.process("report", "--json").stdout)
    assert (shown["status"], len(shown["warnings"])) == ("interrupted", 1)
    assert slow_cli.process(*command, "-j", "64").returncode == 0
    assert listed()["status"] == "done"
    assert "warning" not in slow_cli.process("report").stdout
    assert "interrupted" not in slow_cli.process("report", "--runs").stdout


def test_a_plugin_shows_its_origin(slow_cli: Cli) -> None:
    (slow_cli.folder / "site/slow_check.py").write_text(
        "raise ImportError('needs a library\\nthat is not there')\n"
    )
    listed = slow_cli.process("validators", "--json")
    assert listed.returncode == 0
    row = next(row for row in json.loads(listed.stdout) if row["name"] == "slow")
    assert row["origin"] == "slow-check 1.0"
    assert "ImportError: needs a library" in row["error"]
    assert "warning: validator slow cannot be loaded" in listed.stderr
    done = slow_cli.process(
        "grade", "results.jsonl", "-c", "contracts.yaml", "--validator", "slow"
    )
    assert done.returncode == 2
    assert "validator 'slow' cannot be loaded" in done.stderr
    assert len(done.stderr.splitlines()) == 1
