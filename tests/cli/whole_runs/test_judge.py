"""Grading with a judge through the installed command: a real HTTP server on the loopback answers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..conftest import Cli

CONTRACT = """
task_id: trip
criteria:
  - {id: polite, question: "Is the answer polite? TRUTH:yes", gate: true}
  - {id: complete, question: "Does it say when? TRUTH:no", metric: completeness}
"""
JUDGE = ("--judge", "openai/gpt-4.1-mini")
LEAN = (
    "--judge",
    "openai-compatible:gpt-4.1-mini",
)  # the same server without litellm, which takes seconds to import
SINGLE = ("--votes", "single")


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """A simulated provider in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "judgemesh.mesh.testing.fake_provider",
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.fixture
def judged(cli: Cli) -> Cli:
    cli.write("contracts.yaml", CONTRACT)
    cli.write(
        "results.jsonl",
        *(
            {"result_id": f"r{number}", "task_id": "trip", "output": "Hello."}
            for number in range(4)
        ),
    )
    return cli


def test_costs_and_cache(judged: Cli, base_url: str) -> None:
    """What grading cost, what the cache avoided in a second run, and both in the words people read."""
    command = (
        "grade",
        "results.jsonl",
        "-c",
        "contracts.yaml",
        *LEAN,
        *SINGLE,
        "--judge-api-base",
        base_url,
    )
    done = judged.process(*command, "--json")
    first: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode, first["passed"], first["attempted"]) == (0, 4, 4)
    assert first["failure_codes"] == {
        "INCOMPLETE_ANSWER": 4,
        "LOW_COMPLETENESS_SCORE": 4,
    }
    assert first["evaluator_cost"]["amount"] > 0
    assert first["judge_calls"] + first["cache_hits"] == 9  # the preflight is one
    again = judged.process(*command, "--no-resume")
    assert again.returncode == 0
    assert "0 judge calls, 9 answers from the cache" in again.stdout
    assert "0 USD; the cache avoided " in again.stdout
    shown = judged("report", "r1")
    assert "gpt-4.1-mini" in shown.stdout
    assert "stability" in shown.stdout


def test_doctor_calls_the_judge(judged: Cli, base_url: str) -> None:
    done = judged.process("doctor", *JUDGE, "--judge-api-base", base_url, "--json")
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["judge"]["ok"]
    assert "answered by gpt-4.1-mini" in checks["judge"]["found"]
    assert checks["price"]["ok"]
    assert "USD per million tokens" in checks["price"]["found"]
