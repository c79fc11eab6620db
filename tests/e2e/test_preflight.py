"""What cannot be used stops `judgemesh grade` before the second result, with its cause in one line and exit code 2."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from judgemesh.contracts.errors import PreflightError
from judgemesh.mesh import Mesh

from .command import environment, judgemesh, summary

CONTRACT = """
task_id: trip
success_criteria: {required_outputs: [final_answer]}
criteria: [{id: polite, question: "Is the answer polite? TRUTH:yes", gate: true}]
"""
RESULTS = 12
JUDGE = "openai-compatible:gpt-4.1-mini"


@contextmanager
def provider(*options: str) -> Generator[str]:
    """The fake provider in a process of its own; its base URL."""
    command = [sys.executable, "-m", "judgemesh.mesh.testing.fake_provider", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def requests(base_url: str) -> int:
    bill: dict[str, Any] = httpx.get(base_url.removesuffix("/v1") + "/bill").json()
    return int(bill["requests"])


@pytest.fixture
def trip(tmp_path: Path) -> Path:
    (tmp_path / "contract.yaml").write_text(CONTRACT)
    rows = [
        {"result_id": f"r{number}", "task_id": "trip", "output": f"Hello {number}."}
        for number in range(RESULTS)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "results.jsonl").write_text(text)
    return tmp_path


def grade(
    folder: Path, *more: str, base_url: str = "", expect: int | None = 0, **extra: str
) -> subprocess.CompletedProcess[str]:
    judge = ("--judge", JUDGE, "--judge-api-base", base_url) if base_url else ()
    return judgemesh(
        "grade", "results.jsonl", "-c", "contract.yaml", *judge, "--json", *more,
        cwd=folder, expect=expect, **extra,
    )  # fmt: skip


def runs(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / ".judgemesh" / "ledger.db")) as connection:
        return [row[0] for row in connection.execute("SELECT status FROM eval_run")]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--api-key", "right"), "HTTP 401: invalid_api_key Incorrect API key"),
        (("--status", "403"), "HTTP 403"),
        (("--models", "another"), "HTTP 404: model_not_found"),
        (("--status", "402"), "HTTP 402"),
    ],
)
def test_a_refusal_stops_the_run_after_one_request(
    trip: Path, options: tuple[str, ...], says: str
) -> None:
    with provider(*options) as base_url:
        done = grade(trip, base_url=base_url, expect=2)
        assert requests(base_url) == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: judge gpt-4.1-mini: ")
    assert says in line
    assert runs(trip) == ["stopped"]


def test_a_server_that_is_not_there_and_an_address_that_is_no_server_of_models(
    trip: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    gone = grade(trip, base_url=f"http://127.0.0.1:{port}/v1", expect=2)
    assert gone.stderr.startswith("error: judge gpt-4.1-mini: cannot connect")
    with provider() as base_url:
        wrong = grade(trip, base_url=f"{base_url}/wrong", expect=2)
    assert "HTTP 404" in wrong.stderr
    assert len(wrong.stderr.splitlines()) == 1


def test_the_key_put_right_the_same_command_grades_all_and_pays_the_preflight_once(
    trip: Path,
) -> None:
    with provider("--api-key", "right") as base_url:
        grade(trip, base_url=base_url, expect=2)
        done = grade(trip, base_url=base_url, JUDGEMESH_JUDGE_API_KEY="right")
        first = summary(done)
        asked = requests(base_url)
        assert first["attempted"] == RESULTS
        assert asked == first["judge_calls"]
        bill = httpx.get(base_url.removesuffix("/v1") + "/bill").json()
        assert first["evaluator_cost"]["amount"] == pytest.approx(bill["cost"])
        again = summary(grade(trip, base_url=base_url, JUDGEMESH_JUDGE_API_KEY="right"))
        assert again["resumed"] == RESULTS
        anew = grade(
            trip, "--no-resume", base_url=base_url, JUDGEMESH_JUDGE_API_KEY="right"
        )
        assert summary(anew)["judge_calls"] == 0
        assert requests(base_url) == asked
    assert set(runs(trip)) == {"done"}


def test_a_slow_server_is_graded_with(trip: Path) -> None:
    with provider("--latency-ms", "1500") as base_url:
        done = summary(grade(trip, "--limit", "2", base_url=base_url))
    assert (done["passed"], done["warnings"]) == (2, [])


def test_a_server_error_may_pass_and_stops_nothing(trip: Path) -> None:
    with provider("--fault-rate", "1", "--faults", "500") as base_url:
        done = grade(trip, "--limit", "1", base_url=base_url, expect=3)
    found = summary(done)
    assert found["attempted"] == 1
    assert "HTTP 500" in found["warnings"][0]
    assert "grading goes on" in found["warnings"][0]
    assert "the same command grades those results again" in done.stderr


def test_access_that_is_lost_later_stops_the_run_and_keeps_no_broken_report(
    trip: Path,
) -> None:
    with provider("--status", "401", "--after", "6") as base_url:
        done = grade(trip, "-j", "1", "--votes", "single", base_url=base_url, expect=2)
        asked = requests(base_url)
    found = summary(done)
    assert done.stderr.startswith(
        f"exit 2: stopped after {found['attempted']} results: judge gpt-4.1-mini: HTTP 401"
    )
    assert found["attempted"] == found["passed"] == 5
    assert found["error_results"] == 0
    assert asked <= 6 + 3
    assert runs(trip) == ["stopped"]
    with provider() as base_url:
        rest = summary(
            grade(trip, "-j", "1", "--votes", "single", "--no-cache", base_url=base_url)
        )
    assert rest["attempted"] == RESULTS


def test_what_a_fault_left_undecided_is_graded_again_by_the_same_command(
    trip: Path,
) -> None:
    fixed = ("--votes", "single")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
    with provider("--port", port, "--fault-rate", "1", "--faults", "500") as base_url:
        broken = summary(
            grade(trip, "--no-preflight", *fixed, base_url=base_url, expect=3)
        )
    assert broken["undecided"] == broken["error_results"] == RESULTS
    with provider("--port", port) as base_url:
        kept = summary(
            grade(trip, "--no-retry-errors", *fixed, base_url=base_url, expect=3)
        )
        assert kept["resumed"] == RESULTS
        mended = summary(grade(trip, *fixed, base_url=base_url))
    assert (mended["passed"], mended["resumed"]) == (RESULTS, 0)


SOURCES = [
    ('{type: sql, url: "sqlite:///gone.db", query: "SELECT 1"}', "gone.db does not exist"),
    ('{type: sql, url: "sqlite:///log.db", query: "SELECT kind FROM logs"}', "no such table: logs"),
    ('{type: sql, url: "sqlite:///log.db", query: "SELECT what FROM log"}', "no such column: what"),
    (
        '{type: sql, url: "sqlite:///log.db", query: "SELECT kind, target FROM log", columns: {confirmation_id: receipt}}',
        "has no column 'receipt'; there are: kind, target",
    ),
    ("{type: csv, path: log.csv, columns: {target: account}}", "has no column 'account'; there are: kind, run, target"),
    ("{type: csv, path: log.csv, match: {run_id: result_id}}", "no column 'run_id' among"),
    ("{type: jsonl, path: broken.jsonl}", "broken.jsonl:2"),
    ("{type: jsonl, path: gone.jsonl}", "there is no file"),
    ("{type: http, url: http://127.0.0.1:9/log, allow_hosts: [127.0.0.1]}", "127.0.0.1"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "says"), SOURCES)
def test_a_missing_source_stops_the_run(trip: Path, source: str, says: str) -> None:
    (trip / "contract.yaml").write_text(
        f"task_id: trip\nexecution:\n  source: {source}\n  expected: [{{kind: pay}}]\n"
    )
    with closing(sqlite3.connect(trip / "log.db")) as connection:
        connection.execute("CREATE TABLE log (kind, target, run)")
        connection.commit()
    (trip / "log.csv").write_text("kind,target,run\npay,a,r1\n")
    (trip / "broken.jsonl").write_text('{"kind": "pay"}\nnot json\n')
    done = grade(trip, expect=2)
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: contract.yaml:3:"), line
    assert says in line
    assert done.stdout == ""


def test_a_name_that_nearly_occurs_is_warned_about(trip: Path) -> None:
    (trip / "contract.yaml").write_text(
        "task_id: trip\nsuccess_criteria: {required_outputs: [final_answer]}\n"
        "sop: {forbidden_tools: [delete_acount]}\n"
    )
    row: dict[str, Any] = {
        "result_id": "r1",
        "task_id": "trip",
        "output": "Done.",
        "trace": [{"tool_name": "delete_account", "arguments": {}}],
    }
    (trip / "results.jsonl").write_text(json.dumps(row) + "\n")
    (warning,) = summary(grade(trip))["warnings"]
    assert "'delete_acount' never occurs in 1 trace; nearest: delete_account" in warning


def test_a_mesh_in_python_raises_one_typed_error(trip: Path) -> None:
    async def denied(base_url: str) -> str | None:
        async with Mesh.from_config(
            contracts=trip / "contract.yaml", judge=JUDGE, judge_api_base=base_url
        ) as mesh:
            with pytest.raises(PreflightError, match="HTTP 401"):
                await mesh.preflight()
            return mesh.access_denied

    with provider("--api-key", "right") as base_url:
        why = asyncio.run(denied(base_url))
        assert why is not None
        assert "HTTP 401" in why
        assert requests(base_url) == 1
