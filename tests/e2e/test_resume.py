"""A run that is killed, interrupted or repeated goes on where it stopped: nothing lost, nothing graded or paid twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from .command import judgemesh, lines, start, summary

CONTRACT = """
- task_id: t
  success_criteria: {required_outputs: [final_answer]}
- task_id: judged
  success_criteria: {required_outputs: [final_answer]}
  criteria:
    - {id: polite, question: Is the answer polite?, weight: 1}
"""
JUDGED = 5  # every fifth result is judged: a model call costs far more than everything else about a result


def write_results(path: Path, count: int, *, judged: int = 0) -> None:
    rows = [
        {
            "result_id": f"r{number:05}",
            "task_id": "judged" if judged and number % judged == 0 else "t",
            "output": f"Thank you, case {number} is settled.",
        }
        for number in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def grading(judge: str, provider: str, ledger: Path) -> list[str]:
    """The command line of a run with single votes at the fake provider."""
    judged = ["--judge", judge, "--judge-api-base", provider, "--votes", "single"]
    kept = [
        "--ledger",
        str(ledger),
        "-o",
        "reports.jsonl",
        "--json",
        "--fail-under",
        "0",
    ]
    return ["grade", "results.jsonl", "--contracts", "contracts.yaml", *judged, *kept]


@contextmanager
def serving(port: int, *options: str) -> Generator[str]:
    """A fake provider, and its address."""
    command = [
        *(sys.executable, "-m", "judgemesh.mesh.testing.fake_provider"),
        *("--port", str(port), "--latency-ms", "2", "--seed", "1", *options),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@pytest.fixture
def provider() -> Iterator[str]:
    with serving(0) as address:
        yield address


def bill(base_url: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(base_url.removesuffix("/v1") + "/bill").json()
    return found


def query(ledger: Path, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
        return connection.execute(sql, parameters).fetchall()


def committed(ledger: Path) -> int:
    try:
        return int(query(ledger, "SELECT count(*) FROM eval_task_result")[0][0])
    except sqlite3.OperationalError:
        return 0


def wait_for(
    ledger: Path, count: int, process: subprocess.Popen[str], seconds: float = 120
) -> None:
    deadline = time.monotonic() + seconds
    while committed(ledger) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_kill_9_in_the_middle_of_2000_results(tmp_path: Path, provider: str) -> None:
    write_results(tmp_path / "results.jsonl", 2000, judged=JUDGED)
    (tmp_path / "contracts.yaml").write_text(CONTRACT)
    ledger = tmp_path / "ledger.db"
    args = grading("openai-compatible:gpt-4.1-mini", provider, ledger)
    process = start(*args, cwd=tmp_path, OPENAI_API_KEY="none")
    wait_for(ledger, 400, process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    done_before = {
        row[0] for row in query(ledger, "SELECT eval_id FROM eval_task_result")
    }
    calls_before = Counter(
        row[0] for row in query(ledger, "SELECT eval_id FROM judge_call")
    )
    assert 400 <= len(done_before) < 2000

    found = summary(judgemesh(*args, cwd=tmp_path, OPENAI_API_KEY="none"))
    assert found["attempted"] == 2000
    assert found["resumed"] == len(done_before)

    ids = [row[0] for row in query(ledger, "SELECT result_id FROM eval_task_result")]
    assert sorted(ids) == [f"r{number:05}" for number in range(2000)]
    assert [row["result_id"] for row in lines(tmp_path / "reports.jsonl")] == sorted(
        ids
    )
    whole = query(
        ledger,
        "SELECT t.eval_id FROM eval_task_result t WHERE (SELECT count(*) FROM eval_validator_result v WHERE v.eval_id = t.eval_id) < 2",
    )
    assert whole == []

    calls_after = Counter(
        row[0] for row in query(ledger, "SELECT eval_id FROM judge_call")
    )
    assert all(calls_after[eval_id] == calls_before[eval_id] for eval_id in done_before)
    requests = bill(provider)["requests"]
    # What the kill makes the command ask again: judge calls at once, and as many whose answers were not committed yet.
    in_flight = 2 * 16
    assert 2000 // JUDGED <= requests <= 2000 // JUDGED + in_flight
    paid = query(ledger, "SELECT count(*) FROM judge_call WHERE NOT cache_hit")[0][0]
    # Noted before it was sent; a request that was noted, and not sent yet, is an attempt too.
    assert requests <= paid <= requests + in_flight
    left = query(
        ledger, "SELECT cost_status FROM judge_call WHERE error_type = 'in_flight'"
    )
    assert {row[0] for row in left} <= {"COST_UNKNOWN"}
    assert not list(tmp_path.glob("ledger.db-requests-*"))


def test_an_interrupted_run_stops_in_good_order_and_goes_on(
    tmp_path: Path, provider: str
) -> None:
    write_results(tmp_path / "results.jsonl", 100, judged=1)
    (tmp_path / "contracts.yaml").write_text(CONTRACT)
    ledger = tmp_path / "ledger.db"
    args = [*grading("openai-compatible:gpt-4.1-mini", provider, ledger), "-j", "2"]
    process = start(*args, cwd=tmp_path, OPENAI_API_KEY="none")
    wait_for(ledger, 20, process)
    os.kill(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    stopped = json.loads(stdout)
    assert 20 <= stopped["attempted"] < 100
    assert len(lines(tmp_path / "reports.jsonl")) == stopped["attempted"]
    found = summary(judgemesh(*args, cwd=tmp_path, OPENAI_API_KEY="none"))
    assert (found["attempted"], found["resumed"]) == (100, stopped["attempted"])


DETERMINISTIC = "task_id: t\nsuccess_criteria: {required_outputs: [final_answer]}\n"


def test_the_same_command_again_grades_only_what_is_new_or_changed(
    tmp_path: Path,
) -> None:
    results = tmp_path / "results.jsonl"
    write_results(results, 50)
    (tmp_path / "contracts.yaml").write_text(DETERMINISTIC)
    args = ["grade", "results.jsonl", "--contracts", "contracts.yaml", "--json"]
    first = summary(judgemesh(*args, cwd=tmp_path))
    assert (first["attempted"], first["resumed"]) == (50, 0)
    again = summary(judgemesh(*args, cwd=tmp_path))
    assert (again["attempted"], again["resumed"], again["run_id"]) == (
        50,
        50,
        first["run_id"],
    )
    text = results.read_text().replace("case 7 is settled", "case 7 is open")
    results.write_text(
        text
        + json.dumps({"result_id": "new", "task_id": "t", "output": "x y z"})
        + "\n"
    )
    more = summary(judgemesh(*args, cwd=tmp_path))
    assert (more["attempted"], more["resumed"]) == (51, 49)
    fresh = summary(judgemesh(*args, "--no-resume", cwd=tmp_path))
    assert (fresh["attempted"], fresh["resumed"]) == (51, 0)
    assert fresh["run_id"] != first["run_id"]
    (tmp_path / "contracts.yaml").write_text(DETERMINISTIC + "version: 2\n")
    other = summary(judgemesh(*args, cwd=tmp_path))
    assert (
        other["resumed"],
        other["run_id"] in (first["run_id"], fresh["run_id"]),
    ) == (0, False)


def test_errors_are_graded_again_once_their_cause_is_gone(tmp_path: Path) -> None:
    write_results(tmp_path / "results.jsonl", 3)
    (tmp_path / "contracts.yaml").write_text(
        DETERMINISTIC + "criteria: [{id: q, question: Is it?, gate: true}]\n"
    )
    with serving(0, "--context-tokens", "1", "--always", "yes") as address:
        args = grading("openai-compatible:gpt-4.1-mini", address, tmp_path / "l.db")
        stopped = judgemesh(*args, cwd=tmp_path, expect=2, OPENAI_API_KEY="none")
        broken = summary(
            judgemesh(
                *args, "--no-preflight", cwd=tmp_path, expect=3, OPENAI_API_KEY="none"
            )
        )
    assert stopped.stderr.count("\n") <= 3
    assert (broken["undecided"], broken["failed"], broken["error_results"]) == (3, 0, 3)
    port = int(address.removesuffix("/v1").rpartition(":")[2])
    with serving(port, "--always", "yes"):
        again = summary(judgemesh(*args, cwd=tmp_path, OPENAI_API_KEY="none"))
        kept = summary(judgemesh(*args, cwd=tmp_path, OPENAI_API_KEY="none"))
    assert (again["resumed"], again["passed"], again["error_results"]) == (0, 3, 0)
    assert (kept["resumed"], kept["passed"]) == (3, 3)


def stop_between_transactions(pid: int, ledger: Path) -> None:
    """Stop a grader while it holds no lock of the ledger."""
    while True:
        os.kill(pid, signal.SIGSTOP)
        with closing(sqlite3.connect(ledger, timeout=0.05)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                os.kill(pid, signal.SIGCONT)
            else:
                return


def run_row(ledger: Path) -> tuple[object, ...]:
    """The only run of a ledger, every column."""
    with closing(sqlite3.connect(ledger)) as connection:
        (row,) = connection.execute("SELECT * FROM eval_run").fetchall()
    return tuple(row)


def test_two_graders_of_one_command_do_not_pay_twice(
    tmp_path: Path, provider: str
) -> None:
    """The second is refused while the first lives, and goes on at once when it was killed."""
    write_results(tmp_path / "results.jsonl", 600, judged=1)
    (tmp_path / "contracts.yaml").write_text(CONTRACT)
    ledger = tmp_path / "ledger.db"
    args = grading("openai-compatible:gpt-4.1-mini", provider, ledger)
    process = start(*args, cwd=tmp_path, OPENAI_API_KEY="none")
    wait_for(ledger, 20, process)
    stop_between_transactions(process.pid, ledger)
    paid, noted = bill(provider)["requests"], run_row(ledger)
    refused = judgemesh(*args, cwd=tmp_path, expect=2, OPENAI_API_KEY="none")
    assert f"is being graded into by process {process.pid} on " in refused.stderr
    assert run_row(ledger) == noted
    assert refused.stderr.count("\n") == 1
    assert query(ledger, "SELECT status, summary FROM eval_run") == [("running", None)]
    assert bill(provider)["requests"] <= paid + 64  # those that were on their way
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    judgemesh(*args, cwd=tmp_path, OPENAI_API_KEY="none")
    assert committed(ledger) == 600
    assert ledger.stat().st_mode & 0o077 == 0
