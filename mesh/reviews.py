"""What reviewers, judges and a reference say about results: labels out of files and out of the ledger.

A row has `result_id`, who said it (`labeler`; else the name of the file), and one of `outcome_class`, `label` (a class,
or yes and no with an optional `question_id`) or `score` (1 to 5). A row of a reference has no labeler, and may have
`rationale`, `split`, `near` and `decided_by`. Keys nobody reads are passed over: `-o reports.jsonl` is such a file too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.errors import ConfigError, ResultError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.lines import Row, listed, rows, text_of
from judgemesh.mesh.scored import CLASS_NAMES, outcome_of_score

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger

UNNAMED: Final = "unnamed"
ANSWERS: Final = ("yes", "no")
CLASSES: Final = tuple(one.value for one in OutcomeClass)
_ANSWERS: Final = {"yes": "yes", "y": "yes", "true": "yes", "no": "no", "n": "no", "false": "no"}


@dataclass(frozen=True, slots=True)
class Item:
    """What is labelled: a result, or one question about it."""

    result_id: str
    question_id: str | None = None

    def __str__(self) -> str:
        return self.result_id if self.question_id is None else f"{self.result_id} {self.question_id}"


@dataclass(frozen=True, slots=True)
class Review:
    """One label; None was left open."""

    item: Item
    labeler: str
    label: str | None


@dataclass(frozen=True, slots=True)
class Canonical:
    """The label of a reference, why, and the class it is easily taken for."""

    label: str
    rationale: str = ""
    split: str | None = None
    near: str | None = None
    decided_by: str | None = None


def read_reviews(path: Path) -> list[Review]:
    """The labels of a JSONL or CSV file.

    Raises:
        ResultError: the file cannot be read, holds no labels, or a line is none; it names the line.
    """
    found: list[Review] = []
    for number, row in rows(path):
        try:
            label = _label(row)
            found.append(Review(_item(row), text_of(row, "labeler", path.stem), label))
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None
    if not found:
        raise ResultError("holds no labels", where=str(path))
    return found


def read_reference(path: Path) -> dict[Item, Canonical]:
    """The canonical labels of a JSONL or CSV file.

    Raises:
        ResultError: as `read_reviews`; or an item stands twice, or has no label.
    """
    found: dict[Item, Canonical] = {}
    for number, row in rows(path):
        try:
            item, label = _item(row), _label(row)
            if label is None:
                raise ValueError("a canonical label is missing")  # noqa: TRY301 (every fault of a line is one kind)
            if item in found:
                raise ValueError(f"{item} stands twice")  # noqa: TRY301
            texts = {key: text_of(row, key, "") or None for key in ("split", "near", "decided_by")}
            found[item] = Canonical(label, text_of(row, "rationale", ""), **texts)
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None
    if not found:
        raise ResultError("holds no labels", where=str(path))
    return found


async def reviews_of_run(ledger: Ledger, run_id: str) -> list[Review]:
    """The outcome classes of a run as the labels of a reviewer of that name, and people's labels of its results."""
    found = [
        Review(Item(report.result_id), run_id, report.outcome_class.value if report.outcome_class else None)
        async for report in ledger.reports(run_id)
    ]
    known = {review.item for review in found}
    for label in await ledger.labels():
        item = Item(label.result_id)
        said = label.outcome_class or (outcome_of_score(label.score).value if label.score is not None else None)
        if item in known and label.question_id is None and said is not None:
            found.append(Review(item, label.labeler or UNNAMED, said))
    return found


def one_scale(labels: Sequence[str]) -> tuple[str, ...]:
    """All labels there may be: the outcome classes, or yes and no.

    Raises:
        ConfigError: both kinds were given, which cannot agree.
    """
    kinds = {label in ANSWERS for label in labels}
    if len(kinds) > 1:
        raise ConfigError("outcome classes and yes/no answers cannot be compared", hint="give files of one kind")
    return ANSWERS if kinds == {True} else CLASSES


def _item(row: Row) -> Item:
    if row.get("result_id") is None:
        raise ValueError("result_id is missing")
    return Item(text_of(row, "result_id", ""), text_of(row, "question_id", "") or None)


def _label(row: Row) -> str | None:
    """The class or answer of a row; None where it was left open."""
    keys = [key for key in ("outcome_class", "outcome", "label", "score") if key in row]
    if not keys:
        raise ValueError("expected `outcome_class`, `label` or `score`")
    given = [(key, row[key]) for key in keys if row[key] is not None and row[key] != ""]
    if not given:
        return None
    said = {(_score(value) if key == "score" else _word(value, key)) for key, value in given}
    if len(said) > 1:
        raise ValueError(f"{' and '.join(key for key, _ in given)} contradict each other")
    return said.pop()


def _word(value: Any, key: str) -> str:
    if isinstance(value, bool) and key == "label":
        return "yes" if value else "no"
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text in CLASS_NAMES:
        return CLASS_NAMES[text].value
    if key == "label" and isinstance(text, str) and text.casefold() in _ANSWERS:
        return _ANSWERS[text.casefold()]
    more = (*CLASSES, *ANSWERS) if key == "label" else CLASSES
    raise ValueError(f"{key}: {listed(more)}, got {value!r:.60}")


def _score(value: Any) -> str:
    try:
        score = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        score = float("nan")
    if not 1 <= score <= 5:
        raise ValueError(f"score: expected a number from 1 to 5, got {value!r:.60}")
    return outcome_of_score(score).value
