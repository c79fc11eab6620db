"""How the messages of agent frameworks spell the same thing: one table of keys and kinds a concept.

Keys and kinds are compared folded: without case and without marks, so `toolCallId`, `tool_call_id` and `tool-call-id`
are one key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, cast

JsonObject = dict[str, Any]
Keys = tuple[str, ...]

_MARKS: Final = re.compile(r"[^a-z0-9]+")

TOOL_NAMES: Final[Keys] = ("functionname", "toolname", "tool", "function")
"""Keys that hold the name of a tool, whatever else stands beside them."""
NAMES: Final[Keys] = (*TOOL_NAMES, "name", "action")
"""Keys that hold the name of a tool where arguments or a kind say that this is a call."""
ARGUMENTS: Final[Keys] = (
    "arguments", "args", "toolinput", "toolargs", "toolarguments", "toolkwargs", "inputparameters", "actioninput",
    "functionarguments", "functionargs", "input", "inputs", "kwargs", "rawinput", "parameters", "params",
)  # fmt: skip
MORE_ARGUMENTS: Final[Keys] = ("payload", "data", "body", "fields", "options", "code")
"""Keys that hold arguments where a kind says that this is a call and none of `ARGUMENTS` is there."""
IDS: Final[Keys] = ("toolcallid", "callid", "tooluseid", "toolid", "id")
RESULT_IDS: Final[Keys] = ("toolcallid", "callid", "tooluseid", "toolid")
RESULTS: Final[Keys] = (
    "result", "output", "response", "observation", "tooloutput", "toolresult", "toolresponse", "observations",
    "returnvalue", "results", "toolreturn",
)  # fmt: skip
CONTENTS: Final[Keys] = (
    "parts",
    "contents",
    "blocks",
    "items",
    "content",
    "text",
    "thought",
    "message",
    "utterance",
    "refusal",
)
ERRORS: Final[Keys] = (
    "error",
    "iserror",
    "errortext",
    "errormessage",
    "exception",
    "toolcallerror",
    "haserror",
)
KINDS: Final[Keys] = (
    "partkind",
    "blocktype",
    "contenttype",
    "eventtype",
    "type",
    "kind",
    "event",
    "method",
    "messagetype",
)
ROLES: Final[Keys] = ("role", "source", "author", "sender", "speaker", "from")
TIMES: Final[Keys] = (
    "at",
    "timestamp",
    "time",
    "startedat",
    "starttime",
    "createdat",
    "ts",
)
CALL_LISTS: Final = frozenset(
    {
        "toolcalls", "functioncalls", "toolinvocations", "toolscalled", "invalidtoolcalls", "tooluses", "calls",
        "calledtools", "toolrequests", "toolcallchunks",
    }
)  # fmt: skip
CALL_WRAPPERS: Final = frozenset(
    {"functioncall", "toolcall", "tooluse", "toolinvocation", "call", "invocation", "servertooluse", "mcptooluse"}
)  # fmt: skip
RESULT_WRAPPERS: Final = frozenset(
    {"functionresponse", "toolresult", "toolcallresult", "functionresult", "toolresponse", "functioncalloutput"}
)  # fmt: skip
ENVELOPES: Final[Keys] = (
    "data",
    "kwargs",
    "message",
    "payload",
    "rawitem",
    "event",
    "additionalkwargs",
)
NESTED_LISTS: Final = frozenset({"messages", "newitems", "steps", "turns"})
DEFINITIONS: Final = frozenset(
    {
        "tools", "functions", "availabletools", "toolchoice", "tooldefinitions", "toolspecs", "toolconfig",
        "expectedtools",
    }
)  # fmt: skip
"""Keys that hold what could be called; nothing in them was."""

REPLIES: Final[Keys] = ("response", "output", "completion")
"""Keys that hold the rest of a run beside its list of messages."""

USER: Final = "user"
ASSISTANT: Final = "assistant"
SYSTEM: Final = "system"
TOOL: Final = "tool"
ROLE_OF_WORD: Final[Mapping[str, str]] = {
    "human": USER, "humanmessage": USER, "user": USER, "usermessage": USER, "userprompt": USER, "customer": USER,
    "enduser": USER, "client": USER, "humanmessagechunk": USER,
    "ai": ASSISTANT, "aimessage": ASSISTANT, "aimessagechunk": ASSISTANT, "assistant": ASSISTANT, "model": ASSISTANT,
    "assistantmessage": ASSISTANT, "agent": ASSISTANT, "bot": ASSISTANT, "agentmessage": ASSISTANT,
    "response": ASSISTANT, "gpt": ASSISTANT, "chatgpt": ASSISTANT, "gemini": ASSISTANT,
    "system": SYSTEM, "systemmessage": SYSTEM, "systemprompt": SYSTEM, "developer": SYSTEM, "developermessage": SYSTEM,
    "tool": TOOL, "toolmessage": TOOL, "function": TOOL, "functionmessage": TOOL, "toolresponse": TOOL,
    "ipython": TOOL, "observation": TOOL, "functionexecutionresultmessage": TOOL,
}  # fmt: skip


@lru_cache(maxsize=8192)
def fold(word: str) -> str:
    """A key or kind without case and marks."""
    return _MARKS.sub("", word.casefold())


def is_object(value: object) -> bool:
    """Whether the value is an object with text keys."""
    return isinstance(value, Mapping)


def as_object(value: object) -> JsonObject | None:
    """The value as an object; None for anything else."""
    if isinstance(value, Mapping):
        return {
            str(key): item for key, item in cast("Mapping[Any, Any]", value).items()
        }
    return None


def as_list(value: object) -> list[Any] | None:
    """The value as a list; None for anything else."""
    if isinstance(value, list | tuple):
        return list(cast("Sequence[Any]", value))
    return None


class Fields:
    """An object seen through folded keys. Of several spellings of a key the first one counts."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.value = value
        self._by_key: dict[str, str] = {}
        for key in value:
            self._by_key.setdefault(fold(key), key)

    def __contains__(self, key: str) -> bool:
        return key in self._by_key

    def get(self, keys: Keys | str) -> Any:
        """The value of the first of the keys that is there and not null."""
        for key in (keys,) if isinstance(keys, str) else keys:
            name = self._by_key.get(key)
            if name is not None and self.value[name] is not None:
                return self.value[name]
        return None

    def has(self, keys: Keys) -> bool:
        """Whether one of the keys is there, null or not."""
        return any(key in self._by_key for key in keys)

    def text(self, keys: Keys | str) -> str | None:
        """The first of the keys' values that is text and not empty."""
        for key in (keys,) if isinstance(keys, str) else keys:
            name = self._by_key.get(key)
            value = None if name is None else self.value[name]
            if isinstance(value, str) and value.strip():
                return value
        return None

    def items(self) -> list[tuple[str, Any]]:
        """Folded keys with their values."""
        return [(key, self.value[name]) for key, name in self._by_key.items()]
