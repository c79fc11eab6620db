"""`--batch-criteria`: what it costs, what the summary says about it, and what is refused."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from ..conftest import Cli

CRITERIA = 6
TOTAL = 28


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """A simulated provider whose later answers often follow the earlier ones of a call."""
    options = (
        "--sensitivity",
        "0.8",
        "--specificity",
        "0.8",
        "--halo",
        "0.8",
        "--seed",
        "3",
    )
    command = [
        sys.executable,
        "-m",
        "judgemesh.mesh.testing.fake_provider",
        "--port",
        "0",
        *options,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.fixture
def judged(cli: Cli) -> Cli:
    draw = random.Random(1)  # noqa: S311 - a simulation
    criteria = [
        {"id": f"c{n}", "question": f"Is point p{n} kept?"} for n in range(CRITERIA)
    ]
    gate = {"id": "gate", "question": "Is it safe? TRUTH:yes", "gate": True}
    cli.write("contracts.yaml", {"task_id": "trip", "criteria": [gate, *criteria]})
    rows: list[dict[str, Any]] = []
    for number in range(TOTAL):
        good = draw.betavariate(1.5, 1.5)
        marks = " ".join(
            f"TRUTH(p{n}):{'yes' if draw.random() < good else 'no'}"
            for n in range(CRITERIA)
        )
        rows.append(
            {
                "result_id": f"r{number}",
                "task_id": "trip",
                "output": f"Case {number}: moved. {marks}",
            }
        )
    cli.write("results.jsonl", *rows)
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
        *more,
    )


def bill(base_url: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(base_url.removesuffix("/v1") + "/bill").json()
    return found


def test_a_run_is_billed_to_the_cent_and_says_that_its_answers_sway_each_other(
    judged: Cli, base_url: str
) -> None:
    options = (
        "--batch-criteria",
        "8",
        "--batch-audit",
        "0.9",
        "--votes",
        "single",
        "--json",
    )
    before = bill(base_url)
    dry: dict[str, Any] = json.loads(
        judged(*command(base_url, *options, "--dry-run")).stdout
    )
    assert bill(base_url) == before
    real: dict[str, Any] = json.loads(judged(*command(base_url, *options)).stdout)
    after = bill(base_url)
    assert dry["calls"]["low"] <= real["judge_calls"] <= dry["calls"]["high"]
    assert (
        dry["cost"]["low"]
        <= real["evaluator_cost"]["amount"]
        <= dry["cost"]["high"]
        <= dry["worst_case_cost"]
    )
    assert real["judge_calls"] == after["requests"] - before["requests"]
    assert real["evaluator_cost"]["amount"] == pytest.approx(
        after["cost"] - before["cost"], abs=1e-9
    )
    (halo,) = real["halos"]
    assert (halo["model"], halo["alarm"]) == ("gpt-4.1-mini", True)
    assert 20 <= halo["calls"] <= TOTAL
    (warning,) = [line for line in real["warnings"] if "sway each other" in line]
    assert "--batch-criteria 1" in warning
    with closing(sqlite3.connect(judged.folder / ".judgemesh" / "ledger.db")) as ledger:
        (attempts,) = ledger.execute(
            "SELECT sum(cost) FROM judge_call WHERE validator_name <> 'preflight'"
        ).fetchone()
        (verdicts,) = ledger.execute(
            "SELECT sum(cost) FROM eval_validator_result"
        ).fetchone()
        ids = ledger.execute(
            "SELECT question_id, vote FROM judge_call WHERE question_id LIKE '%,%'"
        ).fetchall()
    assert verdicts == pytest.approx(attempts, abs=1e-9)
    assert all(
        len(asked.split(",")) == len(said.split(",")) <= CRITERIA for asked, said in ids
    )
    assert not any("gate" in asked for asked, _ in ids)
    anew: dict[str, Any] = json.loads(
        judged(*command(base_url, *options, "--dry-run", "--no-resume")).stdout
    )
    assert (anew["calls"]["low"], anew["cache_hits"]) == (
        0,
        real["judge_calls"] - 1,
    )  # the same calls but the preflight, in the same company
    shown = judged("report")
    assert "asked together" in shown.stdout
    assert "gpt-4.1-mini: answers of one call sway each other" in shown.stdout


def test_a_small_run_says_that_it_cannot_tell(judged: Cli, base_url: str) -> None:
    shown = judged(
        *command(
            base_url, "--batch-criteria", "4", "--limit", "2", "--ledger", "small.db"
        )
    )
    assert "too few to tell" in shown.stdout
    assert "warning" not in shown.stdout


def test_an_interrupted_budget_goes_on_and_makes_the_same_calls(
    judged: Cli, base_url: str
) -> None:
    options = (
        "--batch-criteria",
        "8",
        "--votes",
        "single",
        "--json",
        "--ledger",
        "paid.db",
        "-j",
        "4",
    )
    before = bill(base_url)
    stopped = judged(*command(base_url, *options, "--max-cost", "0.01"))
    assert stopped.returncode == 4
    spent = bill(base_url)["cost"] - before["cost"]
    assert spent <= 0.01
    whole: dict[str, Any] = json.loads(
        judged(*command(base_url, *options, "--max-cost", "5")).stdout
    )
    after = bill(base_url)
    assert whole["attempted"] == TOTAL
    assert whole["judge_calls"] == after["requests"] - before["requests"]
    assert whole["evaluator_cost"]["amount"] == pytest.approx(
        after["cost"] - before["cost"], abs=1e-9
    )


@pytest.mark.parametrize(
    ("given", "words"), [("9", "from 1 to 8, got '9'"), ("0", "from 1 to 8, got '0'")]
)
def test_more_than_eight_or_none_are_refused(
    judged: Cli, given: str, words: str
) -> None:
    refused = judged(*command("http://127.0.0.1:9/v1", "--batch-criteria", given))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert words in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
