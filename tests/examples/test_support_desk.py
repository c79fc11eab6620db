"""The bundled demo: what each of its runs shows, without a key and without network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DESK = ROOT / "examples" / "support_desk"
README = (DESK / "README.md").read_text(encoding="utf-8")

EXPECTED = {
    "refund-confirmed": ("pass", None, "complete"),
    "refund-not-confirmed": ("fail", "UNAUTHORIZED_PAYMENT", "partial-"),
    "refund-twice": ("fail", "DUPLICATE_EXECUTION", "partial-"),
    "address-changed": ("pass", None, "complete"),
    "address-wrong-street": ("fail", "PARTIAL_STATE_CHANGE", "partial-"),
    "address-and-email-changed": ("fail", "UNAUTHORIZED_ACTION", "partial-"),
    "ticket-opened": ("pass", None, "complete"),
    "ticket-only-claimed": ("fail", "ACTION_NOT_EXECUTED", "hallucinated"),
    "ticket-timed-out": ("fail", "STATE_CHANGE_FAILED", "abandoned"),
    "delivery-answered": ("pass", None, "complete"),
    "delivery-without-cut-off": ("fail", "MISSING_REQUIRED_FIELD", "partial+"),
    "triage-sorted": ("pass", None, "complete"),
    "triage-wrong-values": ("fail", "OUTPUT_FORMAT_INVALID", "partial-"),
    "complaint-answered": ("pass", None, "complete"),
    "complaint-promises-more": ("fail", "SYSTEM_PROMPT_VIOLATION", "partial-"),
    "complaint-unclear": ("undecided", "LOW_CONFIDENCE_EVALUATION", None),
}
ASKING = {
    "complaint-answered": 4,
    "complaint-promises-more": 4,
    "complaint-unclear": 4,
}
"""Judge calls: four criteria a complaint reply. No judge is asked about a field that holds a placeholder."""


def grade(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The demo's command, in an empty folder, where every way to the network leads nowhere."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith("_API_KEY")
    }
    nowhere = dict.fromkeys(
        ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9"
    )
    command = [
        *(
            str(Path(sys.executable).with_name("judgemesh")),
            "grade",
            str(DESK / "results.jsonl"),
        ),
        *(
            "--contracts",
            str(DESK / "contracts.yaml"),
            "--judge",
            f"replay:{DESK / 'judge.jsonl'}",
        ),
        *("--fail-under", "0", *options),
    ]
    return subprocess.run(
        command,
        cwd=folder,
        env={**kept, **nowhere},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def demo(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, dict[str, dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("demo")
    done = grade(folder, "-o", "reports.jsonl")
    assert done.returncode == 0, done.stderr
    with (folder / "reports.jsonl").open(encoding="utf-8") as lines:
        return folder, {
            report["result_id"]: report for report in map(json.loads, lines)
        }


@pytest.mark.parametrize("result_id", EXPECTED)
def test_every_run_shows_what_it_is_for(
    demo: tuple[Path, dict[str, dict[str, Any]]], result_id: str
) -> None:
    report = demo[1][result_id]
    found = (
        report["gate"],
        report["primary_failure_reason_code"],
        report["outcome_class"],
    )
    assert found == EXPECTED[result_id], report["explanation"]
    assert report["judge_calls"] == ASKING.get(result_id, 0)
    assert (report["evaluator_cost"]["amount"] > 0) is (result_id in ASKING)


def test_nothing_else_is_in_the_demo(
    demo: tuple[Path, dict[str, dict[str, Any]]],
) -> None:
    assert list(demo[1]) == list(EXPECTED)


@pytest.mark.parametrize("result_id", EXPECTED)
def test_the_page_says_the_same(result_id: str) -> None:
    gate, code, _ = EXPECTED[result_id]
    row = next(
        line for line in README.splitlines() if line.startswith(f"| `{result_id}` |")
    )
    assert f"| {gate} |" in row
    assert code is None or f"`{code}`" in row


def test_the_same_command_again_grades_nothing_twice(
    demo: tuple[Path, dict[str, dict[str, Any]]],
) -> None:
    folder, reports = demo
    again = grade(folder, "--json", "-o", "again.jsonl")
    assert again.returncode == 0, again.stderr
    summary = json.loads(again.stdout)
    assert summary["attempted"] == len(EXPECTED)
    assert summary["judge_calls"] == sum(ASKING.values())
    with (folder / "again.jsonl").open(encoding="utf-8") as lines:
        assert list(map(json.loads, lines)) == list(reports.values())


def test_a_new_run_takes_the_answers_from_the_cache(
    demo: tuple[Path, dict[str, dict[str, Any]]],
) -> None:
    """The second run asks no judge; what that saved is what the first one cost."""
    folder, reports = demo
    done = grade(folder, "--no-resume", "-o", "cached.jsonl")
    assert done.returncode == 0, done.stderr
    with (folder / "cached.jsonl").open(encoding="utf-8") as lines:
        cached = {report["result_id"]: report for report in map(json.loads, lines)}
    for result_id, report in reports.items():
        assert cached[result_id]["gate"] == report["gate"]
        assert cached[result_id]["judge_calls"] == 0
        assert cached[result_id]["evaluator_cost"]["amount"] == 0
        if result_id in ASKING:
            assert (
                cached[result_id]["evaluator_cost_avoided"] == report["evaluator_cost"]
            )
