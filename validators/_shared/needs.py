"""Asking the engine for needs by name."""

from __future__ import annotations

from collections.abc import Generator, Mapping

from judgemesh.contracts.needs import Answer, Need


def ask(
    needs: Mapping[str, Need],
) -> Generator[list[Need], list[Answer], dict[str, Answer]]:
    """Yield the needs and return their answers by the same names."""
    answers = yield list(needs.values())
    return dict(zip(needs, answers, strict=True))
