"""Compares the output of a result with a JSON Schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Fail,
    Pass,
    Verdict,
    not_configured,
)
from judgemesh.validators._shared.answer.answers import Answer, final_answer
from judgemesh.validators._shared.answer.hollow import is_hollow
from judgemesh.validators._shared.json_answers import json_blocks, parse_json, unfenced
from judgemesh.validators._shared.schemas import (
    SchemaFault,
    SchemaValidator,
    clip,
    faults,
    schema_of,
)

_MAX_FAULTS: Final = 5


def check_output(case: Case) -> Verdict:
    """The verdict on a result."""
    schema = case.contract.output_schema
    if schema is None:
        return not_configured("format", "the contract has no output_schema")
    compiled = schema_of(schema)
    output = case.result.output
    text = output.final_answer
    is_given = text is not None and final_answer(case.result) is not Answer.MISSING
    if output.outputs or ("outputs" in output.model_fields_set and not is_given):
        return _check(compiled, output.outputs, "outputs")
    if text is None or not is_given or _is_blank(text):
        why = "there is neither a structured output nor an answer with content"
        return _fail(FailureCode.EMPTY_OR_INVALID_OUTPUT, why)
    blocks = json_blocks(text)
    if len(blocks) > 1:
        why = f"the final answer holds {len(blocks)} JSON values; which of them is the output cannot be told"
        return _fail(FailureCode.OUTPUT_FORMAT_INVALID, why)
    try:
        instance = parse_json(blocks[0] if blocks else unfenced(text))
    except ValueError as fault:
        why = f"the final answer is no JSON: {clip(str(fault))}"
        return _fail(FailureCode.OUTPUT_FORMAT_INVALID, why)
    return _check(compiled, instance, "final_answer")


def _is_blank(text: str) -> bool:
    """No content, and no JSON value either: `{}` and `null` are values that only a schema can refuse."""
    if not is_hollow(text):
        return False
    try:
        parse_json(unfenced(text))
    except ValueError:
        return True
    return False


def _check(compiled: SchemaValidator, instance: object, ref: str) -> Pass | Fail:
    try:
        if compiled.is_valid(instance):
            return Pass(check="format", confidence=DETERMINISTIC, evidence_refs=(ref,))
        broken = faults(compiled, instance, _MAX_FAULTS + 1)
    except ValueError as fault:
        # The schema compiled, so the value cannot be walked: it is nested too deep, or not JSON at all.
        why = f"{ref} cannot be checked: {clip(str(fault))}"
        return _fail(FailureCode.OUTPUT_FORMAT_INVALID, why, [ref])
    refs = [f"{ref}{fault.pointer}" for fault in broken[:_MAX_FAULTS]]
    why = f"{ref} does not fit the schema: {_listed(broken)}"
    return _fail(FailureCode.OUTPUT_FORMAT_INVALID, why, refs)


def _listed(broken: Sequence[SchemaFault]) -> str:
    shown = [
        f"{fault.pointer or 'the whole'}: {fault.message}"
        for fault in broken[:_MAX_FAULTS]
    ]
    if len(broken) > _MAX_FAULTS:
        shown.append("and more")
    return "; ".join(shown)


def _fail(code: FailureCode, why: str, refs: Iterable[str] = ()) -> Fail:
    return Fail(
        check="format",
        codes=(code,),
        diagnostic=why,
        confidence=DETERMINISTIC,
        evidence_refs=tuple(dict.fromkeys(refs)),
    )
