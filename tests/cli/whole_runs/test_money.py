"""What grading may cost, and would cost: `--max-cost`, `--dry-run` and `--mode economy`, against a simulated provider."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from ..conftest import Cli

CONTRACT = """
task_id: trip
success_criteria: {must_not_include: [forbidden words]}
criteria:
  - {id: polite, question: "Is the answer polite? TRUTH:yes", gate: true}
  - {id: complete, question: "Does it say when? TRUTH:no", metric: completeness}
"""
TOTAL = 16


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """A simulated provider in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "judgemesh.mesh.testing.fake_provider",
        "--port",
        "0",
        "--latency-ms",
        "2",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.fixture
def judged(cli: Cli) -> Cli:
    cli.write("contracts.yaml", CONTRACT)
    answers = ("Hello, you leave on Monday.", "Hello, these are forbidden words.")
    cli.write(
        "results.jsonl",
        *(
            {
                "result_id": f"r{number}",
                "task_id": "trip",
                "output": f"{answers[number % 4 == 0]} Case {number}.",
            }
            for number in range(TOTAL)
        ),
    )
    return cli


def command(base_url: str, *more: str) -> tuple[str, ...]:
    judge = ("--judge", "openai-compatible:gpt-4.1-mini", "--judge-api-base", base_url)
    return (
        "grade",
        "results.jsonl",
        "-c",
        "contracts.yaml",
        *judge,
        "--fail-under",
        "0",
        "--json",
        *more,
    )


def bill(base_url: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(base_url.removesuffix("/v1") + "/bill").json()
    return found


def test_a_dry_run_calls_nobody_and_its_range_holds_what_grading_costs_then(
    judged: Cli, base_url: str
) -> None:
    before = bill(base_url)
    dry: dict[str, Any] = json.loads(
        judged.process(*command(base_url, "--dry-run")).stdout
    )
    assert bill(base_url) == before
    assert not (judged.folder / ".judgemesh").exists()
    assert (dry["results"], dry["already_graded"], dry["cache_hits"]) == (TOTAL, 0, 0)
    real: dict[str, Any] = json.loads(judged.process(*command(base_url)).stdout)
    cost = real["evaluator_cost"]["amount"]
    assert dry["calls"]["low"] <= real["judge_calls"] <= dry["calls"]["high"]
    assert dry["cost"]["low"] <= cost <= dry["cost"]["high"] <= dry["worst_case_cost"]
    again: dict[str, Any] = json.loads(
        judged.process(*command(base_url, "--dry-run")).stdout
    )
    assert (again["results"], again["already_graded"], again["calls"]["high"]) == (
        0,
        TOTAL,
        0,
    )
    anew: dict[str, Any] = json.loads(
        judged.process(*command(base_url, "--dry-run", "--no-resume")).stdout
    )
    assert (anew["results"], anew["calls"]["low"], anew["cost"]["low"]) == (
        TOTAL,
        0,
        0.0,
    )
    assert anew["cache_hits"] == real["judge_calls"] - 1  # no preflight


def test_a_budget_stops_the_run_and_a_larger_one_goes_on(
    judged: Cli, base_url: str
) -> None:
    before = bill(base_url)["cost"]
    stopped = judged.process(
        *command(base_url, "--max-cost", "0.003", "--votes", "single", "--seed", "2")
    )
    first: dict[str, Any] = json.loads(stopped.stdout)
    assert stopped.returncode == 4
    assert stopped.stderr.startswith(
        f"exit 4: --max-cost is spent after {first['attempted']} results; the same command"
    )
    assert 0 < first["attempted"] < TOTAL
    assert (
        first["error_results"] == 0
    )  # what could not be paid for is not graded, and is no error
    spent = bill(base_url)["cost"] - before
    assert first["evaluator_cost"]["amount"] == pytest.approx(spent, abs=1e-9)
    assert spent <= 0.003
    still = judged.process(
        *command(base_url, "--max-cost", "0.003", "--votes", "single", "--seed", "2")
    )
    assert still.returncode == 4  # the budget is the run's, not the command's
    assert bill(base_url)["cost"] - before <= 0.003
    done = judged.process(
        *command(base_url, "--max-cost", "0.5", "--votes", "single", "--seed", "2")
    )
    second: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode, second["attempted"], second["run_id"]) == (
        0,
        TOTAL,
        first["run_id"],
    )
    assert second["evaluator_cost"]["amount"] == pytest.approx(
        bill(base_url)["cost"] - before, abs=1e-9
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ("--judge", "hosted_vllm/mine", "--max-cost", "1"),
            "hosted_vllm/mine has no price",
        ),
        (("--max-cost", "1"), "there is none (--judge MODEL)"),
        (
            ("--judge", "openai/gpt-4.1-mini", "--max-cost", "plenty"),
            "--max-cost: expected an amount of money",
        ),
        (("--mode", "thrifty"), "--mode: expected full or economy, got 'thrifty'"),
    ],
)
def test_what_cannot_be_kept_is_said_before_anything_is_graded(
    judged: Cli, options: tuple[str, ...], says: str
) -> None:
    done = judged("grade", "results.jsonl", "-c", "contracts.yaml", *options)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_economy_asks_less_and_fails_the_same(judged: Cli, base_url: str) -> None:
    full: dict[str, Any] = json.loads(judged.process(*command(base_url)).stdout)
    thrifty: dict[str, Any] = json.loads(
        judged.process(
            *command(base_url, "--mode", "economy", "--no-cache", "-o", "reports.jsonl")
        ).stdout
    )
    assert thrifty["run_id"] != full["run_id"]
    assert (
        (thrifty["passed"], thrifty["failed"])
        == (full["passed"], full["failed"])
        == (12, 4)
    )
    assert thrifty["judge_calls"] < full["judge_calls"] + full["cache_hits"]
    reports = [
        json.loads(line)
        for line in (judged.folder / "reports.jsonl").read_text().splitlines()
    ]
    spared = [
        row
        for report in reports
        for row in report["verdicts"]
        if row["reason"] == "gate_already_decided"
    ]
    assert {row["check"] for row in spared} == {
        "criterion:polite",
        "criterion:complete",
    }
    assert all(
        report["gate"] == "fail"
        for report in reports
        if report["verdicts"][-1] in spared
    )
