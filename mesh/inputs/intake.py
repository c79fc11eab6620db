"""A line of results as harnesses write it: keys in a usual wrong place or spelling, read where only one reading exists.

Each such reading is a note, which the user sees once for a file with its first line. Two values for one place are never
merged: the specified place stands, and the note says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, cast

from judgemesh.contracts.results import AgentOutput, AgentResult, Status

Line = dict[str, Any]

_MAX_REMEMBERED_CHARS: Final = 64
_MARKS: Final = re.compile(r"[^a-z0-9]+")
_RESULT_FIELDS: Final = frozenset(AgentResult.model_fields)
_WITHOUT_STATUS: Final = _RESULT_FIELDS - {"status"}
"""A word for how the run ended may be read as another one."""
_OUTPUT_FIELDS: Final = frozenset(AgentOutput.model_fields)
_RESULT_KEYS: Final = {key.replace("_", ""): key for key in AgentResult.model_fields}
_OUTPUT_KEYS: Final = {key.replace("_", ""): key for key in AgentOutput.model_fields}
_ANSWERS: Final = frozenset(
    {
        "finalanswer", "finaloutput", "finalresponse", "finalmessage", "answer", "response", "completion", "reply",
        "outputtext", "agentoutput", "actualoutput",
    }
)  # fmt: skip
_TRACES: Final = frozenset(
    {
        "messages",
        "steps",
        "transcript",
        "conversation",
        "events",
        "toolcalls",
        "trajectory",
    }
)
_SECONDS: Final = frozenset(
    {"latencys", "latencyseconds", "durations", "durationseconds", "elapseds"}
)
_DIFFS: Final = frozenset({"statediff", "statechanges"})
_STATUS_OF_WORD: Final[Mapping[str, Status]] = {
    "success": Status.COMPLETED, "succeeded": Status.COMPLETED, "successful": Status.COMPLETED,
    "ok": Status.COMPLETED, "done": Status.COMPLETED, "complete": Status.COMPLETED, "finished": Status.COMPLETED,
    "completed": Status.COMPLETED, "stop": Status.COMPLETED,
    "timeout": Status.TIMEOUT, "timedout": Status.TIMEOUT, "deadlineexceeded": Status.TIMEOUT,
    "error": Status.ERROR, "errored": Status.ERROR, "failed": Status.ERROR, "failure": Status.ERROR,
    "exception": Status.ERROR, "crashed": Status.ERROR,
    "abandoned": Status.ABANDONED, "cancelled": Status.ABANDONED, "canceled": Status.ABANDONED,
    "aborted": Status.ABANDONED, "interrupted": Status.ABANDONED,
}  # fmt: skip
_EMPTY_IF_NULL: Final = ("output", "actions", "metadata", "status")


def tidied(line: Mapping[str, Any]) -> tuple[Line, tuple[str, ...]]:
    """The line with every key in its place, and notes about what was moved or left."""
    tidy = _without_nulls(dict(line), _EMPTY_IF_NULL)
    notes: list[str] = []
    has_foreign = not tidy.keys() <= _RESULT_FIELDS
    for step in _STEPS:
        if has_foreign or step not in _OF_FOREIGN_KEYS:
            notes += step(tidy)
    return tidy, tuple(notes)


def notes_of(line: Mapping[str, Any]) -> tuple[str, ...]:
    """The notes of `tidied`; a line whose keys are all in their places has none, and is not tidied for them."""
    output = line.get("output")
    is_text = isinstance(output, str)
    is_plain = isinstance(output, dict) and output.keys() <= _OUTPUT_FIELDS
    if (is_text or is_plain) and line.keys() <= _WITHOUT_STATUS:
        return ()
    return tidied(line)[1]


def _foreign(line: Line, specified: Collection[str]) -> list[str]:
    """The keys that are not specified for their place; most lines have none."""
    return [key for key in line if key not in specified]


def _fold(key: str) -> str:
    """A key without case and marks. Files repeat a few keys on every line; a long one is not worth remembering."""
    return (
        _folded(key) if len(key) <= _MAX_REMEMBERED_CHARS else _folded.__wrapped__(key)
    )


@lru_cache(maxsize=1024)
def _folded(key: str) -> str:
    return _MARKS.sub("", key.casefold())


def _without_nulls(fields: Line, keys: tuple[str, ...]) -> Line:
    if None not in fields.values():
        return fields
    for key in keys:
        if fields.get(key, key) is None:
            del fields[key]
    return fields


def _spell(line: Line) -> Iterator[str]:
    """Known keys in another spelling (`taskId`)."""
    for key in _foreign(line, _RESULT_FIELDS):
        known = _RESULT_KEYS.get(_fold(key))
        if known is None:
            continue
        yield _moved(line, key, line, known)
    if "result_id" not in line and "id" in line:
        yield _moved(line, "id", line, "result_id")


def _moved(source: Line, key: str, target: Line, name: str, place: str = "") -> str:
    """Move a value; a place that is taken stays as it is. Returns the note."""
    where = f"`{place}{name}`"
    if target.get(name) not in (None, "", [], {}):
        return f"`{key}` was not read, because {where} is given too"
    target[name] = source.pop(key)
    return f"`{key}` was read as {where}"


def _identify(line: Line) -> Iterator[str]:
    """Numbers as ids."""
    for key in ("result_id", "task_id"):
        value = line.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            line[key] = str(value)
    yield from ()


def _settle(line: Line) -> Iterator[str]:
    """Other words for how the run ended."""
    status = line.get("status")
    if isinstance(status, str):
        known = _STATUS_OF_WORD.get(_fold(status))
        if known is not None and known.value != status:
            line["status"] = known.value
            yield f"status `{status}` was read as `{known.value}`"


def _time(line: Line) -> Iterator[str]:
    """A duration in seconds."""
    for key in _foreign(line, _RESULT_FIELDS):
        value = line[key]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if _fold(key) not in _SECONDS or not is_number:
            continue
        if line.get("latency_ms") is None:
            line["latency_ms"] = line.pop(key) * 1000
            yield f"`{key}` was read as `latency_ms`"


def _trace(line: Line) -> Iterator[str]:
    """The list of messages or steps at the top."""
    for key in _foreign(line, _RESULT_FIELDS):
        if _fold(key) in _TRACES and isinstance(line[key], list):
            yield _moved(line, key, line, "trace")
        elif _fold(key) in _DIFFS and isinstance(line[key], list):
            state: Any = line.get("state") or {}
            if isinstance(state, dict):
                line["state"] = cast("Line", state)
                yield _moved(line, key, line["state"], "diff", "state.")


def _output(line: Line) -> Iterator[str]:
    """An output that is its answer, and its keys in another spelling."""
    output = line.get("output")
    if isinstance(output, int | float) and not isinstance(output, bool):
        line["output"] = {"final_answer": str(output)}
    if isinstance(output, str):
        line["output"] = {"final_answer": output}
    inner = line.setdefault("output", {})
    if not isinstance(inner, dict):
        return
    output = _without_nulls(
        dict(cast("Line", inner)), ("outputs", "citations", "claims")
    )
    line["output"] = output
    for key in _foreign(output, _OUTPUT_FIELDS):
        known = _OUTPUT_KEYS.get(_fold(key))
        if known is not None:
            yield _moved(output, key, output, known, "output.")
    answer = output.get("final_answer")
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        output["final_answer"] = str(answer)


def _parts_at_top(line: Line) -> Iterator[str]:
    """Parts of the output at the top."""
    output = line["output"]
    if not isinstance(output, dict):
        return
    output = cast("Line", output)
    answers = [key for key in _foreign(line, _RESULT_FIELDS) if _fold(key) in _ANSWERS]
    if len({str(line[key]) for key in answers}) > 1:
        yield f"{' and '.join(f'`{key}`' for key in answers)} differ, and neither was read"
        answers = []
    for key in answers:
        yield from _answer(line, key, output)
    for key in _foreign(line, _RESULT_FIELDS):
        name = _OUTPUT_KEYS.get(_fold(key))
        if name in ("outputs", "citations", "claims"):
            yield _moved(line, key, output, name, "output.")
        elif _fold(key) == "evidencelist" and isinstance(line[key], list):
            yield _moved(line, key, output, "evidence_list", "output.")


def _answer(line: Line, key: str, output: Line) -> Iterator[str]:
    """An answer at the top: text or a number is the final answer, an object the structured outputs."""
    value = line[key]
    if isinstance(value, int | float) and not isinstance(value, bool):
        line[key] = str(value)
    if isinstance(line[key], str):
        if output.get("final_answer") == line[key]:
            return
        yield _moved(line, key, output, "final_answer", "output.")
    elif isinstance(value, dict):
        yield _moved(line, key, output, "outputs", "output.")


_STEPS: Final[tuple[Callable[[Line], Iterator[str]], ...]] = (
    _spell,
    _identify,
    _settle,
    _time,
    _trace,
    _output,
    _parts_at_top,
)
_OF_FOREIGN_KEYS: Final = frozenset({_spell, _time, _trace, _parts_at_top})
"""The steps that only move keys which are not specified: most lines have none."""


class Notes:
    """Notes of many lines, counted by what they say."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, where: str, notes: Iterable[str]) -> None:
        """Add the notes of one line; `where` is `file:line`."""
        for note in notes:
            count, first = self._found.get(note, (0, where))
            self._found[note] = (count + 1, first)

    def lines(self) -> tuple[str, ...]:
        """One line for each kind of note, with its first place."""
        lines: list[str] = []
        for note, (count, first) in self._found.items():
            more = f" (and in {count - 1} more)" if count > 1 else ""
            lines.append(f"{first}: {note}{more}")
        return tuple(lines)
