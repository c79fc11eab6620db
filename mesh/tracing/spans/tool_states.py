"""Which runtime state a tool call is, from what a trace says of the tool. Pure.

A declared type wins; then the words of the tool's name; otherwise it is an API call.
Names are cut into words at underscores, dots, dashes and capitals, so that `read_file`,
`readFile` and `fs.read-file` are the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from judgemesh.contracts.tracing import StateType

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

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

_WRITING_WORDS: Final = frozenset(
    [
        "add",
        "append",
        "create",
        "delete",
        "edit",
        "insert",
        "put",
        "remember",
        "save",
        "store",
        "update",
        "write",
    ]
)


@dataclass(frozen=True, slots=True)
class _WordRule:
    """The state of a tool whose name has one of the words.

    writing: the state where the name has a word of writing as well.
    """

    words: frozenset[str]
    state: StateType
    writing: StateType


def _rule(words: str, state: StateType, writing: StateType | None = None) -> _WordRule:
    return _WordRule(frozenset(words.split()), state, writing or state)


_RULES: Final = (
    _rule(
        "memory memories remember recall",
        StateType.MEMORY_READ,
        writing=StateType.MEMORY_WRITE,
    ),
    _rule("sql database db sqlite postgres cypher", StateType.DB_QUERY),
    _rule(
        "file files notebook document pdf docx",
        StateType.FILE_READ,
        writing=StateType.FILE_WRITE,
    ),
    _rule(
        "bash shell python exec execute terminal code script sandbox repl",
        StateType.SCRIPT_EXEC,
    ),
    _rule("retrieve retriever retrieval rag", StateType.RETRIEVE),
    _rule("search knowledge", StateType.RETRIEVE, writing=StateType.API_CALL),
    _rule("grep glob ls", StateType.FILE_READ),
)
_WHOLE_NAMES: Final[Mapping[str, StateType]] = {
    "read": StateType.FILE_READ,
    "view": StateType.FILE_READ,
    "write": StateType.FILE_WRITE,
    "edit": StateType.FILE_WRITE,
    "apply_patch": StateType.FILE_WRITE,
    "str_replace_editor": StateType.FILE_WRITE,
}
_MCP_PREFIXES: Final = ("mcp__", "mcp.", "mcp:", "mcp_")


@lru_cache(maxsize=4096)
def state_of_tool(name: str, declared_type: str = "") -> StateType:
    """The state of a call of this tool."""
    declared = _OF_TYPE.get(declared_type.lower())
    if declared is not None:
        return declared
    if name.startswith(_MCP_PREFIXES):
        return StateType.MCP_CALL
    whole = _WHOLE_NAMES.get(name.lower())
    if whole is not None:
        return whole
    words = {word.lower() for word in _WORD.findall(name)}
    for rule in _RULES:
        if words & rule.words:
            return rule.writing if words & _WRITING_WORDS else rule.state
    return StateType.API_CALL


def type_of_state(state: StateType) -> str:
    """The tool type of a state: retriever, mcp, api, db, script, file, memory or ""."""
    return _TYPE_OF.get(state, "")
