from __future__ import annotations

import pytest

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Answer, Ask, Judged, Need
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import Abstain, Pass
from judgemesh.mesh.testing import drive

CASE = Case(
    result=AgentResult.model_validate(
        {"result_id": "r", "task_id": "t", "output": "done"}
    ),
    contract=EvalContract.model_validate({"task_id": "t"}),
)


def ask(name: str) -> Ask:
    return Ask(question_id=name, question=f"{name}?", materials=())


@validator(name="two_rounds", version="1")
def two_rounds(_case: Case) -> Judgement:
    """Asks twice."""
    first = yield {"a": ask("a"), "b": ask("b")}
    second = yield {"c": ask("c")}
    answers = [first["a"], first["b"], second["c"]]
    votes = [answer.vote for answer in answers if isinstance(answer, Judged)]
    return [
        Pass(check=vote.value) if vote is Vote.YES else Abstain(check=vote.value)
        for vote in votes
    ]


def test_answers_from_a_function() -> None:
    def answer(need: Need) -> Answer:
        assert isinstance(need, Ask)
        return Judged(vote=Vote.YES if need.question_id == "b" else Vote.NO)

    driven = drive(two_rounds, CASE, answer)
    assert [verdict.check for verdict in driven.verdicts] == ["no", "yes", "no"]
    assert [list(asked) for asked in driven.rounds] == [["a", "b"], ["c"]]
    assert [need.question_id for need in driven.needs if isinstance(need, Ask)] == [
        "a",
        "b",
        "c",
    ]


def test_answers_from_a_list() -> None:
    yes = Judged(vote=Vote.YES)
    assert drive(two_rounds, CASE, [yes, yes, yes]).verdicts == [Pass(check="yes")] * 3


@pytest.mark.parametrize(
    ("count", "says"),
    [
        (1, "no answer to the need 'b'"),
        (2, "no answer to the need 'c'"),
        (4, "1 answers were left over"),
    ],
)
def test_a_list_must_fit(count: int, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        drive(two_rounds, CASE, [Judged(vote=Vote.YES)] * count)


def test_answers_by_name() -> None:
    answers = {"a": Judged(vote=Vote.YES), "b": Judged(vote=Vote.NO)}
    answers["c"] = Judged(vote=Vote.CANNOT_ASSESS)
    driven = drive(two_rounds, CASE, answers)
    assert [verdict.check for verdict in driven.verdicts] == [
        "yes",
        "no",
        "cannot_assess",
    ]
    with pytest.raises(ValueError, match="answers to no need: d"):
        drive(two_rounds, CASE, answers | {"d": Judged(vote=Vote.YES)})
    del answers["b"]
    with pytest.raises(ValueError, match="no answer to the need 'b'"):
        drive(two_rounds, CASE, answers)


def test_a_plain_validator_needs_no_answers() -> None:
    def plain(_case: Case) -> bool:
        return True

    assert drive(plain, CASE).verdicts == [Pass()]
    with pytest.raises(ValueError, match="1 answers were left over"):
        drive(plain, CASE, [Judged(vote=Vote.YES)])


def test_an_async_validator_is_awaited_instead() -> None:
    async def late(_case: Case) -> bool:
        return True

    with pytest.raises(TypeError, match="await"):
        drive(late, CASE)
