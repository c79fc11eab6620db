"""Transcripts in memory to results: `from_openai(messages)` and the like, exported by `judgemesh.mesh`."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, Final, Protocol, cast

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.tracing.conversations.document import Document, values_of
from judgemesh.mesh.tracing.conversations.lines import (
    LAST,
    Conversion,
    ResultIds,
    result_line,
)
from judgemesh.mesh.tracing.conversations.table import (
    AUTO,
    conversations_of,
)

_DUMPS: Final = ("model_dump", "to_dict", "dict")


def results_from(
    transcript: Any,
    *,
    task: str,
    result_id: str = "result",
    format_name: str = AUTO,
    actions: Collection[str] = (),
    answer: str = LAST,
) -> list[AgentResult]:
    """The results of all conversations of a transcript.

    Args:
        transcript: messages, items, events, a run object or a report: plain data, objects of a library that can dump
            themselves (`model_dump`, `to_dict`), dataclasses, or JSON text.
        task: the `task_id` of each result.
        result_id: the id of the result; several are numbered.
        format_name: a row of the table of formats (docs/how-to/transcripts.md); `auto`: by the content.
        actions: tools whose calls are actions of the agent.
        answer: where the answer stands, see `Conversion`.

    Raises:
        InputError: it is of no known format.
        ConfigError: no such format.
    """
    document = Document("transcript", given=_values(transcript))
    conversion = Conversion(task, actions, answer)
    ids = ResultIds()
    lines = [
        result_line(conversation, conversion, ids.new(result_id))
        for conversation in conversations_of(document, format_name=format_name)
    ]
    return [AgentResult.model_validate(line) for line in lines]


def from_transcript(
    transcript: Any,
    *,
    task: str,
    result_id: str = "result",
    format_name: str = AUTO,
    actions: Collection[str] = (),
    answer: str = LAST,
) -> AgentResult:
    """The result of a transcript that holds one conversation; arguments as of `results_from`.

    Raises:
        InputError: it is of no known format, or holds several conversations or none.
        ConfigError: no such format.
    """
    found = results_from(
        transcript,
        task=task,
        result_id=result_id,
        format_name=format_name,
        actions=actions,
        answer=answer,
    )
    if len(found) != 1:
        raise InputError(
            f"holds {len(found)} conversations, not one",
            where="transcript",
            hint="use results_from",
        )
    return found[0]


class Reader(Protocol):
    """Reads a transcript of one kind."""

    def __call__(
        self,
        transcript: Any,
        *,
        task: str,
        result_id: str = "result",
        actions: Collection[str] = (),
        answer: str = LAST,
    ) -> AgentResult:
        """The result of the transcript; arguments and errors as of `from_transcript`."""
        ...


from_openai: Reader = from_transcript
"""Chat messages, Responses items, exchanges or Agents runs of OpenAI."""
from_anthropic: Reader = from_transcript
"""Messages of Anthropic."""
from_langchain: Reader = from_transcript
"""Messages of LangChain, or a LangGraph state."""
from_pydantic_ai: Reader = from_transcript
"""Messages of pydantic-ai."""
from_google: Reader = from_transcript
"""Contents of google-genai, or an ADK session."""
from_vercel: Reader = from_transcript
"""Model or UI messages of the Vercel AI SDK."""
from_autogen: Reader = from_transcript
"""Messages or a state of AutoGen."""
from_llamaindex: Reader = from_transcript
"""Messages of LlamaIndex."""


def _values(transcript: Any) -> list[Any]:
    if isinstance(transcript, str):
        return values_of(transcript.encode(errors="replace"), "transcript")
    if isinstance(transcript, bytes):
        return values_of(transcript, "transcript")
    return [plain(transcript)]


def plain(value: Any) -> Any:
    """A value as JSON data: objects of libraries dumped, dataclasses as objects."""
    if isinstance(value, Mapping):
        return {
            str(key): plain(item)
            for key, item in cast("Mapping[Any, Any]", value).items()
        }
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast("list[Any]", value)]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return _dumped(value)


def _dumped(value: Any) -> Any:
    for name in _DUMPS:
        dump = getattr(value, name, None)
        if callable(dump):
            return plain(dump())
    if hasattr(value, "__dataclass_fields__"):
        return {
            name: plain(getattr(value, name)) for name in value.__dataclass_fields__
        }
    return json.loads(json.dumps(value, default=str))
