"""Long runs of blanks and of one sign are shortened in what validators read, and nothing else is."""

from __future__ import annotations

from pathlib import Path

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.grading.case.case import LONG_CHARS, prepare
from judgemesh.mesh.grading.case.long_runs import (
    LONGEST_RUN,
    shortened,
    without_long_runs,
)


def result_of(**fields: object) -> AgentResult:
    return AgentResult.model_validate({"result_id": "r", "task_id": "t", **fields})


def test_a_run_keeps_its_ends() -> None:
    assert shortened("a" + " \n" * 300 + "b") == "a" + " \n" * 40 + "b"
    assert shortened("-" * 500 + "x" + "_" * 500) == "-" * 80 + "x" + "_" * 80


def test_ordinary_text_letters_and_digits_stay() -> None:
    for text in ("a" * 1_000, "0" * 1_000, " " * LONGEST_RUN, "| a " * 500, ""):
        assert shortened(text) == text


def test_every_text_of_a_result_is_read_and_the_result_is_not_touched() -> None:
    gap = "a" + " " * 1_000 + "b"
    given = result_of(
        output={"final_answer": gap, "outputs": {"list": [gap, {gap: gap}]}},
        trace={"steps": [{"tool_name": "t", "arguments": {"x": gap}}]},
        note=gap,
    )
    read, chars = without_long_runs(given)
    assert gap not in str(read)
    assert given.output.final_answer == gap
    assert chars > 5 * len(gap)


def test_a_result_without_long_runs_stays_the_same_object() -> None:
    given = result_of(output="Short.", plan=["one", {"two": 2}])
    assert without_long_runs(given)[0] is given


def test_a_long_result_is_told_from_a_short_one() -> None:
    contract = EvalContract(task_id="t")
    for size, long in ((100, False), (LONG_CHARS + 1, True)):
        given = result_of(output="a " * size)
        case = prepare(given, contract, base_dir=Path(), judge=False)
        assert case.long is long
