"""Reports of test harnesses: one conversation a sample, case or test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from judgemesh.contracts.transcripts.arguments import as_text
from judgemesh.contracts.transcripts.keys import Fields
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    list_of,
    object_of,
    objects_of,
)

_NO_RESULTS: Final = ("results of the calls",)

# --- promptfoo: {results: {results: [{vars, prompt, response}]}} ---


def promptfoo_results(document: Document) -> Iterator[Record]:
    """The results of an evaluation."""
    outer = object_of(document.whole)
    found = outer.get("results")
    inner = objects_of(found) or objects_of(object_of(found).get("results"))
    for result in inner:
        yield _promptfoo_record(result)


def _promptfoo_record(result: JsonObject) -> Record:
    response = object_of(result.get("response"))
    metadata = object_of(response.get("metadata")) or object_of(result.get("metadata"))
    asked = _prompt_messages(result)
    provider = str(object_of(result.get("provider")).get("id") or "")
    usage = object_of(response.get("tokenUsage")) or object_of(result.get("tokenUsage"))
    common: JsonObject = {
        "id": str(result.get("id") or ""),
        "usages": [
            {
                "input_tokens": usage.get("prompt"),
                "output_tokens": usage.get("completion"),
            }
        ],
        "model": provider.rpartition(":")[2] if provider.count(":") > 1 else None,
    }
    output = response.get("output")
    messages = objects_of(metadata.get("messages"))
    calls = objects_of(metadata.get("toolCalls")) or objects_of(
        metadata.get("tool_calls")
    )
    if messages:
        return Record(
            messages=_with_failures(messages, calls), answer=_text(output), **common
        )
    if calls:
        said = [
            {"role": "assistant", "tool_calls": calls},
            {"role": "assistant", "content": _text(output)},
        ]
        return Record(messages=[*asked, *said], answer=_text(output), **common)
    return Record(messages=[*asked, *_reply(output)], lost=_NO_RESULTS, **common)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _reply(output: object) -> list[JsonObject]:
    """What the built-in provider gives: the text, the array of calls, or the message with both."""
    if is_list(output) and objects_of(output):
        return [{"role": "assistant", "tool_calls": output}]
    if is_object(output):
        return [{"role": "assistant", **output}]
    return [{"role": "assistant", "content": output}] if isinstance(output, str) else []


def _prompt_messages(result: JsonObject) -> list[JsonObject]:
    """The prompt: a list of messages as JSON text, or the user's text."""
    raw = object_of(result.get("prompt")).get("raw")
    if not isinstance(raw, str) or not raw:
        return []
    if raw.lstrip().startswith("["):
        try:
            messages = objects_of(json.loads(raw))
        except (ValueError, RecursionError):
            messages = []
        if messages:
            return messages
    return [{"role": "user", "content": raw}]


def _with_failures(
    messages: list[JsonObject], calls: list[JsonObject]
) -> list[JsonObject]:
    """The messages, with the failures that a list of calls beside them states."""
    failed = {
        str(call.get("id")) for call in calls if Fields(call).get(("iserror", "error"))
    }
    return [
        {**message, "error": True}
        if str(message.get("tool_call_id")) in failed
        else message
        for message in messages
    ]


# --- pydantic-evals: {cases: [{inputs, output, metrics}]} ---


def pydantic_evals(document: Document) -> Iterator[Record]:
    """The cases of a report."""
    for report in document.objects:
        for case in [
            *objects_of(report.get("cases")),
            *objects_of(report.get("failures")),
        ]:
            yield _eval_record(case)


def _eval_record(case: JsonObject) -> Record:
    output = case.get("output")
    held = object_of(output)
    messages = list_of(held.get("messages")) or list_of(held.get("all_messages"))
    answer = (
        output
        if isinstance(output, str)
        else next(
            (
                held[key]
                for key in ("answer", "output", "data", "final_answer")
                if isinstance(held.get(key), str)
            ),
            None,
        )
    )
    name = str(case.get("name") or "")
    if messages:
        return Record(messages=messages, id=name, answer=answer)
    asked = case.get("inputs")
    texts = asked if is_list(asked) else [asked]
    said: list[JsonObject] = [
        {"role": "user", "content": as_text(text)} for text in texts
    ]
    said.append({"role": "assistant", "content": answer})
    return Record(
        messages=said,
        id=name,
        answer=answer,
        usages=[object_of(case.get("metrics"))],
        unread="the report holds the answer and no calls",
        lost=("calls",),
    )


def is_pydantic_evals(document: Document) -> bool:
    """Whether it is a report of pydantic-evals."""
    cases = document.first.get("cases")
    return is_list(cases) and all("inputs" in object_of(case) for case in cases[:3])


def is_promptfoo(document: Document) -> bool:
    """Whether it is the output of promptfoo."""
    results = document.first.get("results")
    inner = results if is_list(results) else object_of(results).get("results")
    return is_list(inner) and all(
        "response" in object_of(one) or "vars" in object_of(one) for one in inner[:3]
    )
