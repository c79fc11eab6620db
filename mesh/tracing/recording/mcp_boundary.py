"""What is read from a call of an MCP session: tool, server, error, sizes."""

from __future__ import annotations

from typing import cast

from judgemesh.mesh.tracing.recording.boundary import BoundaryCall, Fields
from judgemesh.mesh.tracing.recording.encoding import plain
from judgemesh.mesh.tracing.recording.model_boundary import attribute


def mcp_tool_name(call: BoundaryCall) -> str | None:
    """The tool that a session calls: its first argument, or `name`.

    None for a function that is no `call_tool`: its own name is that of the tool.
    """
    if call.name != "call_tool":
        return None
    name = call.args[0] if call.args else call.kwargs.get("name")
    return name if isinstance(name, str) else None


def mcp_arguments(call: BoundaryCall) -> object:
    """The arguments of the tool, without those of the call itself."""
    if call.name != "call_tool":
        return [*call.args, *call.kwargs.values()] or None
    if len(call.args) > 1:
        return call.args[1]
    return call.kwargs.get("arguments")


def mcp_fields(call: BoundaryCall) -> Fields:
    """Sizes, and whether the tool says that it failed.

    A result repeats its structured content as text for older clients: the text is what
    the model is sent, so the structured content counts only where there is no other.
    """
    content = attribute(call.result, "content")
    structured = _first(call.result, "structuredContent", "structured_content")
    result = call.result
    if content is not None or structured is not None:
        result = _texts(content) or structured
    fields: dict[str, object] = {
        "request_tokens": call.count(mcp_arguments(call)),
        "response_tokens_raw": call.count(result),
    }
    if _first(call.result, "isError", "is_error") is True:
        fields["status"] = "error"
        fields["error_type"] = "McpToolError"
    return fields


def _first(result: object, *names: str) -> object:
    for name in names:
        value = attribute(result, name)
        if value is not None:
            return value
    return None


def _texts(content: object) -> object:
    """The texts of the blocks as one; the blocks themselves where some have no text."""
    blocks = cast("list[object]", content) if isinstance(content, list) else []
    texts = [attribute(block, "text") for block in blocks]
    if texts and all(isinstance(text, str) for text in texts):
        return "\n".join(cast("list[str]", texts))
    return plain(blocks) if blocks else None


def mcp_server(session: object) -> str | None:
    """The name of the server of a session; None before it is initialised."""
    info = attribute(session, "server_info")
    for holder in (session, attribute(session, "initialize_result")):
        info = info or _first(holder, "serverInfo", "server_info", "_server_info")
    name = attribute(info, "name")
    return name if isinstance(name, str) else None
