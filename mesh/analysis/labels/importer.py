"""Labels of a file, checked line by line and written to the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from judgemesh.contracts.errors import ContractError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.labels.files import (
    LINE_KEYS,
    SHOWN_KEYS,
    VERDICT_KEYS,
    plain_text,
    read_lines,
)
from judgemesh.mesh.ledger.labels import HumanLabel
from judgemesh.mesh.ledger.store import Ledger

_ANSWERS: Final = {
    "yes": "yes",
    "y": "yes",
    "true": "yes",
    "1": "yes",
    "no": "no",
    "n": "no",
    "false": "no",
    "0": "no",
}
_CLASSES: Final = frozenset(outcome.value for outcome in OutcomeClass)
_DRAWN: Final = ("at_random", "by_verdict", "chosen")
"""How a result was chosen for labelling; it decides what its label may be used for."""
_SCORES: Final = (1.0, 5.0)
_ANSWER_KEYS: Final = frozenset({"label", "score", "outcome_class"})
_WALK_KEYS: Final = ("path", "labelled_at", "seconds")
"""What lines of `judgemesh label walk` have in addition."""
_KEYS: Final = frozenset(
    {*LINE_KEYS, *SHOWN_KEYS, *VERDICT_KEYS, *_WALK_KEYS, *_ANSWER_KEYS}
)


@dataclass(frozen=True, slots=True)
class ImportedLabels:
    """How many labels were written, and how many lines were left open."""

    labels: int
    left_open: int


async def import_labels(
    ledger_url: str, path: Path, *, labeler: str | None
) -> ImportedLabels:
    """Check every line, then write all labels.

    Raises:
        ContractError: wrong lines, each with its number; then nothing is written.
        LedgerError: there is no ledger, or it cannot be written.
    """
    rows = list(read_lines(path))
    async with await Ledger.open(ledger_url) as ledger:
        known = await _known_results(ledger)
        labels: list[HumanLabel] = []
        problems: dict[str, list[int]] = {}
        left_open = 0
        for number, row in rows:
            if isinstance(row, str):
                problems.setdefault(row, []).append(number)
                continue
            try:
                label = _label(row, known, labeler)
            except ValueError as error:
                problems.setdefault(str(error), []).append(number)
                continue
            if label is None:
                left_open += 1
            else:
                labels.append(label)
        if problems:
            # The one error that is printed as a line for each fault.
            raise ContractError(
                "nothing was imported",
                where=str(path),
                problems=tuple(_each_once(path, problems)),
            )
        await ledger.write_labels(labels)
    return ImportedLabels(len(labels), left_open)


def _each_once(path: Path, problems: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """A line for each problem: where it is first, and on how many more lines."""
    for problem, (first, *others) in problems.items():
        lines = "line" if len(others) == 1 else "lines"
        more = f" (and on {len(others):,} more {lines})" if others else ""
        yield f"{path}:{first}: {problem}{more}"


async def _known_results(ledger: Ledger) -> set[str]:
    known: set[str] = set()
    for run in await ledger.runs():
        async for row in ledger.graded(run.run_id):
            known.add(row.result_id)
    return known


def _label(
    row: Mapping[str, Any], known: set[str], labeler: str | None
) -> HumanLabel | None:
    """One label; None if the line was left open.

    Raises:
        ValueError: what is wrong with the line.
    """
    unknown = sorted(key for key in row if key not in _KEYS)
    if unknown:
        raise ValueError(
            f"unknown key {unknown[0]!r}; a label has {', '.join(sorted(_KEYS))}"
        )
    texts: dict[str, str] = {}
    for key, value in row.items():
        text = "" if value is None else plain_text(value)
        if text:
            texts[key] = text
    if not texts.keys() & _ANSWER_KEYS:
        return None
    result_id = texts.get("result_id")
    if result_id is None:
        raise ValueError("needs a result_id")
    if result_id not in known:
        raise ValueError(f"result_id {result_id!r} is not in the ledger")
    return HumanLabel(
        result_id=result_id,
        created_at=_labelled_at(texts.get("labelled_at")),
        run_id=texts.get("run_id"),
        task_id=texts.get("task_id"),
        validator_name=texts.get("validator_name"),
        question_id=_question(texts),
        labeler=texts.get("labeler", labeler),
        label=_answer(texts.get("label")),
        score=_score(texts.get("score")),
        outcome_class=_outcome(texts.get("outcome_class")),
        note=texts.get("note"),
        drawn=_drawn(texts.get("drawn")),
    )


def _labelled_at(text: str | None) -> datetime:
    if text is None:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"labelled_at is {text!r}, expected a date and time such as 2030-01-31T09:30:00Z"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _question(texts: Mapping[str, str]) -> str | None:
    if "label" in texts and "question_id" not in texts:
        raise ValueError("a label answers a question: question_id is missing")
    return texts.get("question_id")


def _answer(text: str | None) -> str | None:
    if text is not None and text.casefold() not in _ANSWERS:
        raise ValueError(
            f"label is {text!r}, expected yes or no, or nothing if you cannot tell"
        )
    return None if text is None else _ANSWERS[text.casefold()]


def _score(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not _SCORES[0] <= score <= _SCORES[1]:
        raise ValueError(f"score is {text!r}, expected a number from 1 to 5")
    return score


def _outcome(text: str | None) -> str | None:
    if text is not None and text not in _CLASSES:
        raise ValueError(
            f"outcome_class is {text!r}, expected {', '.join(sorted(_CLASSES))}"
        )
    return text


def _drawn(text: str | None) -> str | None:
    if text is not None and text not in _DRAWN:
        raise ValueError(
            f"drawn is {text!r}, expected {', '.join(_DRAWN)}, or nothing if unknown"
        )
    return text
