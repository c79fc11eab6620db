"""The boundaries of article 002, section 41, and what each reads from a call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from judgemesh.contracts.tracing import EventType, StateType
from judgemesh.mesh.tracing.recording.boundary import Boundary, BoundaryCall, Fields
from judgemesh.mesh.tracing.recording.encoding import plain
from judgemesh.mesh.tracing.recording.mcp_boundary import (
    mcp_arguments,
    mcp_fields,
    mcp_tool_name,
)
from judgemesh.mesh.tracing.recording.model_boundary import attribute, model_fields

_DIGEST_CHARS: Final = 16


def arguments_digest(args: tuple[object, ...], kwargs: Mapping[str, object]) -> str:
    """A digest of a call's arguments.

    Equal calls have equal digests, and nothing can be read from one.
    """
    text = json.dumps(plain([list(args), dict(kwargs)]), sort_keys=True, default=str)
    data = text.encode("utf-8", "backslashreplace")
    return hashlib.sha256(data).hexdigest()[:_DIGEST_CHARS]


# --- before a call ---


def _nothing(_name: str) -> Fields:
    return {}


def _name_as(field: str) -> Callable[[str], Fields]:
    def fields(name: str) -> Fields:
        return {field: name}

    return fields


# --- after a call ---


def _tool_fields(call: BoundaryCall) -> Fields:
    return {
        "request_tokens": call.count(_arguments(call)),
        "response_tokens_raw": call.count(call.result),
        "arguments_digest": arguments_digest(call.args, call.kwargs),
        "result_digest": arguments_digest((call.result,), {}),
    }


def _mcp_fields(call: BoundaryCall) -> Fields:
    arguments = (mcp_arguments(call),)
    return {**mcp_fields(call), "arguments_digest": arguments_digest(arguments, {})}


def _retrieval_fields(call: BoundaryCall) -> Fields:
    chunks = _elements(call.result)
    return {
        "query_count": 1,
        "query_tokens": call.count(_arguments(call)),
        "returned_chunks": 1 if chunks is None else len(chunks),
        "raw_result_tokens": call.count(call.result),
    }


def _file_read_fields(call: BoundaryCall) -> Fields:
    path = _path(call)
    return {
        "file_path": path,
        "file_type": _suffix(path),
        "raw_extracted_tokens": call.count(call.result),
    }


def _file_write_fields(call: BoundaryCall) -> Fields:
    path = _path(call)
    content = call.args[1] if len(call.args) > 1 else call.kwargs.get("content")
    return {
        "path": path,
        "file_path": path,
        "file_type": _suffix(path),
        "content_tokens_written": call.count(content),
    }


def _query_fields(call: BoundaryCall) -> Fields:
    query = call.args[0] if call.args else _arguments(call)
    fields: dict[str, object] = {
        "query_tokens": call.count(query),
        "raw_result_tokens": call.count(call.result),
    }
    rows = _elements(call.result)
    if rows is not None:
        fields["rows_returned"] = len(rows)
    return fields


def _validator_fields(call: BoundaryCall) -> Fields:
    """Score, confidence and issues, where the validator's result has them."""
    fields: dict[str, object] = {}
    for name in ("passed", "score", "confidence", "issues_found"):
        value = attribute(call.result, name)
        if value is not None:
            fields[name] = value
    issues = _elements(attribute(call.result, "issues"))
    if issues is not None:
        fields.setdefault("issues_found", len(issues))
    return fields


def _state_fields(call: BoundaryCall) -> Fields:
    """How many changes a state diff has, and its path, if the first argument is one."""
    path = call.args[0] if call.args and isinstance(call.args[0], str) else ""
    changes = _elements(call.result)
    if changes is None:
        return {"path": path}
    return {"path": path, "changes": len(changes)}


def _context_fields(call: BoundaryCall) -> Fields:
    """The breakdown that a compiler gives, itself or as `input_token_breakdown`."""
    stated = attribute(call.result, "input_token_breakdown")
    breakdown = plain(stated or call.result)
    if not isinstance(breakdown, dict):
        return {}
    return {"input_token_breakdown": cast("object", breakdown)}


# --- values of a call ---


def _arguments(call: BoundaryCall) -> object:
    return [*call.args, *call.kwargs.values()] or None


def _path(call: BoundaryCall) -> str:
    return str(call.args[0]) if call.args else str(call.kwargs.get("path", ""))


def _suffix(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return path.rsplit(".", 1)[-1].lower() if "." in name else ""


def _elements(value: object) -> Sequence[object] | None:
    """The elements of a list or tuple; None for anything else."""
    if not isinstance(value, list | tuple):
        return None
    return cast("Sequence[object]", value)


# --- the boundaries ---

CONTEXT_COMPILER: Final = Boundary(
    StateType.OBSERVE, EventType.CONTEXT_COMPILED, _nothing, _context_fields
)
MODEL_GATEWAY: Final = Boundary(
    StateType.THINK, EventType.MODEL_CALLED, _nothing, model_fields, streams=True
)
EMBEDDER: Final = Boundary(
    StateType.RETRIEVE, EventType.MODEL_CALLED, _nothing, model_fields
)
TOOL_ROUTER: Final = Boundary(
    StateType.API_CALL, EventType.TOOL_CALLED, _name_as("api_name"), _tool_fields
)
MCP_TOOL: Final = Boundary(
    StateType.MCP_CALL,
    EventType.TOOL_CALLED,
    _name_as("tool_name"),
    _mcp_fields,
    name_of=mcp_tool_name,
)
RETRIEVAL: Final = Boundary(
    StateType.RETRIEVE,
    EventType.TOOL_CALLED,
    _name_as("retriever_name"),
    _retrieval_fields,
    step_fields=True,
)
FILE_READER: Final = Boundary(
    StateType.FILE_READ,
    EventType.TOOL_CALLED,
    _nothing,
    _file_read_fields,
    step_fields=True,
)
FILE_WRITER: Final = Boundary(
    StateType.FILE_WRITE,
    EventType.ARTIFACT_CREATED,
    _nothing,
    _file_write_fields,
    step_fields=True,
)
DATABASE: Final = Boundary(
    StateType.DB_QUERY,
    EventType.TOOL_CALLED,
    _name_as("database_name"),
    _query_fields,
    step_fields=True,
)
VALIDATOR_RUNNER: Final = Boundary(
    StateType.VALIDATE,
    EventType.VALIDATOR_CALLED,
    _name_as("validator_name"),
    _validator_fields,
)
STATE_DIFF: Final = Boundary(
    StateType.OBSERVE, EventType.STATE_CHANGED, _nothing, _state_fields
)
