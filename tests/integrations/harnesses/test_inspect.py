"""Inspect runs its own evaluation and scores an existing log; both are compared with the ledger."""

from __future__ import annotations

import json
from pathlib import Path

import desk
import pytest

TASK = """
import sys
sys.path.insert(0, HERE)
import desk
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser, ModelOutput
from inspect_ai.solver import solver
from inspect_ai.tool import ToolCall
import json

@solver
def recorded():
    async def solve(state, generate):
        case = str(state.sample_id)
        messages = []
        for message in desk.messages(case):
            if message["role"] == "user":
                messages.append(ChatMessageUser(content=message["content"]))
            elif message["role"] == "tool":
                messages.append(ChatMessageTool(content=message["content"], tool_call_id=message["tool_call_id"]))
            else:
                calls = [ToolCall(id=call["id"], function=call["function"]["name"],
                                  arguments=json.loads(call["function"]["arguments"]))
                         for call in message.get("tool_calls", [])]
                messages.append(ChatMessageAssistant(content=message["content"] or "", tool_calls=calls or None))
        state.messages = messages
        state.output = ModelOutput.from_content("mock", desk.answer(case))
        return state
    return solve

@task
def refunds():
    samples = [Sample(id=case, input=desk.question(case), metadata={"task_id": "refund"}) for case in desk.GATES]
    return Task(dataset=MemoryDataset(samples), solver=recorded(), scorer=SCORER)
"""
EVAL = (
    "eval",
    "task.py",
    "--model",
    "mockllm/model",
    "--log-format",
    "json",
    "--display",
    "none",
    "--log-dir",
    "logs",
)


def write_task(folder: Path, scorer: str) -> None:
    text = TASK.replace("HERE", repr(str(Path(__file__).parent)))
    (folder / "task.py").write_text(text.replace("SCORER", scorer), encoding="utf-8")


def the_log(folder: Path) -> Path:
    [log] = (folder / "logs").glob("*.json")
    return log


def test_its_log_says_what_the_ledger_says(
    refund_desk: desk.Desk, bin_folder: Path
) -> None:
    from_import = "__import__('judgemesh.mesh.integrations.inspect_ai', fromlist=['*']).judgemesh()"
    write_task(refund_desk.folder, from_import)
    refund_desk.run(bin_folder / "inspect", *EVAL)
    check(refund_desk, "judgemesh")


def test_an_existing_log_is_scored_by_the_registered_name(
    refund_desk: desk.Desk, bin_folder: Path
) -> None:
    write_task(refund_desk.folder, "None")
    refund_desk.run(bin_folder / "inspect", *EVAL)
    assert not (refund_desk.folder / "ledger.db").exists()
    refund_desk.run(
        bin_folder / "inspect",
        "score",
        the_log(refund_desk.folder),
        *("--scorer", "judgemesh/judgemesh", "--overwrite", "--action", "append"),
        *("--display", "none"),
    )
    check(refund_desk, "judgemesh")


def check(refund_desk: desk.Desk, scorer: str) -> None:
    log = json.loads(the_log(refund_desk.folder).read_text(encoding="utf-8"))
    ledger = refund_desk.ledger()
    [shown] = log["results"]["scores"]
    assert (shown["scored_samples"], shown["unscored_samples"]) == (8, 2)
    assert shown["metrics"]["mean"]["value"] == pytest.approx(desk.PASS_RATE)
    metrics = {name: held["value"] for name, held in shown["metrics"].items()}
    codes = {name: value for name, value in metrics.items() if name.isupper()}
    expected: dict[str, float] = {}
    for report in ledger.values():
        if report["gate"] != "undecided":
            for code in report["failure_reason_codes"]:
                expected[code] = expected.get(code, 0) + 1 / 8
    assert codes == pytest.approx(expected)
    for sample in log["samples"]:
        [score] = sample["scores"].values()
        report = ledger[sample["id"]]
        value = desk.SCORES[report["gate"]]
        if value is None:
            assert score["value"] != score["value"] or score["value"] == "NaN"
            fault = sample["id"] == "broken-1"
            assert score["reason"] == ("evaluator_fault" if fault else "undecided")
        else:
            assert score["value"] == value
        desk.same_facts(score["metadata"], report)
        assert ("the model is on fire" in score["explanation"]) == (
            sample["id"] == "broken-1"
        )
