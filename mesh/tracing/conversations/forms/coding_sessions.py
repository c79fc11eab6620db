"""Sessions of coding agents: Claude Code and Codex, one line an event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import Fields
from judgemesh.mesh.tracing.conversations.document import BadLine, Document
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    object_of,
    objects_of,
)

# --- Claude Code: a line a content block ---


def claude_code(document: Document) -> Iterator[Record]:
    """The sessions of a log of Claude Code, or of its `stream-json` output."""
    sessions: dict[str, list[Any]] = {}
    current = ""
    for line in document.items:
        if is_object(line):
            current = Fields(line).text("sessionid") or current
        if isinstance(line, BadLine) or _is_message(line):
            sessions.setdefault(current, []).append(_without_aside(line))
        elif is_object(line) and line.get("type") in ("result", "system"):
            sessions.setdefault(current, []).append(line)
    for session, lines in sessions.items():
        yield _claude_record(session, lines)


def _is_message(line: object) -> bool:
    return (
        is_object(line)
        and line.get("type") in ("user", "assistant")
        and line.get("isMeta") is not True
    )


def _without_aside(line: Any) -> Any:
    """A line of a sub-agent: what stands for its user was written by the agent."""
    if (
        is_object(line)
        and line.get("isSidechain") is True
        and line.get("type") == "user"
    ):
        message = object_of(line.get("message"))
        if isinstance(message.get("content"), str):
            return {**line, "type": "system", "message": {**message, "role": "system"}}
    return line


def _claude_record(session: str, lines: list[Any]) -> Record:
    messages = [
        line
        for line in lines
        if not is_object(line) or line.get("type") in ("user", "assistant")
    ]
    ends = [line for line in lines if is_object(line) and line.get("type") == "result"]
    asks = any(
        is_object(line)
        and line.get("type") == "user"
        and isinstance(object_of(line.get("message")).get("content"), str)
        for line in messages
    )
    answer = ends[-1].get("result") if ends else None
    return Record(
        messages=messages,
        id=session,
        answer=answer if isinstance(answer, str) and answer else None,
        lost=() if asks else ("user turns",),
    )


# --- Codex: a line an event, texts both as event and as response item ---

_CODEX_ASIDE: Final = (
    "<environment_context",
    "<user_instructions",
    "<permissions",
    "<turn_aborted",
    "# AGENTS.md",
)


def codex(document: Document) -> Iterator[Record]:
    """The sessions of a rollout. Response items state everything; events add failures and tokens."""
    sessions: list[list[Any]] = []
    for line in document.items:
        if not sessions or (
            is_object(line)
            and line.get("type") == "session_meta"
            and _has_turns(sessions[-1])
        ):
            sessions.append([])
        sessions[-1].append(line)
    for lines in sessions:
        yield _codex_record(lines)


def _has_turns(lines: list[Any]) -> bool:
    return any(
        is_object(line) and line.get("type") == "response_item" for line in lines
    )


def _codex_record(lines: list[Any]) -> Record:
    payloads = [
        (line.get("type"), object_of(line.get("payload")), line)
        for line in lines
        if is_object(line)
    ]
    failed = {
        str(payload.get("call_id"))
        for kind, payload, _ in payloads
        if kind == "event_msg" and _codex_failed(payload)
    }
    messages: list[Any] = [line for line in lines if isinstance(line, BadLine)]
    for kind, payload, line in payloads:
        if kind == "response_item" and not _is_codex_aside(payload):
            flag: JsonObject = (
                {"error": True}
                if str(payload.get("call_id")) in failed and "output" in payload
                else {}
            )
            messages.append({**payload, **flag, "timestamp": line.get("timestamp")})
    counts = [
        object_of(payload.get("info"))
        for _, payload, _ in payloads
        if payload.get("type") == "token_count"
    ]
    metas = [
        payload
        for kind, payload, _ in payloads
        if kind in ("session_meta", "turn_context")
    ]
    return Record(
        messages=messages,
        id=next((str(meta["id"]) for meta in metas if meta.get("id")), ""),
        model=next(
            (
                meta["model"]
                for meta in reversed(metas)
                if isinstance(meta.get("model"), str)
            ),
            None,
        ),
        usages=[object_of(count.get("total_token_usage")) for count in counts if count][
            -1:
        ],
    )


def _codex_failed(payload: JsonObject) -> bool:
    """Whether an event says that a call failed."""
    result = object_of(payload.get("result"))
    if "Err" in result:
        return True
    exit_code = payload.get("exit_code")
    return object_of(result.get("Ok")).get("isError") is True or (
        isinstance(exit_code, int) and exit_code != 0
    )


def _is_codex_aside(payload: JsonObject) -> bool:
    """Whether a message under the user's role was put there by the program."""
    if payload.get("role") != "user":
        return False
    texts = [str(part.get("text") or "") for part in objects_of(payload.get("content"))]
    return bool(texts) and all(text.lstrip().startswith(_CODEX_ASIDE) for text in texts)


def is_session_line(document: Document) -> bool:
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


def is_codex(document: Document) -> bool:
    """Whether the lines are of Codex: a payload beside a kind of its own."""
    return any(
        line.get("type") in ("session_meta", "response_item", "turn_context")
        and is_object(line.get("payload"))
        for line in document.objects[:5]
    )
