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
    agent_loops,
    coding_sessions,
    deepeval,
    exchanges,
    message_lists,
    platforms,
    protocols,
    reports,
    runs,
    sessions,
    sharegpt,
    simulations,
    smolagents,
    vercel,
)
from judgemesh.mesh.tracing.conversations.forms.row_ids import by_conversation
from judgemesh.mesh.tracing.conversations.record import Record, conversation_of
from judgemesh.mesh.tracing.readers.protocol import FAULTS
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
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
        "a history, or `request` with one, and `response`, one line a call (OpenAI, Anthropic, Gemini, Bedrock)",
    ),
    _row(
        "claude-code",
        coding_sessions.is_session_line,
        coding_sessions.claude_code,
        "`sessionId` or `session_id` beside `type` user or assistant",
        "in stream-json: the user's texts",
    ),
    _row(
        "codex",
        coding_sessions.is_codex,
        coding_sessions.codex,
        "`session_meta` or `response_item` with a `payload`",
    ),
    _row(
        "mcp",
        sessions.is_rpc,
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
        _first(sessions.is_context),
        sessions.agent_framework_sessions,
        "`state` with stores of `messages`",
        "model and tokens",
    ),
    _row(
        "autogen-state",
        sessions.is_state,
        sessions.autogen_states,
        "`llm_context`",
        "model and tokens",
    ),
    _row(
        "deepeval",
        deepeval.is_deepeval,
        deepeval.deepeval_cases,
        "`testCases`, `conversationalTestCases`, or one case with `actual_output`",
        "malformed arguments; text between calls; in conversations: tokens",
    ),
    _row(
        "pydantic-evals",
        reports.is_pydantic_evals,
        reports.pydantic_evals,
        "`cases` with `inputs`",
        "where the output is text: the calls",
    ),
    _row(
        "promptfoo",
        reports.is_promptfoo,
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
        "agent-executor",
        _first(agent_loops.has_pairs),
        agent_loops.executor_runs,
        "`intermediate_steps` (LangChain, n8n)",
    ),
    _row(
        "swe-agent",
        _first(agent_loops.is_trajectory),
        agent_loops.command_trajectories,
        "`trajectory` with `action` and `observation`",
        "arguments as an object",
    ),
    _row(
        "openhands",
        agent_loops.is_event_list,
        agent_loops.event_lists,
        "`action` or `observation` beside `source`",
        "model and tokens",
    ),
    _row(
        "ag-ui",
        protocols.is_event_stream,
        by_conversation(protocols.event_streams),
        "events `RUN_STARTED`, `TOOL_CALL_ARGS`, `TEXT_MESSAGE_CONTENT`",
        "the user's texts, unless a snapshot has them; model and tokens",
    ),
    _row(
        "a2a",
        _first(protocols.is_task),
        protocols.tasks,
        "`status` with `state` beside `contextId`",
        "calls, unless data parts state them; model and tokens",
    ),
    _row(
        "llama-stack",
        _first(protocols.is_turn),
        protocols.turn_sessions,
        "`input_messages` with `steps`",
        "model and tokens",
    ),
    _row(
        "bedrock-agent",
        _first(platforms.is_orchestration),
        platforms.orchestrations,
        "`trace` with `orchestrationTrace`",
        "the user's texts, model and tokens",
    ),
    _row(
        "dify",
        _first(platforms.has_thoughts),
        platforms.thoughtful_messages,
        "`agent_thoughts` with `answer`",
        "model and tokens",
    ),
    _row(
        "chatgpt",
        _first(platforms.is_chatgpt_export),
        platforms.chatgpt_exports,
        "`mapping` with `current_node`",
        "ids of calls, model and tokens",
    ),
    _row(
        "goose",
        platforms.is_goose,
        platforms.goose_sessions,
        "parts `toolRequest` and `toolResponse`",
        "model and tokens",
    ),
    _row(
        "sharegpt",
        _first(sharegpt.is_sharegpt),
        sharegpt.sharegpt,
        "`conversations` with `from` and `value`",
        "model and tokens",
    ),
    _row(
        "langgraph-updates",
        sessions.is_update,
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
