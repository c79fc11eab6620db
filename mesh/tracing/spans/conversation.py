"""The input of each model call of a format that records a conversation: all before it."""

from __future__ import annotations

from collections.abc import Iterable

from judgemesh.mesh.tracing.spans.context_sources import ContextPart
from judgemesh.mesh.tracing.spans.span import SentPart, sent_parts


class Conversation:
    """The messages so far.

    What a model has been sent before is added up by role and tool, so that the work
    for a long run stays linear.
    """

    def __init__(self) -> None:
        self._instruction: ContextPart | None = None
        self._old: dict[tuple[str, str | None], int] = {}
        self._new: list[ContextPart] = []

    def add(self, parts: Iterable[ContextPart]) -> None:
        """Add the parts of further messages."""
        for part in parts:
            if self._instruction is None and part.role == "user":
                self._instruction = part
            else:
                self._new.append(part)

    def sent(self) -> list[SentPart]:
        """The input of a model call made now.

        The results of tools keep their call ids the first time only.
        """
        parts: list[ContextPart] = []
        if self._instruction is not None:
            parts.append(self._instruction)
        for (role, tool_name), weight in self._old.items():
            parts.append(ContextPart(role, weight, None, tool_name))
        parts += self._new
        for part in self._new:
            key = (part.role, part.tool_name)
            self._old[key] = self._old.get(key, 0) + part.weight
        self._new = []
        return sent_parts(parts)
