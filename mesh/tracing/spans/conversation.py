"""What a format that records a conversation, message by message, says of each model call's input: all before it."""

from __future__ import annotations

from collections.abc import Iterable

from judgemesh.mesh.tracing.spans.context_sources import Part


class Conversation:
    """The messages so far. What a model has been sent before is folded together, so that long runs stay linear."""

    def __init__(self) -> None:
        self._instruction: Part | None = None
        self._old: dict[tuple[str, str | None], int] = {}
        self._fresh: list[Part] = []

    def add(self, parts: Iterable[Part]) -> None:
        """More messages."""
        for part in parts:
            if self._instruction is None and part.role == "user":
                self._instruction = part
            else:
                self._fresh.append(part)

    def sent(self) -> list[tuple[str, int, str | None, str | None]]:
        """The input of a model call made now. Results of tools keep their call ids the first time only."""
        first = [] if self._instruction is None else [self._instruction]
        old = [
            Part(role, weight, None, tool_name)
            for (role, tool_name), weight in self._old.items()
        ]
        parts = [*first, *old, *self._fresh]
        for part in self._fresh:
            key = (part.role, part.tool_name)
            self._old[key] = self._old.get(key, 0) + part.weight
        self._fresh = []
        return [
            (part.role, part.weight, part.call_id, part.tool_name) for part in parts
        ]
