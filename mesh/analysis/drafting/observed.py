"""What a set of results shows: tools and how they were used, answers, values that the answers repeat. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.results import AgentResult

_IDENTIFIER: Final = re.compile(r"(?=[^\d]*\d)[A-Za-z0-9][A-Za-z0-9_/.-]{2,39}")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}.*|\d{1,2}:\d{2}.*")
_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_MAX_DEPTH: Final = 6


@dataclass(slots=True)
class Seen:
    """What the results show.

    runs: how many results. unread: those with calls that cannot be read. answered: those with a final answer.
    tools: in how many runs each tool was called. calls: the most calls of one run.
    repeats: the most times in a row that one call was made.
    identifiers: of each key of a tool's result, the values that the answer of the same run repeats, one for each run.
    keys: keys of answers that are JSON objects, with the number of runs.
    """

    runs: int = 0
    unread: int = 0
    answered: int = 0
    tools: Counter[str] = field(default_factory=Counter[str])
    calls: int = 0
    repeats: int = 0
    identifiers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    keys: Counter[str] = field(default_factory=Counter[str])


def observed(results: Iterable[AgentResult]) -> Seen:
    """What the results show, taken together."""
    seen = Seen()
    for result in results:
        _take(seen, result)
    return seen


def _take(seen: Seen, result: AgentResult) -> None:
    seen.runs += 1
    trace = result.trace
    steps = [] if trace is None else trace.steps
    seen.unread += trace is not None and trace.unread is not None
    calls = [step for step in steps if step.tool_name]
    seen.tools.update({str(call.tool_name) for call in calls})
    seen.calls = max(seen.calls, len(calls))
    seen.repeats = max(seen.repeats, _repeats(calls))
    answer = (result.output.final_answer or "").strip()
    if not answer:
        return
    seen.answered += 1
    for key, value in _repeated_values(calls, answer).items():
        seen.identifiers.setdefault(key, []).append(value)
    data = _json_object(answer)
    seen.keys.update(key for key in data if _KEY.fullmatch(key))


def _repeats(calls: Iterable[TraceStep]) -> int:
    """The most times in a row that the same call was made."""
    most = count = 0
    last: tuple[str | None, str] | None = None
    for call in calls:
        arguments = json.dumps(call.arguments, sort_keys=True, default=str)
        this = (call.tool_name, arguments)
        count = count + 1 if this == last else 1
        last = this
        most = max(most, count)
    return most


def _repeated_values(calls: Iterable[TraceStep], answer: str) -> dict[str, str]:
    """The identifiers in the results of tools that the answer repeats, by their key; the last one of each key."""
    found: dict[str, str] = {}
    for call in calls:
        for key, value in _leaves(_data(call.result)):
            is_identifier = _IDENTIFIER.fullmatch(value) and not _DATE.fullmatch(value)
            if is_identifier and _stands_in(value, answer):
                found[key] = value
    return found


def _stands_in(value: str, answer: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", answer) is not None


def _data(value: Any) -> Any:
    """A tool's result, read as JSON where it is the text of some."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _json_object(text: str) -> Mapping[str, Any]:
    data = _data(text)
    return cast("Mapping[str, Any]", data) if isinstance(data, dict) else {}


def _leaves(value: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Texts under a key, at any depth."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for name, child in cast("dict[str, Any]", value).items():
            yield from _leaves(child, name, depth + 1)
    elif isinstance(value, list):
        for child in cast("list[Any]", value):
            yield from _leaves(child, key, depth + 1)
    elif isinstance(value, str) and _KEY.fullmatch(key):
        yield key, value
