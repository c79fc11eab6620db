"""`--mode economy` through `Mesh`: the order that a ledger teaches, the votes that labels allow, and workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.report import Gate
from judgemesh.contracts.voting import ECONOMY, LEAD, VotingPolicy, VotingRule
from judgemesh.mesh import Mesh
from judgemesh.mesh.judging.confidence.active import CALIBRATION
from judgemesh.mesh.judging.confidence.platt import Calibration
from judgemesh.mesh.judging.confidence.vote_accuracy import VoteAccuracy, VoteModel
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.ledger.labels import CalibrationRow
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.testing import ScriptedJudge

pytestmark = pytest.mark.anyio

CONTRACT = EvalContract.model_validate(
    {
        "task_id": "t",
        "criteria": [
            {"id": name, "question": f"Is it {name}?", "gate": True}
            for name in ("polite", "complete", "correct")
        ],
    }
)


def results(count: int) -> list[Mapping[str, Any]]:
    return [
        {"result_id": f"r{number}", "task_id": "t", "output": f"Case {number}."}
        for number in range(count)
    ]


async def grade(judge: ScriptedJudge, count: int, **options: Any) -> list[Gate]:
    async with Mesh.from_config(contracts=[CONTRACT], judge=judge, **options) as mesh:
        rows = results(count)
        return [report.gate async for report in mesh.grade_many(rows, ordered=True)]


def asked(judge: ScriptedJudge) -> list[str]:
    """The questions in the order in which they were first asked."""
    return list(dict.fromkeys(call.question_id for call in judge.calls))


async def test_a_ledger_teaches_which_question_to_ask_first(tmp_path: Path) -> None:
    """Correctness fails half of the results: the second run asks about it first, and hardly anything else of those."""

    def vote(call: ModelCall) -> str:
        number = int(
            call.messages[-1]["content"].partition("Case ")[2].partition(".")[0]
        )
        return "no" if call.question_id == "correct" and number % 2 else "yes"

    ledger = tmp_path / "ledger.db"
    full = ScriptedJudge(vote)
    gates = await grade(full, 20, ledger=ledger, votes="economy", run_name="full")
    assert gates == [Gate.PASS, Gate.FAIL] * 10
    options: dict[str, Any] = {"mode": "economy", "audit_share": 0.0}
    taught, untaught = ScriptedJudge(vote), ScriptedJudge(vote)
    assert gates == await grade(
        taught, 20, ledger=ledger, cache=False, run_name="taught", **options
    )
    assert gates == await grade(untaught, 20, **options)
    assert asked(untaught) == ["polite", "complete", "correct"]
    assert asked(taught) == ["correct", "polite", "complete"]
    assert len(full.calls) == len(untaught.calls) == 20 * 3 * 3
    assert len(taught.calls) == 20 * 3 + 10 * 2 * 3


async def test_the_mode_takes_five_votes_curtailed_unless_votes_are_given() -> None:
    for options, calls in (
        ({"mode": "economy"}, 9),
        ({"mode": "economy", "votes": "single"}, 3),
        ({"votes": "economy"}, 9),
        ({}, 9),
    ):
        judge = ScriptedJudge("yes")
        assert await grade(judge, 1, **options) == [Gate.PASS]
        assert len(judge.calls) == calls


def calibration(votes: VoteAccuracy | None, threshold: float | None) -> Calibration:
    prompts = VotingJudge(ScriptedJudge("yes"), model="m", votes=LEAD).prompts_digest
    return Calibration(
        model="scripted",
        prompts=prompts,
        labels=60,
        slopes=(1.0, 0.0, 0.0, 0.0),
        intercept=0.0,
        votes=votes,
        threshold=threshold,
    )


REPEATING = VoteModel(accuracy=0.9, correlation=0.7)
INDEPENDENT = VoteModel(accuracy=0.9)


@pytest.mark.parametrize(
    ("model", "threshold", "calls"),
    [
        (REPEATING, None, 2),
        (INDEPENDENT, None, 3),
        (REPEATING, 0.8, 3),
        (None, None, 3),
    ],
)
async def test_labels_that_show_a_judge_repeating_itself_save_votes(
    tmp_path: Path, model: VoteModel | None, threshold: float | None, calls: int
) -> None:
    votes = None if model is None else VoteAccuracy(yes=model, no=model)
    known = calibration(votes, threshold)
    async with await Ledger.open(str(tmp_path / "ledger.db")) as ledger:
        await ledger.write_calibration(
            CalibrationRow(
                model=known.model,
                method=CALIBRATION,
                created_at=datetime.now(UTC),
                parameters=known.to_json(),
            )
        )
    judge = ScriptedJudge("yes")
    gates = await grade(judge, 1, mode="economy", ledger=tmp_path / "ledger.db")
    assert len(judge.calls) == 3 * calls
    assert gates == [Gate.PASS]


BEST_OF_THREE = replace(
    ECONOMY,
    gate=VotingRule(pass_lead=2, fail_lead=2, k_max=3, majority_decides=True),
)


@pytest.mark.parametrize(
    ("policy", "contradicting", "gate"),
    [
        (ECONOMY, {1}, Gate.PASS),
        (ECONOMY, {1, 3}, Gate.PASS),
        (ECONOMY, {1, 3, 5}, Gate.UNDECIDED),
        (ECONOMY, {0, 2, 4}, Gate.UNDECIDED),
        (ECONOMY, {0, 2, 4, 5}, Gate.FAIL),
        (BEST_OF_THREE, {1}, Gate.PASS),
        (BEST_OF_THREE, {1, 3}, Gate.UNDECIDED),
        (ECONOMY, set[int](), Gate.PASS),
        (LEAD, {1}, Gate.UNDECIDED),
    ],
)
async def test_one_contradiction_of_the_negated_question_is_asked_again(
    policy: VotingPolicy, contradicting: set[int], gate: Gate
) -> None:
    """Votes 1, 3 and 5 ask the negated question, in economy. The judge answers in the sense of the question itself."""

    def vote(call: ModelCall) -> str:
        return "no" if call.sample_index in contradicting else "yes"

    contract = CONTRACT.model_copy(update={"criteria": CONTRACT.criteria[:1]})
    async with Mesh.from_config(judge=ScriptedJudge(vote), votes=policy) as mesh:
        report = await mesh.grade(results(1)[0], contract)
    assert report.gate is gate
