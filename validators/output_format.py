"""The structure of the output, held against the contract's JSON Schema."""

from __future__ import annotations

from typing import Any

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import DETERMINISTIC, Fail, Pass, Reason, Skipped
from judgemesh.validators._shared.answers import Answer, final_answer
from judgemesh.validators._shared.fields import parse_json, unfenced
from judgemesh.validators._shared.schemas import (
    SchemaFault,
    SchemaValidator,
    clip,
    faults,
    schema_of,
)
from judgemesh.validators._shared.text import is_hollow

_REPORTED = 5


@validator(
    name="output_format",
    version="1",
    codes=(FailureCode.OUTPUT_FORMAT_INVALID, FailureCode.EMPTY_OR_INVALID_OUTPUT),
    applies=lambda contract: contract.output_schema is not None,
)
def output_format(case: Case) -> Judgement:
    """The outputs fit the contract's `output_schema`.

    The named outputs are held against the schema; without any, the final answer must be JSON, alone or in one code
    fence, without duplicate keys, NaN or infinity. A schema that cannot be compiled (it points to another file or
    address, say) is the contract's fault: the error goes up to the engine and is never the agent's failure.
    """
    yield from ()
    schema = case.contract.output_schema
    if schema is None:
        return [
            Skipped(
                check="format",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract has no output_schema",
            )
        ]
    compiled = schema_of(schema)
    if case.result.output.outputs:
        return [_checked(compiled, case.result.output.outputs, "outputs")]
    text = case.result.output.final_answer
    if text is None or final_answer(case.result) is Answer.MISSING or _blank(text):
        return [
            _fail(
                FailureCode.EMPTY_OR_INVALID_OUTPUT,
                "there is neither a structured output nor an answer with content",
            )
        ]
    try:
        instance = parse_json(unfenced(text))
    except ValueError as fault:
        return [
            _fail(
                FailureCode.OUTPUT_FORMAT_INVALID,
                f"the final answer is no JSON: {clip(str(fault))}",
            )
        ]
    return [_checked(compiled, instance, "final_answer")]


def _blank(text: str) -> bool:
    """No content, and no JSON value either: `{}` and `null` are values that only a schema can refuse."""
    if not is_hollow(text):
        return False
    try:
        parse_json(unfenced(text))
    except ValueError:
        return True
    return False


def _checked(compiled: SchemaValidator, instance: Any, where: str) -> Pass | Fail:
    try:
        if compiled.is_valid(instance):
            return Pass(
                check="format", confidence=DETERMINISTIC, evidence_refs=(where,)
            )
        found = faults(compiled, instance, _REPORTED + 1)
    except ValueError as fault:
        # The schema compiled, so what cannot be walked is the value: nested past every bound, or not JSON at all.
        return _fail(
            FailureCode.OUTPUT_FORMAT_INVALID,
            f"{where} cannot be checked: {clip(str(fault))}",
            where,
        )
    return _fail(
        FailureCode.OUTPUT_FORMAT_INVALID,
        f"{where} does not fit the schema: {_words(found)}",
        *_refs(found, where),
    )


def _words(found: list[SchemaFault]) -> str:
    more = "; and more" if len(found) > _REPORTED else ""
    return (
        "; ".join(
            f"{fault.pointer or 'the whole'}: {fault.message}"
            for fault in found[:_REPORTED]
        )
        + more
    )


def _refs(found: list[SchemaFault], where: str) -> list[str]:
    return list(dict.fromkeys(f"{where}{fault.pointer}" for fault in found[:_REPORTED]))


def _fail(code: FailureCode, why: str, *refs: str) -> Fail:
    return Fail(
        check="format",
        codes=(code,),
        diagnostic=why,
        confidence=DETERMINISTIC,
        evidence_refs=refs,
    )
