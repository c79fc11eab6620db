"""The tools that Python code calls: the calls of a code agent stand in its code. The code is parsed, never run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from judgemesh.mesh.tracing.spans.json_values import JsonObject

_MAX_CODE_CHARS: Final = 200_000
_NOT_TOOLS: Final = frozenset({*dir(builtins), "final_answer"})


def is_final(code: str) -> bool:
    """Whether the code only gives the answer: it calls `final_answer`, and no tool."""
    tree = _parsed(code)
    if tree is None:
        return False
    names = {_name(node) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return "final_answer" in names and not any(True for _ in calls_in(code))


def calls_in(code: str) -> Iterator[JsonObject]:
    """The calls of functions that the code neither defines nor imports, and that are not built in, in its order.

    A call whose arguments are no literals has them as text. Code that is no Python was not run, and calls nothing.
    """
    tree = _parsed(code)
    if tree is None:
        return
    known = _NOT_TOOLS | set(_defined(tree))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        name = _name(node)
        if name is not None and name not in known:
            yield {
                "type": "function",
                "function": {"name": name, "arguments": _arguments(node)},
            }


def _parsed(code: str) -> ast.Module | None:
    if len(code) > _MAX_CODE_CHARS:
        return None
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _name(node: ast.Call) -> str | None:
    return node.func.id if isinstance(node.func, ast.Name) else None


def _defined(tree: ast.Module) -> Iterator[str]:
    """The names of functions and classes that the code defines or imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0]


def _arguments(node: ast.Call) -> Any:
    """The arguments by name; as text where one is no literal or has no name."""
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    named = [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
    if len(named) == len(values):
        with suppress(ValueError, TypeError, MemoryError, RecursionError):
            return {name: ast.literal_eval(value) for name, value in named}
    return ", ".join(map(ast.unparse, values))
