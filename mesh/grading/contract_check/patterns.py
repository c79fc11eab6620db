"""Patterns of a contract: those that are none, and those that every text has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel

from judgemesh.contracts.contract import SuccessCriteria
from judgemesh.contracts.sections.expectations import Expectation, FieldSpec
from judgemesh.contracts.sections.section import Matcher
from judgemesh.mesh.inputs.problems import KeyPath, Problem

_SAYS: Final = ("says",)
_TEXTS: Final = ("", "\n", " ", "a", "Z9", "-", "\u2603", "two words\nand a line")
"""Texts with nothing in common: a pattern found in each of them is taken to be in every text."""


def pattern_problems(model: BaseModel, path: KeyPath) -> Iterator[Problem]:
    """Faults of the patterns that a section holds."""
    for keys, pattern in _patterns_of(model):
        unusable = _unusable(pattern)
        if unusable is not None:
            message = f"not a usable pattern (RE2 syntax): {unusable}"
            yield Problem((*path, *keys), message)
            continue
        everywhere = _everywhere(model, keys) if _is_everywhere(pattern) else None
        if everywhere is not None:
            yield Problem((*path, *keys), everywhere)


def _patterns_of(model: BaseModel) -> Iterator[tuple[KeyPath, str]]:
    pattern = getattr(model, "pattern", None)
    if isinstance(pattern, str):
        yield ("pattern",), pattern
    says = getattr(model, "says", None)
    if isinstance(says, str):
        yield _SAYS, says
    if isinstance(model, SuccessCriteria):
        for index, forbidden in enumerate(model.must_not_match):
            yield ("must_not_match", index), forbidden


def _everywhere(model: BaseModel, keys: KeyPath) -> str | None:
    """What it means that every text has the pattern; None where the pattern only picks a part of a text."""
    match model:
        case SuccessCriteria():
            return "every text has this pattern: no run can pass"
        case _ if keys == _SAYS:
            return "every utterance has this pattern; leave `says` out for any utterance of a role"
        case Matcher():
            return (
                "every text has this pattern; write `any: true` where any value will do"
            )
        case Expectation():
            if model.matcher() is not None:
                return None
            holder = "text" if isinstance(model, FieldSpec) else "answer"
            return f"every {holder} has this pattern; write what it must hold"
        case _:
            raise AssertionError(f"{type(model).__name__} has no pattern {keys}")


def _unusable(pattern: str) -> str | None:
    import re2

    try:
        re2.compile(pattern, _quiet())
    except re2.error as error:
        text = error.args[0] if error.args else error
        return text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    return None


def _is_everywhere(pattern: str) -> bool:
    import re2

    compiled = re2.compile(pattern, _quiet())
    return all(compiled.search(text) is not None for text in _TEXTS)


def _quiet() -> Any:
    """Options under which RE2 writes no message of its own to the error stream."""
    import re2

    options = re2.Options()
    options.log_errors = False
    return options
