"""The output against the contract's JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.verdicts import Skipped
from judgemesh.validators.output_format import output_format

from .helpers import codes, diagnostics, kinds, nested, refs, verdicts

SCHEMA = {
    "type": "object",
    "required": ["amount"],
    "properties": {
        "amount": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}


@pytest.mark.parametrize(
    "output",
    [
        {"outputs": {"amount": 1}},
        {"outputs": {"amount": 1.5, "tags": ["a"]}, "final_answer": "prose"},
        {"final_answer": ' {"amount": 1} \n'},
        {"final_answer": '```json\n{"amount": 1}\n```'},
        {"final_answer": '```\n{"amount": 1}\n```'},
        {"final_answer": '{"amount": ' + "9" * 400 + "}"},
    ],
)
def test_valid(output: dict[str, Any]) -> None:
    assert kinds(
        verdicts(output_format, {"output_schema": SCHEMA}, {"output": output})
    ) == ["pass"]


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ({}, C.EMPTY_OR_INVALID_OUTPUT),
        ({"final_answer": " "}, C.EMPTY_OR_INVALID_OUTPUT),
        ({"final_answer": "N/A"}, C.EMPTY_OR_INVALID_OUTPUT),
        ({"final_answer": "The amount is 1."}, C.OUTPUT_FORMAT_INVALID),
        ({"final_answer": '{"amount": NaN}'}, C.OUTPUT_FORMAT_INVALID),
        ({"final_answer": '{"amount": Infinity}'}, C.OUTPUT_FORMAT_INVALID),
        ({"final_answer": '{"amount": 1, "amount": 2}'}, C.OUTPUT_FORMAT_INVALID),
        ({"final_answer": '{"amount": 1}{"amount": 1}'}, C.OUTPUT_FORMAT_INVALID),
        (
            {
                "final_answer": '```json\n{"amount": 1}\n```\n```json\n{"amount": 1}\n```'
            },
            C.OUTPUT_FORMAT_INVALID,
        ),
        ({"final_answer": "[" * 100_000}, C.EMPTY_OR_INVALID_OUTPUT),
        ({"final_answer": "[" * 5_000 + "1" + "]" * 5_000}, C.OUTPUT_FORMAT_INVALID),
        ({"final_answer": '{"amount": "\ud800"}'}, C.OUTPUT_FORMAT_INVALID),
        ({"final_answer": '{"amount": 1'}, C.OUTPUT_FORMAT_INVALID),
        ({"final_answer": "null"}, C.OUTPUT_FORMAT_INVALID),
        ({"final_answer": "{}"}, C.OUTPUT_FORMAT_INVALID),
        ({"outputs": {"amount": True}}, C.OUTPUT_FORMAT_INVALID),
    ],
)
def test_invalid(output: dict[str, Any], code: C) -> None:
    reported = verdicts(output_format, {"output_schema": SCHEMA}, {"output": output})
    assert kinds(reported) == ["fail"]
    assert codes(reported) == {code}
    assert "\n" not in diagnostics(reported)


def test_errors_are_bounded_and_say_where() -> None:
    reported = verdicts(
        output_format,
        {"output_schema": SCHEMA},
        {"output": {"outputs": {"amount": 1, "tags": list(range(1000))}}},
    )
    assert refs(reported) == [f"outputs/tags/{index}" for index in range(5)]
    assert "/tags/0" in diagnostics(reported)
    assert "and more" in diagnostics(reported)
    assert len(diagnostics(reported)) < 1000


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://example.invalid/s.json"},
        {"$ref": "file:///etc/passwd"},
        {"type": "objekt"},
        {"must_include": ["room"]},
        {"properties": {"a": {"$ref": "other.json"}}},
        {"patternProperties": {"(?=x)": {}}},
    ],
)
def test_a_broken_schema_is_no_failure_of_the_agent(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="JSON Schema cannot be used"):
        verdicts(
            output_format, {"output_schema": schema}, {"output": {"outputs": {"a": 1}}}
        )


def test_a_slow_pattern_is_linear() -> None:
    schema = {"properties": {"a": {"pattern": "^(a+)+$"}}}
    assert kinds(
        verdicts(
            output_format,
            {"output_schema": schema},
            {"output": {"outputs": {"a": "a" * 50_000 + "!"}}},
        )
    ) == ["fail"]


def test_deep_output_is_a_format_fault_or_fits_but_never_a_crash() -> None:
    recursive = {
        "$defs": {
            "n": {"type": "object", "additionalProperties": {"$ref": "#/$defs/n"}}
        },
        "$ref": "#/$defs/n",
    }
    reported = verdicts(
        output_format,
        {"output_schema": recursive},
        {"output": {"outputs": nested(300)}},
    )
    assert kinds(reported) == ["fail"]


@pytest.mark.parametrize(("schema", "kind"), [(True, "pass"), (False, "fail")])
def test_boolean_schemas(*, schema: bool, kind: str) -> None:
    assert kinds(
        verdicts(
            output_format, {"output_schema": schema}, {"output": {"outputs": {"a": 1}}}
        )
    ) == [kind]


def test_without_schema_it_is_skipped() -> None:
    assert isinstance(verdicts(output_format, {}, {"output": "x"})[0], Skipped)
