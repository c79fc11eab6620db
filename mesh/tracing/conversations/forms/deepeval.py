"""Test cases of DeepEval, whose calls stand beside the answer of a case or turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judgemesh.contracts.transcripts.keys import Fields, fold
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_list, objects_of

_ARGUMENTS: Final = "inputparameters"


def deepeval_cases(document: Document) -> Iterator[Record]:
    """The test cases of a run, or one case by itself."""
    for item in document.objects:
        fields = Fields(item)
        cases = objects_of(fields.get("testcases"))
        dialogues = objects_of(fields.get("conversationaltestcases"))
        alone = not fields.has(("testcases", "conversationaltestcases"))
        for case in [item] if alone else cases:
            yield (
                _case_record(Fields(case))
                if "turns" not in case
                else _dialogue_record(Fields(case))
            )
        for case in dialogues:
            yield _dialogue_record(Fields(case))


def _case_record(case: Fields) -> Record:
    asked, answer = case.text("input"), case.text("actualoutput")
    messages = [{"role": "user", "content": asked}] if asked else []
    return Record(
        messages=[
            *messages,
            *_deepeval_calls(case),
            *([{"role": "assistant", "content": answer}] if answer else []),
        ],
        id=case.text("name") or "",
        answer=answer,
        usages=[
            {
                "input_tokens": case.get("inputtokencount"),
                "output_tokens": case.get("outputtokencount"),
            }
        ],
    )


def _dialogue_record(case: Fields) -> Record:
    messages: list[JsonObject] = []
    for turn in objects_of(case.get("turns")):
        messages += _deepeval_calls(Fields(turn))
        messages.append({"role": turn.get("role"), "content": turn.get("content")})
    return Record(messages=messages, id=case.text("name") or "")


def _deepeval_calls(fields: Fields) -> list[JsonObject]:
    """The calls of a case or turn."""
    calls = map(_known, objects_of(fields.get("toolscalled")))
    return [{"role": "assistant", "toolsCalled": [call]} for call in calls]


def _known(call: JsonObject) -> JsonObject:
    """A call whose null arguments are unknown: those that were no JSON cannot be held."""
    if Fields(call).get(_ARGUMENTS) is not None:
        return call
    rest = {key: call[key] for key in call if fold(key) != _ARGUMENTS}
    return {**rest, "inputParameters": "null (not in the file)"}


def is_deepeval(document: Document) -> bool:
    """Whether it is a test case of DeepEval, or a set of them."""
    fields = Fields(document.first)
    return fields.has(("testcases", "conversationaltestcases")) or (
        "actualoutput" in fields
        or (is_list(fields.get("turns")) and "scenario" in fields)
    )
