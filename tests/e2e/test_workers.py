"""`grade --workers` and `--cluster`: several processes give the ledger that one gives, and none of them can harm it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine, NullPool, create_engine, text

from judgemesh.mesh.runs.workers.local import most_workers

from ..postgresql import Server
from .command import judgemesh, start, summary

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="finds worker processes in /proc"
)

CONTRACTS = """
- task_id: t
  success_criteria: {required_outputs: [final_answer]}
- task_id: judged
  success_criteria: {required_outputs: [final_answer]}
  criteria:
    - {id: polite, question: Is the answer polite?, weight: 1}
"""
WAYS = [("--workers", "2"), ("--cluster", "local:2")]
KILLER = """
import os, signal
from judgemesh.contracts.verdicts import Pass
from judgemesh.contracts.validator import Form, Validator


def run(case):
    if case.result.result_id.startswith("killer"):
        os.kill(os.getpid(), signal.SIGKILL)
    return [Pass(check="alive")]


killer = Validator(name="killer", version="1", run=run, form=Form.PLAIN)
"""


def write_results(path: Path, ids: Iterable[str], *, task_id: str = "t") -> None:
    rows = (
        {"result_id": name, "task_id": task_id, "output": f"Thanks, {name}."}
        for name in ids
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@contextmanager
def provider(latency_ms: int) -> Generator[str]:
    """A fake provider, and its address."""
    command = [
        *(sys.executable, "-m", "judgemesh.mesh.testing.fake_provider", "--port", "0"),
        *("--latency-ms", str(latency_ms), "--seed", "1"),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def engine_of(url: str) -> Engine:
    """A ledger to read; no connection outlives its query."""
    return create_engine(url, poolclass=NullPool)


def rows_of(engine: Engine, query: str) -> list[tuple[Any, ...]]:
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def children_of(pid: int) -> list[int]:
    """The child processes of all threads of a process."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    listed = (thread / "children" for thread in threads)
    return sorted({int(child) for path in listed for child in path.read_text().split()})


def parents_of_workers(pid: int) -> list[int]:
    """The process that forks the workers of a driver."""
    return [pid for pid in children_of(pid) if "workers.parent" in command_of(pid)]


def workers_of(pid: int) -> list[int]:
    """The processes that grade for a driver."""
    of_dask = [pid for pid in children_of(pid) if "spawn_main" in command_of(pid)]
    forked = [
        child for parent in parents_of_workers(pid) for child in children_of(parent)
    ]
    return of_dask + forked


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(condition: Any, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def ledger_rows(path: Path) -> list[tuple[Any, ...]]:
    """Everything that two runs of one input have in common."""
    engine = engine_of(f"sqlite:///{path}")
    task = rows_of(
        engine,
        "SELECT result_id, result_digest, input_index, gate, outcome_score, explanation,"
        " failure_reason_codes, judge_calls, evaluator_cost FROM eval_task_result ORDER BY result_id",
    )
    verdicts = rows_of(
        engine,
        "SELECT eval_id, position, kind, reason, diagnostic_message, score, cost FROM eval_validator_result"
        " ORDER BY eval_id, position",
    )
    calls = rows_of(
        engine,
        "SELECT eval_id, question_id, sample_index, vote, cost FROM judge_call ORDER BY 1, 2, 3",
    )
    contents = rows_of(
        engine, "SELECT eval_id, full_bytes FROM eval_result_content ORDER BY 1"
    )
    return [*task, *verdicts, *calls, *contents]


def test_the_ledger_is_that_of_one_process(tmp_path: Path) -> None:
    (tmp_path / "contracts.yaml").write_text(CONTRACTS)
    rows: list[dict[str, object]] = [
        {
            "result_id": f"r{number:03}",
            "task_id": "judged" if number % 4 else "t",
            "output": "" if number % 7 == 0 else "Thank you.",
        }
        for number in range(80)
    ]
    rows.insert(5, {**rows[0], "output": "again"})  # a repeated id
    rows.insert(9, {"result_id": "faulty", "task_id": ["t"]})
    rows.append({"result_id": "other", "task_id": "no contract"})
    lines = [json.dumps(row) for row in rows]
    lines.insert(20, "{not JSON")
    (tmp_path / "results.jsonl").write_text("\n".join(lines))
    found = {}
    with provider(2) as address:
        for workers in ("1", "2"):
            done = judgemesh(
                *(
                    "grade",
                    "results.jsonl",
                    "-c",
                    "contracts.yaml",
                    "--workers",
                    workers,
                ),
                *(
                    "--judge",
                    "openai-compatible:gpt-4.1-mini",
                    "--judge-api-base",
                    address,
                ),
                *(
                    "--ledger",
                    f"{workers}.db",
                    "--json",
                    "--fail-under",
                    "0",
                    "--no-cache",
                ),
                cwd=tmp_path,
                expect=None,
                OPENAI_API_KEY="none",
            )
            found[workers] = summary(done)
    assert ledger_rows(tmp_path / "1.db") == ledger_rows(tmp_path / "2.db")
    assert found["1"]["rejected"] == found["2"]["rejected"] == 3
    assert found["1"]["attempted"] == found["2"]["attempted"] == 81


@pytest.mark.parametrize("way", WAYS, ids=["workers", "cluster"])
def test_a_worker_that_is_killed_costs_nothing_and_loses_nothing(
    tmp_path: Path, way: tuple[str, str], postgresql_server: Server
) -> None:
    ids = [f"r{number:03}" for number in range(120)]
    write_results(tmp_path / "results.jsonl", ids, task_id="judged")
    (tmp_path / "contracts.yaml").write_text(CONTRACTS)
    address = postgresql_server.database()
    engine = engine_of(address.replace("postgresql://", "postgresql+psycopg://"))

    def graded() -> int:
        try:
            return int(rows_of(engine, "SELECT count(*) FROM eval_task_result")[0][0])
        except Exception:  # noqa: BLE001 (the tables are not made yet)
            return 0

    with provider(20) as base_url:
        process = start(
            *(
                "grade",
                "results.jsonl",
                "-c",
                "contracts.yaml",
                *way,
                "--ledger",
                address,
            ),
            *(
                "--judge",
                "openai-compatible:gpt-4.1-mini",
                "--judge-api-base",
                base_url,
            ),
            *("--votes", "single", "--json", "--fail-under", "0", "-j", "16"),
            cwd=tmp_path,
            OPENAI_API_KEY="none",
        )
        wait_until(lambda: graded() >= 20, process)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=240)
        assert process.returncode == 0, stderr
        bill = httpx.get(f"{base_url.removesuffix('/v1')}/bill").json()
    found = json.loads(stdout)
    assert (found["attempted"], found["error_results"]) == (120, 0)
    ids_graded = rows_of(engine, "SELECT result_id FROM eval_task_result ORDER BY 1")
    assert [row[0] for row in ids_graded] == ids
    calls, cost = rows_of(
        engine, "SELECT count(*), sum(cost) FROM judge_call WHERE NOT cache_hit"
    )[0]
    assert calls == bill["requests"] == 120 + 1  # the preflight asks once
    assert float(cost) == pytest.approx(bill["cost"], abs=1e-9)


def bill_of(base_url: str) -> dict[str, Any]:
    """What the provider counted."""
    bill: dict[str, Any] = httpx.get(f"{base_url.removesuffix('/v1')}/bill").json()
    return bill


def kill_one_worker(process: subprocess.Popen[str]) -> None:
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
@pytest.mark.parametrize("way", WAYS, ids=["workers", "cluster"])
def test_all_workers_together_keep_the_limits_of_the_run(
    tmp_path: Path, way: tuple[str, str], database: str, postgresql_server: Server
) -> None:
    """Rate and budget, by the provider's own count, although a worker is killed while they apply.

    Every result is graded once, and the ledger's costs are the provider's bill.
    """
    ids = [f"r{number:03}" for number in range(460)]
    write_results(tmp_path / "results.jsonl", ids, task_id="judged")
    (tmp_path / "contracts.yaml").write_text(CONTRACTS)
    ledger = f"sqlite:///{tmp_path / 'ledger.db'}"
    if database == "postgresql":
        ledger = postgresql_server.database()
    engine = engine_of(ledger.replace("postgresql://", "postgresql+psycopg://"))
    rate, max_cost = 2400.0, 0.05

    def command(base_url: str, *options: str) -> list[str]:
        return [
            *("grade", "results.jsonl", "-c", "contracts.yaml", *way, *options),
            *("--judge", "openai-compatible:gpt-4.1-mini"),
            *("--judge-api-base", base_url, "--ledger", ledger),
            *("--votes", "single", "--json", "--fail-under", "0", "--no-preflight"),
        ]

    def spent() -> tuple[int, float]:
        """The calls that the ledger says were sent. Those of the killed worker are answered from the cache again."""
        rows = rows_of(
            engine,
            "SELECT count(*), sum(cost) FROM judge_call"
            " WHERE NOT cache_hit AND coalesce(error_type, '') <> 'budget'",
        )
        return int(rows[0][0]), float(rows[0][1])

    with provider(50) as base_url:
        limits = ("--rpm", str(rate), "--max-cost", str(max_cost))
        process = start(
            *command(base_url, *limits), cwd=tmp_path, OPENAI_API_KEY="none"
        )
        wait_until(lambda: bill_of(base_url)["requests"] >= 30, process)
        kill_one_worker(process)
        _, stderr = process.communicate(timeout=240)
        assert process.returncode == 4, stderr
        bill = bill_of(base_url)
        assert spent() == pytest.approx((bill["requests"], bill["cost"]), abs=1e-9)
        # What is left does not cover the worst case of one more call.
        assert 0.95 * max_cost <= bill["cost"] <= max_cost
        assert 60 * (bill["requests"] - 1) / bill["span_s"] <= 1.05 * rate
        # With money, the same command goes on where it stopped, and asks nothing again.
        judgemesh(
            *command(base_url, "--max-cost", "1"), cwd=tmp_path, OPENAI_API_KEY="none"
        )
        bill = bill_of(base_url)
    assert spent() == pytest.approx((bill["requests"], bill["cost"]), abs=1e-9)
    assert bill["requests"] == len(ids)
    graded = rows_of(engine, "SELECT result_id FROM eval_task_result ORDER BY 1")
    assert [row[0] for row in graded] == ids


def install(site: Path, name: str, code: str, *, group: str) -> None:
    """A package with one entry point, whose object has its name."""
    info = site / f"{name}-1.dist-info"
    info.mkdir(parents=True)
    (site / f"{name}.py").write_text(code)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {name}:{name}\n")


def test_texts_that_workers_could_not_redact_are_counted(tmp_path: Path) -> None:
    site = tmp_path / "site"
    code = "def broken(text):\n    raise ValueError(text)\n"
    install(site, "broken", code, group="judgemesh.redactors")
    write_results(tmp_path / "results.jsonl", [f"r{number}" for number in range(30)])
    (tmp_path / "contracts.yaml").write_text(CONTRACTS)
    counted: list[str] = []
    for number in ("1", "2"):
        done = judgemesh(
            *("grade", "results.jsonl", "-c", "contracts.yaml", "--workers", number),
            *("--ledger", f"{number}.db", "--redact", "hook:broken"),
            cwd=tmp_path,
            expect=0,
            PYTHONPATH=str(site),
        )
        counted += [
            line for line in done.stdout.splitlines() if "broken raised" in line
        ]
    first, second = counted
    assert "broken raised ValueError (" in first
    assert second == first


def test_a_result_that_ends_its_process_twice_is_undecided(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install(site, "killer", KILLER, group="judgemesh.validators")
    ids = [f"r{number}" for number in range(30)]
    write_results(
        tmp_path / "results.jsonl", [*ids[:10], "killer-1", *ids[10:], "killer-2"]
    )
    (tmp_path / "contracts.yaml").write_text(
        "task_id: t\nsuccess_criteria: {required_outputs: [final_answer]}\nvalidators: [killer]\n"
    )
    done = judgemesh(
        *("grade", "results.jsonl", "-c", "contracts.yaml", "--workers", "2"),
        *("--ledger", "ledger.db", "--json"),
        cwd=tmp_path,
        expect=3,
        PYTHONPATH=str(site),
    )
    found = summary(done)
    assert (found["passed"], found["failed"], found["undecided"]) == (30, 0, 2)
    engine = engine_of(f"sqlite:///{tmp_path / 'ledger.db'}")
    lost = rows_of(
        engine,
        "SELECT eval_id, kind, diagnostic_message FROM eval_validator_result WHERE kind <> 'pass' ORDER BY 1",
    )
    assert [row[0].partition(":")[2] for row in lost] == ["killer-1", "killer-2"]
    assert {row[1:] for row in lost} == {
        ("error", "ended the process that graded it, twice")
    }


@pytest.mark.parametrize("way", WAYS, ids=["workers", "cluster"])
def test_an_interrupted_run_leaves_no_process(
    tmp_path: Path, way: tuple[str, str]
) -> None:
    ids = [f"r{number:03}" for number in range(200)]
    write_results(tmp_path / "results.jsonl", ids, task_id="judged")
    (tmp_path / "contracts.yaml").write_text(CONTRACTS)
    engine = engine_of(f"sqlite:///{tmp_path / 'ledger.db'}")

    def graded() -> int:
        try:
            return int(rows_of(engine, "SELECT count(*) FROM eval_task_result")[0][0])
        except Exception:  # noqa: BLE001 (the tables are not made yet)
            return 0

    with provider(50) as base_url:
        process = start(
            *("grade", "results.jsonl", "-c", "contracts.yaml", *way),
            *(
                "--judge",
                "openai-compatible:gpt-4.1-mini",
                "--judge-api-base",
                base_url,
            ),
            *("--votes", "single", "--json", "--ledger", "ledger.db", "-j", "4"),
            cwd=tmp_path,
            OPENAI_API_KEY="none",
        )
        wait_until(lambda: graded() >= 5, process)
        workers = workers_of(process.pid) + parents_of_workers(process.pid)
        os.kill(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert len(workers) >= 2
    assert not any(is_running(pid) for pid in workers)
    assert json.loads(stdout)["attempted"] < 200


@pytest.fixture(params=["2"])
def judged_run(
    tmp_path: Path, request: pytest.FixtureRequest
) -> Generator[subprocess.Popen[str]]:
    """A driver whose workers are grading: two, or as many as the parameter asks for and there are cores."""
    wanted: str = request.param
    number = min(int(wanted), most_workers())
    ids = [f"r{number:03}" for number in range(100)]
    write_results(tmp_path / "results.jsonl", ids, task_id="judged")
    (tmp_path / "contracts.yaml").write_text(CONTRACTS)
    with provider(50) as base_url:
        process = start(
            *("grade", "results.jsonl", "-c", "contracts.yaml", "--workers", wanted),
            *("--judge", "openai-compatible:gpt-4.1-mini"),
            *("--judge-api-base", base_url, "--votes", "single", "--json", "-j", "4"),
            *("--ledger", "ledger.db", "--fail-under", "0"),
            cwd=tmp_path,
            OPENAI_API_KEY="none",
        )
        wait_until(lambda: len(workers_of(process.pid)) == number, process)
        wait_until(lambda: bill_of(base_url)["requests"] >= 10, process)
        yield process
        process.kill()
        process.communicate(timeout=60)


@pytest.mark.parametrize("judged_run", ["16"], indirect=True)
def test_no_more_workers_are_started_than_there_are_cores(
    judged_run: subprocess.Popen[str],
) -> None:
    assert len(workers_of(judged_run.pid)) == max(2, len(os.sched_getaffinity(0)))
    stdout, stderr = judged_run.communicate(timeout=240)
    assert judged_run.returncode == 0, stderr
    assert json.loads(stdout)["attempted"] == 100


def test_workers_are_forked_from_a_process_with_one_thread(
    judged_run: subprocess.Popen[str],
) -> None:
    (parent,) = parents_of_workers(judged_run.pid)
    assert len(list(Path(f"/proc/{parent}/task").iterdir())) == 1


def test_the_process_that_forks_is_replaced_with_its_workers(
    judged_run: subprocess.Popen[str],
) -> None:
    (parent,) = parents_of_workers(judged_run.pid)
    workers = workers_of(judged_run.pid)
    os.kill(parent, signal.SIGKILL)
    wait_until(
        lambda: (
            set(workers_of(judged_run.pid)).isdisjoint(workers)
            and len(workers_of(judged_run.pid)) == 2
        ),
        judged_run,
    )
    assert not any(is_running(pid) for pid in workers)
    stdout, stderr = judged_run.communicate(timeout=240)
    assert judged_run.returncode == 0, stderr
    found = json.loads(stdout)
    assert (found["attempted"], found["error_results"]) == (100, 0)


def test_no_worker_outlives_a_driver_that_is_killed(
    judged_run: subprocess.Popen[str],
) -> None:
    processes = workers_of(judged_run.pid) + parents_of_workers(judged_run.pid)
    assert len(processes) == 3
    judged_run.kill()
    deadline = time.monotonic() + 30
    while any(is_running(pid) for pid in processes):
        assert time.monotonic() < deadline
        time.sleep(0.01)
