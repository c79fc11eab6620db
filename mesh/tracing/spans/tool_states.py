"""Which runtime state a tool call is, from what a trace says of the tool. Pure.

A declared type wins; then the words of the tool's name; what says nothing is an API call. Names are cut into words at
underscores, dots, dashes and capitals, so that `read_file`, `readFile` and `fs.read-file` are the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from judgemesh.contracts.tracing import StateType

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_OF_TYPE: Final[Mapping[str, StateType]] = {
    "datastore": StateType.RETRIEVE,
    "retriever": StateType.RETRIEVE,
    "mcp": StateType.MCP_CALL,
    "extension": StateType.API_CALL,
    "api": StateType.API_CALL,
    "http": StateType.API_CALL,
    "db": StateType.DB_QUERY,
    "sql": StateType.DB_QUERY,
    "script": StateType.SCRIPT_EXEC,
    "code_interpreter": StateType.SCRIPT_EXEC,
}

_TYPE_OF: Final[Mapping[StateType, str]] = {
    StateType.RETRIEVE: "retriever",
    StateType.MCP_CALL: "mcp",
    StateType.API_CALL: "api",
    StateType.DB_QUERY: "db",
    StateType.SCRIPT_EXEC: "script",
    StateType.FILE_READ: "file",
    StateType.FILE_WRITE: "file",
    StateType.MEMORY_READ: "memory",
    StateType.MEMORY_WRITE: "memory",
}

_WRITING: Final = frozenset(
    {
        "write",
        "create",
        "edit",
        "update",
        "append",
        "save",
        "add",
        "store",
        "put",
        "insert",
        "delete",
        "remember",
    }
)
_FILES: Final = frozenset({"file", "files", "notebook", "document", "pdf", "docx"})
_RULES: Final[tuple[tuple[frozenset[str], StateType, StateType], ...]] = (
    # any of these words; the state; the state when a word of writing is there too
    (
        frozenset({"memory", "memories", "remember", "recall"}),
        StateType.MEMORY_READ,
        StateType.MEMORY_WRITE,
    ),
    (
        frozenset({"sql", "database", "db", "sqlite", "postgres", "cypher"}),
        StateType.DB_QUERY,
        StateType.DB_QUERY,
    ),
    (_FILES, StateType.FILE_READ, StateType.FILE_WRITE),
    (
        frozenset(
            {
                "bash",
                "shell",
                "python",
                "exec",
                "execute",
                "terminal",
                "code",
                "script",
                "sandbox",
                "repl",
            }
        ),
        StateType.SCRIPT_EXEC,
        StateType.SCRIPT_EXEC,
    ),
    (
        frozenset({"retrieve", "retriever", "retrieval", "rag"}),
        StateType.RETRIEVE,
        StateType.RETRIEVE,
    ),
    (frozenset({"search", "knowledge"}), StateType.RETRIEVE, StateType.API_CALL),
    (frozenset({"grep", "glob", "ls"}), StateType.FILE_READ, StateType.FILE_READ),
)
_WHOLE: Final[Mapping[str, StateType]] = {
    "read": StateType.FILE_READ,
    "view": StateType.FILE_READ,
    "write": StateType.FILE_WRITE,
    "edit": StateType.FILE_WRITE,
    "apply_patch": StateType.FILE_WRITE,
    "str_replace_editor": StateType.FILE_WRITE,
}


@lru_cache(maxsize=4096)
def state_of_tool(name: str, declared_type: str = "") -> StateType:
    """The state of a call of this tool."""
    if (state := _OF_TYPE.get(declared_type.lower())) is not None:
        return state
    if name.startswith(("mcp__", "mcp.", "mcp:", "mcp_")):
        return StateType.MCP_CALL
    if (state := _WHOLE.get(name.lower())) is not None:
        return state
    words = {word.lower() for word in _WORDS.findall(name)}
    for among, reading, writing in _RULES:
        if words & among:
            return writing if words & _WRITING else reading
    return StateType.API_CALL


def type_of_state(state: StateType) -> str:
    """The tool type of a state: `retriever`, `mcp`, `api`, `db`, `script`, `file` or `memory`."""
    return _TYPE_OF.get(state, "")
