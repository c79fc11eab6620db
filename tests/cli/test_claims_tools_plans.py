"""Claims, tool selection and plans from the command line: their codes, and a scripted judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli

CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "UNSUPPORTED_CLAIM",
        {
            "claims": {
                "evidence": [
                    {"id": "d", "text": "Cats sleep most of the day and hunt at dusk."}
                ]
            }
        },
        {"claims": ["The plant employs 900 people."]},
    ),
    (
        "CLAIM_EVIDENCE_MISMATCH",
        {
            "claims": {
                "evidence": [
                    {"id": "d", "text": "Cats sleep most of the day and hunt at dusk."}
                ]
            }
        },
        {"claims": [{"text": "The plant employs 900 people.", "citations": ["d"]}]},
    ),
    (
        "CONTRADICTED_BY_EVIDENCE",
        {
            "claims": {
                "evidence": [{"id": "d", "text": "The plant employs 700 people."}]
            }
        },
        {"claims": [{"text": "The plant employs 900 people.", "citations": ["d"]}]},
    ),
    (
        "WRONG_FACT",
        {
            "claims": {
                "facts": [{"subject": "plant", "property": "employs", "value": 700}]
            }
        },
        {"claims": ["The plant employs 900 people."]},
    ),
]


def reports(
    cli: Cli, contract: dict[str, Any], result: dict[str, Any], *options: str
) -> dict[str, Any]:
    """Grade one result; the report as it is written."""
    cli.write("c.yaml", json.dumps({"task_id": "t", **contract}))
    cli.write("r.jsonl", {"result_id": "r", "task_id": "t", **result})
    done = cli("grade", "r.jsonl", "--contracts", "c.yaml", "-o", "out.jsonl", *options)
    assert "Traceback" not in done.stderr
    report: dict[str, Any] = json.loads((cli.folder / "out.jsonl").read_text())
    return report


@pytest.mark.parametrize(("code", "contract", "output"), CASES)
def test_each_code_of_claims(
    cli: Cli, code: str, contract: dict[str, Any], output: dict[str, Any]
) -> None:
    contract = {"validators": [{"name": "citations", "enabled": False}], **contract}
    report = reports(
        cli, contract, {"output": {"final_answer": "See the claims.", **output}}
    )
    assert report["gate"] == "fail"
    assert report["primary_failure_reason_code"] == code


def test_tool_selection_is_a_score_of_its_own(cli: Cli) -> None:
    tools = {"expected": [{"tool": "a"}, {"tool": "b"}]}
    trace = [{"tool_name": "a"}, {"tool_name": "c"}]
    report = reports(cli, {"tools": tools}, {"output": "done", "trace": trace})
    assert report["gate"] == "pass"
    assert report["other_scores"]["tool_selection"] == 5
    report = reports(
        cli,
        {"tools": {**tools, "extra_calls": "forbid"}},
        {"output": "done", "trace": trace},
    )
    assert report["primary_failure_reason_code"] == "UNAUTHORIZED_ACTION"


def test_a_plan_is_carried_out(cli: Cli) -> None:
    plan = {
        "actions": {
            "open": {"adds": ["open"]},
            "enter": {"requires": ["open"], "adds": ["inside"]},
        },
        "goal": ["inside"],
        "steps": 3,
        "measure": ["ordering"],
    }
    assert (
        reports(cli, {"plan": plan}, {"output": "done", "plan": ["open", "enter"]})[
            "gate"
        ]
        == "pass"
    )
    report = reports(cli, {"plan": plan}, {"output": "done", "plan": ["enter", "open"]})
    assert report["gate"] == "fail"
    assert report["other_scores"]["plan_quality"] == 0


def test_unknown_keys_of_the_sections_are_named_with_their_line(cli: Cli) -> None:
    Path(cli.folder / "c.yaml").write_text("task_id: t\ntools:\n  expcted: []\n")
    done = cli("contract", "check", "c.yaml")
    assert done.returncode == 2
    assert "expected" in done.stdout + done.stderr
    assert "c.yaml:3" in done.stdout + done.stderr
