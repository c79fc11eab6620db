"""The final answer's expected value compared with what the answer states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.sections.answer import AnswerSpec
from judgemesh.contracts.sections.section import Conditions
from judgemesh.validators._shared.answer.answers import Answer, final_answer
from judgemesh.validators._shared.answer.expecting import all_hold, fulfils
from judgemesh.validators._shared.answer.stated import Stated, stated_values
from judgemesh.validators._shared.matching import describe
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import is_container, listed, show
from judgemesh.validators.expected_answer.comparison import Comparison, Finding
from judgemesh.validators.expected_answer.units_read import asked_in, read_in

_ANSWER_KEYS: Final = frozenset(map(fold_name, ("answer", "final_answer", "result")))
_MAX_SHOWN: Final = 120


def compare_answer(spec: AnswerSpec, result: AgentResult) -> Comparison:
    """The expected answer against what the final answer states."""
    stated = _stated(spec, result)
    if not stated:
        return _nothing(spec, result)
    conditions = spec.matcher()
    if conditions is None:
        # A pattern alone: it matched.
        return _comparison(spec, Finding.MET, refs=[stated[-1].ref])
    truth = all_hold(fulfils(conditions, one, spec.unit) for one in stated)
    refs = [one.ref for one in stated]
    if truth is True:
        return _comparison(spec, Finding.MET, refs=refs)
    if (
        truth is not None
        and final_answer(result) is Answer.HOLLOW
        and not result.output.outputs
    ):
        return _nothing(spec, result)
    found = listed(
        [
            f"{one.ref} has {show(one.value, _MAX_SHOWN)}{read_in(one.value, spec.unit)}"
            for one in stated
        ]
    )
    finding = Finding.UNCERTAIN if truth is None else Finding.WRONG
    code = FailureCode.WRONG_FACT
    if truth is False and _breaks_schema(spec, stated):
        code = FailureCode.OUTPUT_FORMAT_INVALID
    return _comparison(spec, finding, why=found, refs=refs, code=code)


def _stated(spec: AnswerSpec, result: AgentResult) -> list[Stated]:
    """What the answer states. Where an object or array is expected, named outputs are the answer too."""
    output = result.output
    wants_data = is_container(spec.equals) or spec.json_schema is not None
    if output.outputs and (wants_data or not output.final_answer):
        named = _named_answer(result)
        if named is not None:
            return [named]
        if wants_data:
            return [Stated(output.outputs, "outputs")]
    if not output.final_answer:
        return []
    text = output.final_answer
    stated = stated_values(spec, text)
    if spec.pattern is not None or spec.take in ("first_line", "last_line"):
        return stated
    return [replace(one, around=text) for one in stated]


def _named_answer(result: AgentResult) -> Stated | None:
    for key, value in result.output.outputs.items():
        if fold_name(key) in _ANSWER_KEYS:
            return Stated(value, f"outputs/{key}")
    return None


def _nothing(spec: AnswerSpec, result: AgentResult) -> Comparison:
    answer = final_answer(result)
    if answer is Answer.GIVEN:
        why = f"the answer does not match the pattern {spec.pattern!r}"
        return _comparison(spec, Finding.WRONG, why=why, refs=["final_answer"])
    why = f"the final answer is {answer.value}"
    return _comparison(spec, Finding.MISSING, why=why, code=answer.code, empty=True)


def _breaks_schema(spec: AnswerSpec, stated: Sequence[Stated]) -> bool:
    if spec.json_schema is None:
        return False
    alone = Conditions.model_validate({"schema": spec.json_schema})
    return any(fulfils(alone, one) is False for one in stated)


def _comparison(
    spec: AnswerSpec,
    finding: Finding,
    *,
    why: str = "",
    refs: Sequence[str] = (),
    code: FailureCode = FailureCode.WRONG_FACT,
    empty: bool = False,
) -> Comparison:
    conditions = spec.matcher()
    expected = (
        f"text like {spec.pattern!r}"
        if conditions is None
        else asked_in(describe(conditions), conditions, spec.unit)
    )
    return Comparison(
        check="expected:answer",
        subject="the final answer",
        expected=expected,
        finding=finding,
        why=why,
        refs=tuple(dict.fromkeys(refs)),
        code=code,
        weight=spec.weight,
        empty=empty,
    )
