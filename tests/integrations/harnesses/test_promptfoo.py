"""promptfoo runs its own evaluation with the command; its output file is compared with the ledger."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import desk
import pytest

PROVIDER = """
const answers = ANSWERS;
module.exports = class {
  id() { return 'recorded'; }
  async callApi(prompt, context) {
    const held = answers[context.vars.id];
    return { output: held.answer, metadata: { messages: held.messages } };
  }
};
"""
PROMPTFOO = Path(sys.prefix) / "node_modules/.bin/promptfoo"


@pytest.fixture
def files(refund_desk: desk.Desk) -> Path:
    folder = refund_desk.folder
    answers = {
        case: {"answer": desk.answer(case), "messages": desk.messages(case)}
        for case in desk.GATES
    }
    provider = PROVIDER.replace("ANSWERS", json.dumps(answers))
    (folder / "agent.cjs").write_text(provider, encoding="utf-8")
    script = refund_desk.run(
        sys.executable, "-m", "judgemesh.mesh.integrations.promptfoo"
    )
    (folder / "grading.cjs").write_text(script, encoding="utf-8")
    config = {
        "prompts": ["{{question}}"],
        "providers": ["file://agent.cjs"],
        "defaultTest": {
            "assert": [
                {
                    "type": "javascript",
                    "value": "file://grading.cjs",
                    "config": {"task": "refund"},
                }
            ]
        },
        "tests": [
            {"vars": {"id": case, "question": desk.question(case)}}
            for case in desk.GATES
        ],
    }
    (folder / "promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def test_its_output_says_what_the_ledger_says(
    refund_desk: desk.Desk, files: Path
) -> None:
    refund_desk.environment.update(
        PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        PROMPTFOO_PYTHON=sys.executable,
        PROMPTFOO_CONFIG_DIR=str(files / "promptfoo"),
    )
    refund_desk.run(
        PROMPTFOO,
        *("eval", "-c", "promptfooconfig.json", "-o", "out.json"),
        *("--no-cache", "--no-progress-bar", "--no-table", "--no-write"),
        ok=(100,),
    )
    results = json.loads((files / "out.json").read_text(encoding="utf-8"))["results"]
    ledger = refund_desk.ledger()
    stats = results["stats"]
    assert (stats["successes"], stats["failures"], stats["errors"]) == (4, 4, 2)
    shown = {row["vars"]["id"]: row for row in results["results"]}
    assert shown.keys() == ledger.keys()
    for name, row in shown.items():
        report = ledger[name]
        if report["gate"] == "undecided":
            assert row["error"].find("judgemesh undecided") >= 0
            facts = json.loads(row["error"][row["error"].index("{") :].splitlines()[0])
            desk.same_facts(facts, report)
            assert ("the model is on fire" in row["error"]) == (name == "broken-1")
            continue
        [held] = row["gradingResult"]["componentResults"]
        assert (held["pass"], held["score"]) == (
            report["gate"] == "pass",
            desk.SCORES[report["gate"]],
        )
        desk.same_facts(held["metadata"]["judgemesh"], report)
        assert row["namedScores"]["judgemesh"] == desk.SCORES[report["gate"]]
        assert all(code in held["reason"] for code in report["failure_reason_codes"])
