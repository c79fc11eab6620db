"""What the tools of an MCP session say of themselves: whether they only read.

`list_tools` gives them with annotations. They are hints of the server: a contract's registry of tools wins over them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, cast

from judgemesh.contracts.tracing import Access
from judgemesh.mesh.tracing.recording.model_boundary import attribute


class ToolHints:
    """The access of each tool that a session has listed."""

    def __init__(self) -> None:
        self._accesses: dict[str, Access] = {}

    def access(self, tool: str | None) -> Access | None:
        """Whether a tool reads or writes; None where it does not say."""
        return None if tool is None else self._accesses.get(tool)

    def reading(self, list_tools: Callable[..., Any]) -> Callable[..., Any]:
        """`list_tools`, whose results are read on their way."""

        @functools.wraps(list_tools)
        def read(*args: Any, **kwargs: Any) -> Any:
            result = list_tools(*args, **kwargs)
            if inspect.isawaitable(result):
                return self._awaited(result)
            self._read(result)
            return result

        return read

    async def _awaited(self, waiting: Awaitable[object]) -> object:
        result = await waiting
        self._read(result)
        return result

    def _read(self, result: object) -> None:
        tools = attribute(result, "tools")
        if not isinstance(tools, list | tuple):
            return
        for tool in cast("list[object]", tools):
            name = attribute(tool, "name")
            hint = _read_only(attribute(tool, "annotations"))
            if isinstance(name, str) and hint is not None:
                self._accesses[name] = "read" if hint else "write"


def _read_only(annotations: object) -> bool | None:
    for name in ("readOnlyHint", "read_only_hint"):
        hint = attribute(annotations, name)
        if isinstance(hint, bool):
            return hint
    return None
