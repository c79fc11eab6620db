"""Calls that an agent's text writes in the form of a chat template, and that the harness answered.

Servers that do not read the template leave the call in the text: `<tool_call>{...}</tool_call>`, and what follows is
the result. A call counts where as many results follow as calls are written; otherwise the text may only speak of one,
and the trace stays unread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from judgemesh.contracts.transcripts.arguments import parsed
from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    ASSISTANT,
    CALL_LISTS,
    CALL_WRAPPERS,
    ROLE_OF_WORD,
    USER,
    Fields,
    JsonObject,
    as_list,
    as_object,
    fold,
)
from judgemesh.contracts.transcripts.kinds import is_tool_role, role_of

_MAX_CHARS: Final = 100_000
_TOKEN_MARKS: Final = str.maketrans({"\uff5c": "|", "\u2581": "_"})
"""Marks that tokenizers write in place of a bar and an underscore."""
_TOKEN: Final = re.compile(r"<\|\w{1,40}\|>")
_ANSWER_TAGS: Final = ("tool_response", "function_results", "function_result")

Calls = list[JsonObject]


def with_written_calls(elements: Sequence[Any]) -> Sequence[Any]:
    """The messages, with the calls that texts write and results answer as calls; the same where there are none."""
    if not any(_writes(element) for element in elements):
        return elements
    messages: list[Any] = []
    position = 0
    while position < len(elements):
        element = elements[position]
        position += 1
        text = _agent_text(element) or ""
        calls = _written_in(text)
        results = _results_behind(elements, position) if calls else []
        if not calls or sum(len(each) for each in results) != len(calls):
            messages.append(element)
            continue
        identities = [f"written {position}.{number}" for number in range(len(calls))]
        messages.append(_as_calls(text, calls, identities))
        found = (result for each in results for result in each)
        messages += [
            {"role": "tool", "tool_call_id": identity, "content": result}
            for identity, result in zip(identities, found, strict=True)
        ]
        position += len(results)
    return messages


def _writes(element: object) -> bool:
    text = _agent_text(element)
    return text is not None and any(mark in text for mark in _FORMS)


def _agent_text(element: object) -> str | None:
    """The text of a message of the agent that has no calls of its own, with plain marks."""
    known = as_object(element)
    if known is None:
        return None
    fields = Fields(known)
    role = role_of(fields)
    content = fields.get("content")
    is_agents = role is not None and ROLE_OF_WORD.get(fold(role)) == ASSISTANT
    if not is_agents or not isinstance(content, str) or len(content) > _MAX_CHARS:
        return None
    if any(fields.get(key) for key in (*CALL_LISTS, *CALL_WRAPPERS)):
        return None
    return content.translate(_TOKEN_MARKS)


def _written_in(text: str) -> Calls:
    """The calls that a text writes in one form; none where one cannot be read, or where it has marks of two forms."""
    forms = [form for mark, (_, form) in _FORMS.items() if mark in text]
    if len(forms) != 1:
        return []
    calls = forms[0](text)
    return [] if None in calls else [call for call in calls if call]


def _as_calls(text: str, calls: Calls, identities: list[str]) -> JsonObject:
    """The message: what the text says around its calls, and the calls."""
    mark, end = next((mark, end) for mark, (end, _) in _FORMS.items() if mark in text)
    behind = text.rpartition(end)[2] if end and end in text else ""
    said = _TOKEN.sub("", f"{text.partition(mark)[0]}\n{behind}").strip()
    numbered = [
        {"id": identity, **call}
        for identity, call in zip(identities, calls, strict=True)
    ]
    return {"role": ASSISTANT, "content": said or None, "tool_calls": numbered}


# --- what follows ---


def _results_behind(elements: Sequence[Any], position: int) -> list[list[Any]]:
    """The results of each message that follows and holds results alone."""
    found: list[list[Any]] = []
    for element in elements[position:]:
        results = _results_in(element)
        if not results:
            break
        found.append(results)
    return found


def _results_in(element: object) -> list[Any]:
    known = as_object(element)
    if known is None:
        return []
    fields = Fields(known)
    role, content = role_of(fields), fields.get("content")
    if is_tool_role(role):
        return _tagged(content) or [content]
    is_user = role is not None and ROLE_OF_WORD.get(fold(role)) == USER
    return _tagged(content) if is_user else []


def _tagged(content: object) -> list[Any]:
    """What stands between the tags of results, where the text holds nothing else."""
    if not isinstance(content, str) or len(content) > _MAX_CHARS:
        return []
    text = content.strip()
    for tag in _ANSWER_TAGS:
        if text.startswith(f"<{tag}>") and text.endswith(f"</{tag}>"):
            parts = text.split(f"</{tag}>")
            if all(part.strip().startswith(f"<{tag}>") for part in parts[:-1]):
                return [part.strip()[len(tag) + 2 :].strip() for part in parts[:-1]]
    return []


# --- the forms ---


def _call(value: Any) -> JsonObject | None:
    """A call out of the JSON that is written; None where it is none."""
    known = as_object(value)
    if known is None:
        return None
    fields = Fields(known)
    name = fields.text("name")
    arguments = as_object(fields.get(ARGUMENTS))
    if name is None or (arguments is None and fields.get(ARGUMENTS) is not None):
        return None
    return {"name": name, "arguments": arguments or {}}


def _named(name: str, written: str) -> JsonObject | None:
    """A call of that name with the arguments that are written as JSON; None where they are no object."""
    arguments = as_object(parsed(written.strip())) if written.strip() else {}
    return (
        {"name": name, "arguments": arguments}
        if name and arguments is not None
        else None
    )


def _between(text: str, begin: str, end: str) -> Iterator[str]:
    """What stands between each beginning and its end; one that has no end goes on to the end of the text."""
    for part in text.split(begin)[1:]:
        yield part.partition(end)[0]


def _hermes(text: str) -> list[JsonObject | None]:
    return [
        _call(parsed(written))
        for written in _between(text, "<tool_call>", "</tool_call>")
    ]


def _mistral(text: str) -> list[JsonObject | None]:
    written = text.partition("[TOOL_CALLS]")[2].strip().removesuffix("</s>")
    return [_call(each) for each in as_list(parsed(written)) or [None]]


def _llama(text: str) -> list[JsonObject | None]:
    written = text.partition("<|python_tag|>")[2].partition("<|eo")[0]
    return [_call(parsed(each)) for each in written.split(";") if each.strip()]


def _llama_function(text: str) -> list[JsonObject | None]:
    calls: list[JsonObject | None] = []
    for written in _between(text, "<function=", "</function>"):
        name, _, arguments = written.partition(">")
        calls.append(_named(name.strip(), arguments))
    return calls


_FENCE: Final = re.compile(r"```(?:json)?")


def _tokens(text: str) -> list[JsonObject | None]:
    """Calls between tokens: `functions.NAME:0`, a token, JSON (Kimi); `function`, a token, NAME, JSON (DeepSeek)."""
    calls: list[JsonObject | None] = []
    for written in _between(text, "<|tool_call_begin|>", "<|tool_call_end|>"):
        name, mark, arguments = written.partition("<|tool_call_argument_begin|>")
        if not mark:
            name, _, arguments = written.partition("<|tool_sep|>")[2].partition("\n")
        name = name.strip().removeprefix("functions.").partition(":")[0]
        calls.append(_named(name, _FENCE.sub("", arguments)))
    return calls


_PARAMETER: Final = re.compile(
    r'<parameter name="([^"<>]{1,200})"(?: [^<>]{0,200})?>(.*?)</parameter>', re.DOTALL
)


def _invocations(text: str) -> list[JsonObject | None]:
    calls: list[JsonObject | None] = []
    for written in _between(text, '<invoke name="', "</invoke>"):
        name, _, inside = written.partition('">')
        arguments = {match[1]: match[2] for match in _PARAMETER.finditer(inside)}
        calls.append(_call({"name": name, "arguments": arguments}))
    return calls or [None]


_FORMS: Final[dict[str, tuple[str, Callable[[str], list[JsonObject | None]]]]] = {
    "<tool_call>": ("</tool_call>", _hermes),
    "<function=": ("</function>", _llama_function),
    "[TOOL_CALLS]": ("", _mistral),
    "<|python_tag|>": ("", _llama),
    "<|tool_call_begin|>": ("<|tool_call_end|>", _tokens),
    "<function_calls>": ("</function_calls>", _invocations),
}
"""By the text that begins a call: what ends it, empty where the end of the text does, and how calls are read."""
