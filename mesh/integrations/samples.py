"""From what a harness knows about one sample to the data of an agent result.

An output that is an `AgentResult` is taken as it is. Otherwise messages become the trace, a text the final answer, and
a mapping the structured outputs, whatever its keys: what an agent writes never becomes a record or a state. Those come
from what the harness knows (`known`). Objects of frameworks (pydantic models, dataclasses) are read as their data.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, Final, cast

from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.transcripts.messages import read_messages
from judgemesh.mesh.tracing.conversations.answers import answer_of

NAME: Final = "judgemesh"
"""The name of the score in every harness, and of the key under which a sample states fields of its result."""

JsonObject = dict[str, Any]

_MESSAGE_KEYS: Final = ("messages", "all_messages", "new_messages", "input_items")
_ANSWER_KEYS: Final = ("final_answer", "answer", "response", "output", "text")
_TASK_KEYS: Final = ("task_id", "judgemesh_task", "contract")


def sample_result(
    output: Any,
    *,
    result_id: str | None,
    task: str | None = None,
    messages: Any = None,
    answer: str | None = None,
    known: Sequence[Any] = (),
    **fields: Any,
) -> JsonObject:
    """The data of an agent result.

    Args:
        output: what the agent delivered: an `AgentResult`, messages, a text, or structured data.
        result_id: the harness's name of the sample. Without one, a digest of the output is its name.
        task: the contract's task id. Without one, `known` is searched for it.
        messages: the conversation, where the harness has it beside the output.
        answer: the final answer, where the harness has it beside the output.
        known: inputs and metadata of the sample, which the harness wrote; each may be a mapping with `task_id`, and
            with `judgemesh`: a mapping of result fields (`records`, `state`, ...).
        fields: further fields of the result (`cost`, `latency_ms`, `trace_id`, ...); None is left out.
    """
    data = plain(output)
    line = data if isinstance(output, AgentResult) else _result_of(data)
    if answer:
        line.setdefault("output", {"final_answer": answer})
    if messages is not None:
        line.setdefault("trace", plain(messages))
        _add_answer(line, line["trace"])
    for key, value in [*fields.items(), *_stated(known)]:
        if value is not None:
            line.setdefault(key, plain(value))
    line["task_id"] = str(task or _task_of([line, *map(plain, known)]) or "")
    if not line.get("result_id"):
        line["result_id"] = result_id or digest_of(data)
    return line


def digest_of(data: Any) -> str:
    """A short name for data that has none."""
    text = json.dumps(data, sort_keys=True, default=str)
    return "sample_" + hashlib.sha256(text.encode()).hexdigest()[:12]


def plain(value: Any) -> Any:
    """Objects of frameworks as their data; what is plain data already stays."""
    if isinstance(value, AgentResult):
        return value.model_dump(mode="json", exclude_unset=True)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        # A field without a value says nothing: a `tool_call_id` of null makes no tool result of a user's message.
        return dump(mode="json", exclude_none=True)
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {str(key): plain(held) for key, held in items}
    if isinstance(value, list | tuple):
        return [plain(held) for held in cast("Sequence[Any]", value)]
    return value


def _result_of(data: Any) -> JsonObject:
    if isinstance(data, Mapping):
        return _of_mapping(dict(cast("JsonObject", data)))
    if isinstance(data, list) and _are_messages(cast("list[Any]", data)):
        line: JsonObject = {"trace": data}
        _add_answer(line, data)
        return line
    if data is None:
        return {}
    text = data if isinstance(data, str) else json.dumps(data, default=str)
    return {"output": {"final_answer": text}}


def _of_mapping(data: JsonObject) -> JsonObject:
    """Structured output; messages in it are the trace."""
    line: JsonObject = {}
    for key in _MESSAGE_KEYS:
        if isinstance(data.get(key), list):
            line["trace"] = data.pop(key)
            break
    output: JsonObject = {"outputs": data} if data else {}
    for key in _ANSWER_KEYS:
        if isinstance(data.get(key), str):
            output["final_answer"] = data[key]
            break
    if output:
        line["output"] = output
    if "trace" in line:
        _add_answer(line, line["trace"])
    elif "final_answer" not in output and data:
        output["final_answer"] = json.dumps(data, ensure_ascii=False, default=str)
    return line


def _are_messages(data: list[Any]) -> bool:
    return bool(data) and all(
        isinstance(item, Mapping)
        and cast("Mapping[str, Any]", item).keys() & {"role", "type", "kind"}
        for item in data
    )


def _add_answer(line: JsonObject, trace: Any) -> None:
    """The last text of the agent is its answer where the output states none."""
    output = line.get("output")
    if isinstance(output, str) or not isinstance(trace, list):
        return
    fields = dict(cast("JsonObject", output or {}))
    if fields.get("final_answer") is None:
        steps: list[JsonObject] = read_messages(cast("list[Any]", trace))["steps"]
        fields["final_answer"] = answer_of(steps)
    line["output"] = fields


def _stated(known: Sequence[Any]) -> list[tuple[str, Any]]:
    """The fields of the result that the harness states under `judgemesh`."""
    fields: list[tuple[str, Any]] = []
    for place in map(plain, known):
        stated = (
            cast("JsonObject", place).get(NAME) if isinstance(place, dict) else None
        )
        if isinstance(stated, dict):
            fields.extend(cast("JsonObject", stated).items())
    return fields


def _task_of(places: Sequence[Any]) -> str | None:
    """The task that the first of these mappings names."""
    for place in places:
        if not isinstance(place, Mapping):
            continue
        named = cast("Mapping[str, Any]", place)
        for key in _TASK_KEYS:
            if isinstance(named.get(key), str) and named[key]:
                return str(named[key])
    return None
