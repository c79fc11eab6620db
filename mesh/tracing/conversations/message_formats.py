"""The table of transcripts that are messages, items, events, sessions, runs or reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.transcripts.keys import Fields
from judgemesh.mesh.tracing.conversations.broken import broken_part
from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.formats import Format, Read, Recognise
from judgemesh.mesh.tracing.conversations.forms import (
    coding_sessions,
    deepeval,
    exchanges,
    message_lists,
    reports,
    runs,
    sessions,
    simulations,
    smolagents,
    vercel,
)
from judgemesh.mesh.tracing.conversations.forms.row_ids import by_conversation
from judgemesh.mesh.tracing.conversations.record import Record, conversation_of
from judgemesh.mesh.tracing.readers.protocol import FAULTS
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    object_of,
)

Records: TypeAlias = Callable[[Document], Iterable[Record]]


def reading(records: Records) -> Read:
    """A `read` out of a function that gives records."""

    def read(document: Document) -> Iterator[Conversation]:
        try:
            broken = broken_part(document)
            for record in records(document):
                conversation = conversation_of(record)
                if broken is not None:
                    reasons = filter(None, (conversation.unread, broken))
                    conversation = replace(conversation, unread="; ".join(reasons))
                yield conversation
        except FAULTS as error:
            problem = f"cannot be read: {type(error).__name__}: {error}"
            raise InputError(problem, where=document.name) from error

    return read


def _first_has(*keys: str) -> Recognise:
    """Whether the first item has all of these keys, folded."""
    return lambda document: all(key in Fields(document.first) for key in keys)


def _is_session_line(document: Document) -> bool:
    """Whether the lines are of Claude Code: a kind of its own beside a session and a message."""
    for line in document.objects[:20]:
        fields = Fields(line)
        if fields.has(("sessionid",)) and line.get("type") in (
            "user",
            "assistant",
            "system",
            "result",
        ):
            return fields.has(("uuid", "parentuuid", "subtype"))
    return False


def _is_codex(document: Document) -> bool:
    return any(
        line.get("type") in ("session_meta", "response_item", "turn_context")
        and is_object(line.get("payload"))
        for line in document.objects[:5]
    )


def _is_update(document: Document) -> bool:
    """Whether each line is an object of nodes that wrote messages."""
    first = document.first
    return (
        bool(first)
        and all(
            is_object(value) and (not value or "messages" in value)
            for value in first.values()
        )
        and any(map(bool, first.values()))
    )


def _is_rpc(document: Document) -> bool:
    return "jsonrpc" in document.first or "jsonrpc" in object_of(
        document.first.get("message")
    )


def _is_deepeval(document: Document) -> bool:
    fields = Fields(document.first)
    return fields.has(("testcases", "conversationaltestcases")) or (
        "actualoutput" in fields
        or (is_list(fields.get("turns")) and "scenario" in fields)
    )


def _is_pydantic_evals(document: Document) -> bool:
    cases = document.first.get("cases")
    return is_list(cases) and all("inputs" in object_of(case) for case in cases[:3])


def _is_promptfoo(document: Document) -> bool:
    results = document.first.get("results")
    inner = results if is_list(results) else object_of(results).get("results")
    return is_list(inner) and all(
        "response" in object_of(one) or "vars" in object_of(one) for one in inner[:3]
    )


def _is_state(document: Document) -> bool:
    return "llm_context" in document.first or (
        "agent_states" in document.first and "llm_context" in str(document.first)
    )


def _is_context(item: JsonObject) -> bool:
    return is_object(item.get("state")) and any(
        "messages" in object_of(store) for store in item["state"].values()
    )


def _first(check: Callable[[JsonObject], bool]) -> Recognise:
    return lambda document: check(document.first)


def _row(
    name: str, recognise: Recognise, records: Records, known_by: str, lacks: str = ""
) -> Format:
    return Format(name, recognise, reading(records), known_by, lacks)


_NO_USER: Final = "the user's texts"
MESSAGE_FORMATS: Final[tuple[Format, ...]] = (
    _row(
        "exchanges",
        _first(exchanges.is_exchange),
        exchanges.exchanges,
        "`request` with a history, and `response`, one line a call (OpenAI, Anthropic, Gemini, Bedrock)",
    ),
    _row(
        "claude-code",
        _is_session_line,
        coding_sessions.claude_code,
        "`sessionId` or `session_id` beside `type` user or assistant",
        "in stream-json: the user's texts",
    ),
    _row(
        "codex",
        _is_codex,
        coding_sessions.codex,
        "`session_meta` or `response_item` with a `payload`",
    ),
    _row(
        "mcp",
        _is_rpc,
        by_conversation(sessions.mcp_sessions),
        "`jsonrpc`",
        "the user's texts, the answer, model and tokens",
    ),
    _row(
        "llamaindex-events",
        _first_has("event", "data"),
        by_conversation(sessions.llamaindex_events),
        "`event` with `data`",
        "tokens, unless the raw reply is kept",
    ),
    _row(
        "openai-agents",
        _first_has("newitems", "rawresponses"),
        runs.agents_runs,
        "`new_items` with `raw_responses`",
    ),
    _row(
        "agno",
        _first_has("runid", "agentid", "metrics"),
        runs.agno_runs,
        "`run_id` with `agent_id` and `metrics`",
    ),
    _row(
        "crewai",
        _first_has("tasksoutput"),
        runs.crew_outputs,
        "`tasks_output`",
        "text beside calls",
    ),
    _row(
        "vercel-steps",
        vercel.has_steps,
        vercel.vercel_results,
        "`steps` with `finishReason`",
        _NO_USER,
    ),
    _row(
        "smolagents",
        smolagents.is_memory,
        smolagents.memories,
        "`step_number` with `model_output_message`",
        "which result belongs to which of several calls at once",
    ),
    _row(
        "google-adk",
        _first_has("events", "appname"),
        sessions.adk_sessions,
        "`events` with `app_name`",
        "the reason of a tool that raised",
    ),
    _row(
        "agent-framework",
        _first(_is_context),
        sessions.agent_framework_sessions,
        "`state` with stores of `messages`",
        "model and tokens",
    ),
    _row(
        "autogen-state",
        _is_state,
        sessions.autogen_states,
        "`llm_context`",
        "model and tokens",
    ),
    _row(
        "deepeval",
        _is_deepeval,
        deepeval.deepeval_cases,
        "`testCases`, `conversationalTestCases`, or one case with `actual_output`",
        "malformed arguments; text between calls; in conversations: tokens",
    ),
    _row(
        "pydantic-evals",
        _is_pydantic_evals,
        reports.pydantic_evals,
        "`cases` with `inputs`",
        "where the output is text: the calls",
    ),
    _row(
        "promptfoo",
        _is_promptfoo,
        reports.promptfoo_results,
        "`results.results` with `response`",
        "with a built-in provider: results of calls",
    ),
    _row(
        "atif",
        _first_has("schemaversion", "steps"),
        simulations.atif_trajectories,
        "`schema_version` with `steps`",
    ),
    _row(
        "tau",
        message_lists.is_tau,
        simulations.tau_runs,
        "`simulations`, or `traj` with `reward`",
    ),
    _row(
        "langgraph-updates",
        _is_update,
        by_conversation(sessions.langgraph_updates),
        "one line a node, each with `messages`",
        _NO_USER,
    ),
    _row(
        "messages",
        message_lists.is_message_list,
        message_lists.message_lists,
        "a list of messages, items or events, or objects with one under `messages`",
    ),
)
