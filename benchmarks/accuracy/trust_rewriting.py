"""Other forms of a result that mean the same: none of them may turn a gate that does not pass into one that does.

A rewriting takes a result as data and returns it in another form, or None where the form does not apply to it. What a
contract looks for by its exact form (a field on a line of its own) may get lost on the way, so that an honest result
need not pass in every form; a dishonest one must not pass in any.
"""

from __future__ import annotations

import copy
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, cast

Json = dict[str, Any]
Rewriting = Callable[[Json], "Json | None"]
MessageOf = Callable[[str, Json], Json]
"""Makes a message of the id of a call and its step."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_THOUSANDS = re.compile(r"(?<![\w.,/:-])([1-9]\d{3,8})(?![\w,/:-]|\.\d)")


def _answer(result: Json) -> str | None:
    output = result.get("output")
    if isinstance(output, str):
        return output
    if isinstance(output, dict):
        answer = cast("Json", output).get("final_answer")
        return answer if isinstance(answer, str) else None
    return None


def _with_answer(result: Json, answer: str) -> Json:
    output = result["output"]
    if isinstance(output, str):
        return {**result, "output": answer}
    return {**result, "output": {**output, "final_answer": answer}}


def _text(change: Callable[[str], str]) -> Rewriting:
    """A rewriting of the final answer."""

    def rewrite(result: Json) -> Json | None:
        answer = _answer(result)
        if not answer or not answer.strip():
            return None
        changed = change(answer)
        return None if changed == answer else _with_answer(result, changed)

    return rewrite


def _lines(prefix: str) -> Callable[[str], str]:
    """Every sentence and line of a text on a line of its own, behind a prefix."""

    def change(text: str) -> str:
        if _is_structured(text):
            return text
        lines: list[str] = []
        for line in text.splitlines():
            lines += _SENTENCE_END.split(line)
        return "\n".join(prefix + line for line in lines if line.strip())

    return change


def _is_structured(text: str) -> bool:
    """Whether a text is JSON, a fence or a table, whose lines must stay as they are."""
    return text.lstrip()[:1] in ("{", "[", "|") or "```" in text


def _emphasised(text: str) -> str:
    """The first letters of every sentence in bold, as `**Th**e`."""
    if _is_structured(text):
        return text
    return re.sub(r"(?m)^([A-Za-z]{2})(?=[a-z])", r"**\1**", text)


def _with_zero_width(text: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[a-z]{3}\b)", "\u200b", text)


def _fullwidth_digits(text: str) -> str:
    return text.translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)})


def _in_fence(text: str) -> str:
    try:
        json.loads(text)
    except ValueError:
        return text
    return f"Here is the result:\n```json\n{text}\n```\n"


def _output_as_text(result: Json) -> Json | None:
    output = result.get("output")
    if isinstance(output, dict) and list(cast("Json", output)) == ["final_answer"]:
        return {**result, "output": output["final_answer"]}
    return None


def _output_as_object(result: Json) -> Json | None:
    output = result.get("output")
    if isinstance(output, str):
        return {**result, "output": {"final_answer": output}}
    return None


def _answer_at_the_top(result: Json) -> Json | None:
    output = result.get("output")
    if isinstance(output, str):
        rest = {key: value for key, value in result.items() if key != "output"}
        return {**rest, "final_answer": output}
    return None


def _claims_as_objects(result: Json) -> Json | None:
    output = result.get("output")
    if not isinstance(output, dict):
        return None
    claims = cast("Json", output).get("claims")
    if not isinstance(claims, list) or not claims:
        return None
    objects = [
        {"text": claim} if isinstance(claim, str) else claim
        for claim in cast("list[Any]", claims)
    ]
    return {**result, "output": {**cast("Json", output), "claims": objects}}


def _keys_reversed(result: Json) -> Json | None:
    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            items = list(cast("Json", value).items())
            return {key: turned(child) for key, child in reversed(items)}
        if isinstance(value, list):
            return [turned(child) for child in cast("list[Any]", value)]
        return value

    return cast("Json", turned(result))


def _entries(result: Json, key: str) -> list[Json]:
    """The objects of a list in the result."""
    values = result.get(key)
    if not isinstance(values, list):
        return []
    entries = cast("list[Any]", values)
    return [cast("Json", entry) for entry in entries if isinstance(entry, dict)]


def _further_keys(result: Json) -> Json | None:
    changed = copy.deepcopy(result)
    for entry in (*_entries(changed, "actions"), *_entries(changed, "records")):
        entry.setdefault("note_id", "n-1")
    changed["harness_note"] = "kept as it is"
    return changed


def _statuses_in_capitals(result: Json) -> Json | None:
    changed = copy.deepcopy(result)
    has_status = False
    for record in _entries(changed, "records"):
        status = record.get("status")
        if isinstance(status, str):
            record["status"] = status.upper().replace("_", " ")
            has_status = True
    return changed if has_status else None


def _tool_steps(result: Json) -> list[Json] | None:
    """The steps of a trace that is a plain list of steps; None for any other."""
    trace = result.get("trace")
    if isinstance(trace, dict):
        trace = cast("Json", trace).get("steps")
    if not isinstance(trace, list) or not trace:
        return None
    known = {"tool_name", "arguments", "result", "role", "content"}
    steps = cast("list[Any]", trace)
    for step in steps:
        if not isinstance(step, dict) or not cast("Json", step).keys() <= known:
            return None
        if not isinstance(cast("Json", step).get("arguments", {}), dict):
            return None
    return cast("list[Json]", steps)


def _messages(result: Json, call: MessageOf, reply: MessageOf) -> Json | None:
    """The trace as messages; `call` and `reply` make those of a tool call and of its result."""
    steps = _tool_steps(result)
    if steps is None:
        return None
    messages: list[Json] = []
    for number, step in enumerate(steps):
        call_id = f"call_{number}"
        if "tool_name" not in step:
            role, content = step.get("role", "assistant"), step.get("content", "")
            messages.append({"role": role, "content": content})
            continue
        messages.append(call(call_id, step))
        if "result" in step:
            messages.append(reply(call_id, step))
    return {**result, "trace": messages}


def _result_text(step: Json) -> str:
    result = step["result"]
    return result if isinstance(result, str) else json.dumps(result)


def _chat_call(call_id: str, step: Json) -> Json:
    arguments = json.dumps(step.get("arguments", {}))
    function = {"name": step["tool_name"], "arguments": arguments}
    call = {"id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _chat_reply(call_id: str, step: Json) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": _result_text(step)}


def _block_call(call_id: str, step: Json) -> Json:
    block = {"type": "tool_use", "id": call_id, "name": step["tool_name"]}
    block["input"] = step.get("arguments", {})
    return {"role": "assistant", "content": [block]}


def _block_reply(call_id: str, step: Json) -> Json:
    block = {"type": "tool_result", "tool_use_id": call_id}
    block["content"] = _result_text(step)
    return {"role": "user", "content": [block]}


def _as_chat(result: Json) -> Json | None:
    """The trace as chat messages with `tool_calls`."""
    return _messages(result, _chat_call, _chat_reply)


def _as_blocks(result: Json) -> Json | None:
    """The trace as messages with `tool_use` and `tool_result` blocks."""
    return _messages(result, _block_call, _block_reply)


def _trace_under_steps(result: Json) -> Json | None:
    trace = result.get("trace")
    return {**result, "trace": {"steps": trace}} if isinstance(trace, list) else None


REWRITINGS: Final[Mapping[str, Rewriting]] = MappingProxyType(
    {
        "output as text": _output_as_text,
        "output as object": _output_as_object,
        "answer at the top": _answer_at_the_top,
        "behind a heading": _text(lambda text: f"## Result\n\n{text}"),
        "behind a heading line": _text(lambda text: f"**Result**\n{text}"),
        "as a list": _text(_lines("- ")),
        "as a numbered list": _text(_lines("1. ")),
        "as a block quote": _text(_lines("> ")),
        "line by line": _text(_lines("")),
        "behind an opener": _text(lambda text: f"Sure! Here is what I found.\n\n{text}"),
        "before an offer": _text(lambda text: f"{text}\n\nLet me know if you need anything else."),
        "with emphasis": _text(_emphasised),
        "in a fence": _text(_in_fence),
        "with thousands separators": _text(lambda text: _THOUSANDS.sub(lambda match: f"{int(match[1]):,}", text)),
        "decomposed": _text(lambda text: unicodedata.normalize("NFD", text)),
        "with no-break spaces": _text(lambda text: text.replace(" ", "\u00a0")),
        "with Windows line ends": _text(lambda text: text.replace("\n", "\r\n")),
        "with curly quotes": _text(lambda text: text.replace("'", "\u2019")),
        "with zero-width characters": _text(_with_zero_width),
        "with fullwidth digits": _text(_fullwidth_digits),
        "claims as objects": _claims_as_objects,
        "keys in another order": _keys_reversed,
        "with further keys": _further_keys,
        "statuses in capitals": _statuses_in_capitals,
        "trace as chat messages": _as_chat,
        "trace as message blocks": _as_blocks,
        "trace under steps": _trace_under_steps,
    }
)  # fmt: skip
"""Every rewriting by its name."""


def rewritten(result: Json) -> dict[str, Json]:
    """The result in every form that applies to it, by the name of the rewriting."""
    forms: dict[str, Json] = {}
    for name, rewriting in REWRITINGS.items():
        changed = rewriting(result)
        if changed is not None:
            forms[name] = changed
    return forms
