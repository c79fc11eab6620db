"""Thresholds on tool scores, retried attempts, and calls made at once."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.contracts.verdicts import Fail, Pass, Verdict
from judgemesh.validators.tool_selection import tool_selection

from .helpers import verdicts

EXPECTED = [{"tool": "look"}, {"tool": "book"}, {"tool": "tell"}]
LOOK: dict[str, Any] = {"tool_name": "look", "arguments": {}}
BOOK: dict[str, Any] = {"tool_name": "book", "arguments": {}}
TELL: dict[str, Any] = {"tool_name": "tell", "arguments": {}}
SING: dict[str, Any] = {"tool_name": "sing", "arguments": {}}


def picks(spec: dict[str, Any], *steps: dict[str, Any]) -> Verdict:
    """The verdict about the picks of a run."""
    tools = {"expected": EXPECTED, **spec}
    return verdicts(tool_selection, {"tools": tools}, {"trace": list(steps)})[0]


@pytest.mark.parametrize(
    ("measure", "least", "steps", "kept"),
    [
        ("recall", 1.0, [LOOK, BOOK, TELL, SING], True),
        ("recall", 0.7, [LOOK, BOOK], False),
        ("recall", 2 / 3, [LOOK, BOOK], True),
        ("precision", 1.0, [LOOK], True),
        ("precision", 0.8, [LOOK, BOOK, TELL, SING], False),
        ("precision", 0.75, [LOOK, BOOK, TELL, SING], True),
        ("f1", 0.8, [LOOK, BOOK], True),
        ("f1", 0.81, [LOOK, BOOK], False),
        ("share", 0.75, [LOOK, BOOK, TELL, SING], True),
        ("share", 0.9, [LOOK, BOOK, TELL, SING], False),
        ("f1", 0.1, [], False),
    ],
)
def test_a_threshold_is_a_gate(
    measure: str, least: float, steps: list[dict[str, Any]], *, kept: bool
) -> None:
    verdict = picks({"min_score": least, "measure": measure}, *steps)
    assert isinstance(verdict, Pass if kept else Fail), verdict.diagnostic
    assert verdict.gating is True


def test_retried_attempts_are_left_out_when_asked() -> None:
    steps = [LOOK, {**BOOK, "status": "error"}, BOOK, TELL]
    assert isinstance(picks({"gate": True}, *steps), Fail)
    assert isinstance(picks({"gate": True, "retries": "ignore"}, *steps), Pass)
    never = [LOOK, BOOK, TELL, {**BOOK, "status": "error"}]
    assert isinstance(picks({"gate": True, "retries": "ignore"}, *never), Fail)


def test_calls_made_at_once_have_no_order() -> None:
    def call(name: str) -> dict[str, Any]:
        return {"type": "tool_use", "id": name, "name": name, "input": {}}

    spec = {"gate": True, "ordered": True}
    together = {"role": "assistant", "content": [call("book"), call("look")]}
    last = {"role": "assistant", "content": [call("tell")]}
    assert isinstance(picks(spec, together, last), Pass)
    assert isinstance(picks(spec, BOOK, LOOK, TELL), Fail)
