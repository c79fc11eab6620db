"""Yes/no criteria through a judge."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.needs import Ask, Judged, Unanswered
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.verdicts import (
    Abstain,
    Confidence,
    Error,
    Fail,
    Pass,
    Skipped,
    Verdict,
)
from judgemesh.mesh.testing.drive import drive
from judgemesh.validators.criteria import criteria

from .helpers import make_case, verdicts

RESULT: dict[str, Any] = {
    "output": {"final_answer": "Your order ships on Monday.", "outputs": {"order": 17}},
    "actions": [{"kind": "ship"}],
    "trace": [
        {"role": "user", "content": "Ship it"},
        {"tool_name": "ship", "arguments": {"id": 17}, "error": "boom"},
    ],
}


def asks(**criterion: Any) -> dict[str, Any]:
    """A contract with one criterion."""
    return {"criteria": [{"id": "clear", "question": "Is it clear?", **criterion}]}


@pytest.mark.parametrize(
    ("pass_if", "vote", "kind"),
    [
        ("yes", Vote.YES, Pass),
        ("yes", Vote.NO, Fail),
        ("no", Vote.NO, Pass),
        ("no", Vote.YES, Fail),
        ("no", Vote.CANNOT_ASSESS, Abstain),
        ("yes", Vote.CANNOT_ASSESS, Abstain),
    ],
)
def test_the_vote_decides(pass_if: str, vote: Vote, kind: type[Verdict]) -> None:
    answer = Judged(
        vote=vote,
        reason="because",
        confidence=Confidence(stability=0.8, correctness=0.7),
    )
    (verdict,) = verdicts(
        criteria,
        asks(pass_if=pass_if, gate=True, weight=2.5, metric="tone"),
        RESULT,
        [answer],
    )
    assert isinstance(verdict, kind)
    assert (verdict.check, verdict.metric, verdict.weight, verdict.gating) == (
        "criterion:clear",
        "tone",
        2.5,
        True,
    )
    assert verdict.confidence == answer.confidence


@pytest.mark.parametrize(
    ("criterion", "code"),
    [
        ({}, C.UNKNOWN_FAILURE),
        ({"metric": "readability"}, C.LOW_READABILITY_SCORE),
        ({"metric": "completeness"}, C.INCOMPLETE_ANSWER),
        ({"metric": "methodology"}, C.SOP_NOT_FOLLOWED),
        ({"metric": "evidence_consistency"}, C.UNSUPPORTED_CLAIM),
        ({"metric": "evidence_validity"}, C.MISSING_EVIDENCE),
        ({"metric": "execution_success"}, C.UNKNOWN_FAILURE),
        ({"metric": "tone"}, C.UNKNOWN_FAILURE),
        ({"code": "wrong_fact"}, C.WRONG_FACT),
    ],
)
def test_codes(criterion: dict[str, Any], code: C) -> None:
    (verdict,) = verdicts(criteria, asks(**criterion), RESULT, [Judged(vote=Vote.NO)])
    assert isinstance(verdict, Fail)
    assert verdict.codes == (code,)
    assert verdict.gating is False


def material_texts(
    contract: dict[str, Any], result: dict[str, Any] = RESULT
) -> dict[str, str]:
    """What the judge is shown."""
    driven = drive(
        criteria, make_case(contract, result, judge=True), [Judged(vote=Vote.YES)]
    )
    (need,) = driven.needs
    assert isinstance(need, Ask)
    return {material.name: material.text for material in need.materials}


def test_default_materials() -> None:
    shown = material_texts({**asks(), "input": {"user_instruction": "Ship my order"}})
    assert list(shown) == ["instruction", "final_answer", "outputs"]
    assert "Ship my order" in shown["instruction"]
    assert shown["outputs"] == '{"order":17}'
    assert list(material_texts(asks(), {"output": "Hello there"})) == ["final_answer"]


def test_named_materials_are_shown_even_when_empty() -> None:
    shown = material_texts(asks(materials=["actions", "trace", "outputs"]))
    assert '"kind":"ship"' in shown["actions"]
    assert (
        shown["trace"]
        == '[1] user: Ship it\n[2] assistant called ship({"id":17}) [failed: boom]'
    )
    assert material_texts(asks(materials=["trace"]), {"output": "x y"}) == {
        "trace": "(none)"
    }


def test_long_materials_are_whole_because_the_judge_says_what_it_leaves_out() -> None:
    steps = [
        {"role": "assistant", "content": f"{number} " + "x" * 9_000}
        for number in range(100)
    ]
    text = material_texts(asks(materials=["trace"]), {"output": "x y", "trace": steps})[
        "trace"
    ]
    assert len(text) > 900_000
    assert text.splitlines()[99].startswith("[100] assistant: 99 xxx")


def test_the_judge_is_told_which_model_did_the_work() -> None:
    driven = drive(
        criteria,
        make_case(asks(), {**RESULT, "agent_model": "openai/gpt-4.1"}, judge=True),
        [Judged(vote=Vote.YES)],
    )
    (need,) = driven.needs
    assert isinstance(need, Ask)
    assert need.agent_model == "openai/gpt-4.1"


def test_what_the_judge_noticed_stands_in_verdict_and_diagnostic() -> None:
    details = {
        "injection_suspected": ["command"],
        "coverage": {"sentence": "the judge saw 6 % of the trace"},
        "note": "a person should look at it",
    }
    answer = Judged(vote=Vote.CANNOT_ASSESS, reason="unclear", details=details)
    (verdict,) = verdicts(criteria, asks(gate=True), RESULT, [answer])
    assert verdict.details == details
    assert verdict.diagnostic == (
        "cannot_assess: unclear [a person should look at it; the judge saw 6 % of the trace; "
        "the judged text speaks to the evaluator]"
    )


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "",
        ":",
        "Thought process:",
        "Let's solve this problem step by step.",
        "Sure! Here is the answer:",
        "Thought process:\nStep 1:\nSolution:",
        "让我们一步一步思考。",
        "Réponse :",
    ],
)
def test_hollow_answers_fail_unasked(answer: str | None) -> None:
    contract = {
        "criteria": [
            {"id": "a", "question": "Good?"},
            {"id": "b", "question": "Did it call?", "materials": ["trace"]},
        ]
    }
    driven = drive(
        criteria,
        make_case(contract, {**RESULT, "output": {"final_answer": answer}}, judge=True),
        [Judged(vote=Vote.YES)],
    )
    assert [need.question_id for need in driven.needs if isinstance(need, Ask)] == ["b"]
    assert sorted((verdict.check, verdict.kind) for verdict in driven.verdicts) == [
        ("criterion:a", "fail"),
        ("criterion:b", "pass"),
    ]


def test_without_a_judge_each_is_skipped() -> None:
    (verdict,) = verdicts(criteria, asks(gate=True), RESULT)
    assert isinstance(verdict, Skipped)
    assert (verdict.reason, verdict.gating) == ("not_configured", True)


@pytest.mark.parametrize(("inaccessible", "kind"), [(True, Abstain), (False, Error)])
def test_a_broken_judge_is_no_grade(*, inaccessible: bool, kind: type[Verdict]) -> None:
    answer = Unanswered(
        error_type="unavailable", message="down", inaccessible=inaccessible
    )
    (verdict,) = verdicts(criteria, asks(gate=True, metric="tone"), RESULT, [answer])
    assert isinstance(verdict, kind)
    assert (verdict.metric, verdict.gating) == ("tone", True)


def test_without_criteria_it_is_skipped() -> None:
    assert isinstance(verdicts(criteria, {}, RESULT)[0], Skipped)
