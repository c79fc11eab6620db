"""`--filter`: which results are graded, and why none was."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.text.spelling import nearest

_MAX_NAMED: Final = 20


@dataclass(slots=True)
class Filters:
    """Globs of which a result has to match all, and what they have met.

    A glob is matched with `result_id` and `task_id`, or, as `key=glob`, with a field of the result or its metadata.
    """

    texts: tuple[str, ...]
    _looked_at: int = 0
    _kept: int = 0
    _fields: set[str] = field(default_factory=set[str])

    def keep(self, result: AgentResult) -> bool:
        """Whether a result matches every filter."""
        self._looked_at += 1
        self._fields.update(result.metadata)
        kept = all(_matches(result, text) for text in self.texts)
        self._kept += kept
        return kept

    def why_nothing(self) -> str:
        """Why no result was kept, for the end of a sentence; empty where one was, or none was looked at."""
        if self._kept or not self._looked_at:
            return ""
        named = " ".join(f"--filter {text}" for text in self.texts)
        problem = f"none of the {self._looked_at:,} results matches {named}"
        if self._looked_at == 1:
            problem = f"the only result does not match {named}"
        return "; ".join([problem, *self._unknown_fields()])

    def _unknown_fields(self) -> list[str]:
        known = {*AgentResult.model_fields, *self._fields} - {"metadata"}
        keys = [text.partition("=")[0] for text in self.texts if "=" in text]
        return [_unknown(key, known) for key in keys if key not in known]


def _unknown(key: str, known: set[str]) -> str:
    near = nearest(key, known)
    if near is not None:
        return f"no result has a field {key!r}, did you mean {near!r}?"
    names = sorted(known)
    more = ", ..." if len(names) > _MAX_NAMED else ""
    return f"no result has a field {key!r}; there are {', '.join(names[:_MAX_NAMED])}{more}"


def _matches(result: AgentResult, text: str) -> bool:
    key, equals, pattern = text.partition("=")
    if not equals:
        ids = (result.result_id, result.task_id)
        return any(fnmatchcase(identifier, text) for identifier in ids)
    if key in type(result).model_fields:
        value = getattr(result, key)
    else:
        value = result.metadata.get(key)
    return fnmatchcase("" if value is None else str(value), pattern)
