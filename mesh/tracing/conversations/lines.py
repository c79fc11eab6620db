"""From a conversation to a line of agent results (docs/reference/results.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.result_parts.call_results import states_error
from judgemesh.contracts.results import NOT_HELD
from judgemesh.contracts.transcripts.arguments import as_text
from judgemesh.contracts.transcripts.keys import fold
from judgemesh.mesh.tracing.conversations.answers import is_agent_text, joined
from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_list, is_object

LAST: Final = "last"
ALL: Final = "all"
_MAX_DEPTH: Final = 100


@dataclass(frozen=True, slots=True)
class Conversion:
    """How conversations become results.

    task: the `task_id` of each result.
    actions: tools whose calls the agent states as executed; a call that failed is none.
    answer: `last` (the agent's last text), `all` (all its texts since the user's last one), or `TOOL` or
        `TOOL.ARGUMENT`: what the last call of that tool was given.
    """

    task: str
    actions: Collection[str] = ()
    answer: str = LAST

    def __post_init__(self) -> None:
        if not self.task:
            raise ConfigError("a result needs the id of a task", hint="--task TASK")


@dataclass
class ResultIds:
    """Gives each result an id of its own: the same name a second time gets a number."""

    _given: set[str] = field(default_factory=set[str])

    def new(self, name: str) -> str:
        """An id that was not given yet."""
        identity, number = name, 1
        while identity in self._given:
            number += 1
            identity = f"{name}-{number}"
        self._given.add(identity)
        return identity


def result_line(
    conversation: Conversation, conversion: Conversion, result_id: str
) -> JsonObject:
    """The result of a conversation. What the file does not hold is left out."""
    trace: JsonObject = {"steps": list(conversation.steps)}
    if conversation.unread:
        trace["unread"] = conversation.unread
    line: JsonObject = {
        "result_id": result_id,
        "task_id": conversion.task,
        "agent_model": conversation.model,
        "output": {"final_answer": _answer(conversation, conversion.answer)},
        "actions": list(_actions(conversation, conversion.actions)) or None,
        "trace": trace,
        "started_at": _moment(conversation.started),
        "ended_at": _moment(conversation.ended),
        "metadata": _metadata(conversation),
    }
    kept = {key: value for key, value in line.items() if value not in (None, {})}
    return cast("JsonObject", _shallow(kept, _MAX_DEPTH))


def _shallow(value: Any, depth: int) -> Any:
    """The value with what is nested deeper as its JSON text: results nested too deep cannot be read."""
    if depth == 0 and isinstance(value, dict | list):
        return as_text(cast("object", value))
    if is_list(value):
        return [_shallow(item, depth - 1) for item in value]
    if is_object(value):
        return {key: _shallow(item, depth - 1) for key, item in value.items()}
    return value


def _moment(value: Any) -> str | None:
    return None if value is None else value.isoformat()


def _metadata(conversation: Conversation) -> JsonObject:
    known: JsonObject = {
        "tokens_in": conversation.tokens_in,
        "tokens_out": conversation.tokens_out,
        NOT_HELD: list(conversation.lost) or None,
    }
    return {key: value for key, value in known.items() if value is not None}


def _actions(
    conversation: Conversation, tools: Collection[str]
) -> Iterable[JsonObject]:
    """What the agent executed by the calls of these tools."""
    wanted = set(map(fold, tools))
    for step in conversation.calls:
        name = _plain_name(step["tool_name"], wanted)
        if name is not None and not _failed(step):
            yield {"kind": name, "parameters": step.get("arguments") or {}}


def _failed(step: JsonObject) -> bool:
    """Whether the file has a flag for it, or the call returned nothing but the message of an error."""
    if step.get("error") or step.get("status") == "error":
        return True
    return states_error(step.get("result"))


def _plain_name(name: str, wanted: set[str]) -> str | None:
    """The tool's name without the prefix of its server, where it is one of those asked for."""
    for part in (name, name.rpartition("__")[2], name.rpartition(".")[2]):
        if fold(part) in wanted:
            return part
    return None


def _answer(conversation: Conversation, where: str) -> str | None:
    if where == LAST:
        return conversation.answer
    if where == ALL:
        return _all_texts(conversation) or conversation.answer
    tool, _, argument = where.partition(".")
    for step in reversed(list(conversation.calls)):
        if _plain_name(step["tool_name"], {fold(tool)}) is None:
            continue
        arguments: JsonObject = step.get("arguments") or {}
        return _argument(arguments, argument, step.get("arguments_text"))
    return None


def _argument(arguments: JsonObject, name: str, text: str | None) -> str | None:
    """The argument of that name, or the only one; the arguments' text where they were no object."""
    if text is not None:
        return text
    value = arguments.get(name) if name else next(iter(arguments.values()), None)
    if value is None or (not name and len(arguments) > 1):
        return None
    return value if isinstance(value, str) else str(value)


def _all_texts(conversation: Conversation) -> str:
    """The agent's texts since the user's last one."""
    texts: list[str] = []
    for step in conversation.steps:
        if is_agent_text(step):
            texts.append(step["content"])
        elif step.get("role") == "user":
            texts = []
    return joined(texts)
