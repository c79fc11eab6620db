"""Confirmation ids that something other than the agent wrote: results of tools, and the state after the run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.validator import Case
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.trace.transcript import (
    step_failed,
    user_turns,
    without_trace,
)
from judgemesh.validators._shared.values import json_text

_ID_ENDINGS: Final = (
    "id",
    "number",
    "no",
    "ref",
    "reference",
    "code",
    "receipt",
    "ticket",
    "confirmation",
    "locator",
)
_SEPARATORS = re.compile(r"[\s#:.]+")
_MAX_ID_CHARS: Final = 200


def same_id(left: str, right: str) -> bool:
    """Whether two ids are one; case and spaces do not count."""
    return left == right or _folded(left) == _folded(right)


def ids_of(record: ExecutionRecord) -> list[str]:
    """The ids that a record carries: its confirmation id, and every key beside it that is named like one."""
    ids = [record.confirmation_id] if record.confirmation_id else []
    for group in (record.model_extra or {}, record.parameters):
        for key, value in group.items():
            named = fold_name(key).endswith(_ID_ENDINGS)
            if (
                named
                and value
                and isinstance(value, str | int)
                and not isinstance(value, bool)
            ):
                ids.append(str(value))
    return ids


def has_id(record: ExecutionRecord) -> bool:
    """Whether a record carries a confirmation id."""
    return bool(record.confirmation_id)


def given_id(identifier: str, record: ExecutionRecord) -> bool:
    """Whether a record carries that id."""
    return any(same_id(identifier, known) for known in ids_of(record))


def _folded(identifier: str) -> str:
    return _SEPARATORS.sub("", plain(identifier)).casefold()


def known_elsewhere(case: Case, identifier: str) -> bool | None:
    """Whether the id is in what a tool returned or in the state after the run; None where neither is there.

    A result that repeats the arguments of its call is the agent's own text.
    """
    texts = list(_told(case))
    if any(_names(text, identifier) for text in texts):
        return True
    if without_trace(case) is not None and not texts:
        return None
    return False


def known_to_user(case: Case, identifier: str) -> bool:
    """Whether the id stands in the task or in a turn of the user."""
    task = json_text(case.contract.input)
    said = [text for _, _, text in user_turns(case.result)]
    return any(_names(text, identifier) for text in (task, *said))


def _told(case: Case) -> Iterator[str]:
    """What the harness wrote, apart from the records."""
    for change in case.changes or ():
        yield json_text(change.after)
        yield change.path
    steps = case.result.trace.steps if case.result.trace else []
    said = ""
    for step in steps:
        if step.tool_name is None:
            continue
        said += json_text(step.arguments)
        if step.result is not None and not step_failed(step):
            yield _unsaid(step, said)


def _unsaid(step: TraceStep, said: str) -> str:
    """The words of a tool's result that the agent had not written into this or an earlier call."""
    result = step.result
    text = result if isinstance(result, str) else json_text(result)
    written = set(_tokens(said))
    return " ".join(token for token in _tokens(text) if token not in written)


def _tokens(text: str) -> list[str]:
    return [
        token.strip(".").casefold()
        for token in re.findall(r"[^\s\"'{}\[\],:;()]+", text)
    ]


def _names(text: str, identifier: str) -> bool:
    """Whether the text names the id; spaces, dashes and slashes in it may be written in another way."""
    letters = _SEPARATORS.sub("", plain(identifier).replace("-", "")).casefold()
    if not letters or len(letters) > _MAX_ID_CHARS:
        return False
    spelt = r"[\s\-#:./]?".join(map(re.escape, letters))
    return (
        re.search(rf"(?<![^\W_]){spelt}(?![^\W_])", plain(text).casefold()) is not None
    )
