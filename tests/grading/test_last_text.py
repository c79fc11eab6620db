"""A result without output is answered by what its agent said last, unless a call came after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.contract import EvalContract
from judgemesh.mesh.grading.case.case import prepare
from judgemesh.mesh.inputs.given import to_result

CALL = {"tool_name": "get_plot", "arguments": {"plot": 17}, "result": {"free": True}}
SAID = {"role": "assistant", "content": "Plot 17 is yours."}
ASKED = {"role": "user", "content": "Is plot 17 free?"}


def answer(**fields: Any) -> str | None:
    """The final answer that validators see."""
    result = to_result({"result_id": "r", "task_id": "t", **fields})
    contract = EvalContract.model_validate({"task_id": "t"})
    case = prepare(result, contract, base_dir=Path(), judge=False)
    return case.result.output.final_answer


@pytest.mark.parametrize(
    "trace",
    [
        [ASKED, CALL, SAID],
        [ASKED, SAID, {"role": "user", "content": "Thanks."}],
        {"messages": [ASKED, SAID]},
    ],
)
def test_the_last_text_is_the_answer(trace: object) -> None:
    assert answer(trace=trace) == "Plot 17 is yours."


@pytest.mark.parametrize("status", ["timeout", "error", "abandoned"])
def test_a_run_that_did_not_end_by_itself_has_none(status: str) -> None:
    assert answer(trace=[ASKED, SAID], status=status) is None


@pytest.mark.parametrize("trace", [[ASKED, SAID, CALL], [ASKED, CALL], [ASKED], []])
def test_a_text_before_a_call_is_none(trace: object) -> None:
    assert answer(trace=trace) is None


def test_what_the_result_gives_stands() -> None:
    assert answer(trace=[ASKED, SAID], output="No.") == "No."
    assert answer(trace=[ASKED, SAID], output={"final_answer": ""}) == ""
    assert answer(trace=[ASKED, SAID], output={"outputs": {"plot": 17}}) is None
