"""Labels of results by reviewers, judges and a reference, from files and the ledger.

A row has `result_id`, `labeler` (default: the name of the file), and one of
`outcome_class`, `label` (a class, or yes and no with an optional `question_id`) or
`score` (1 to 5). A row of a reference has no labeler, and may have `rationale`, `split`,
`near` and `decided_by`. Other keys are ignored, so `-o reports.jsonl` is such a file too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.errors import ConfigError, ResultError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.graded_rows import CLASS_NAMES, outcome_of_score
from judgemesh.mesh.inputs.rows import Row, listed, rows, shown, text_of

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.labels import HumanLabel
    from judgemesh.mesh.ledger.store import Ledger

_IN_FOLDERS: Final = "labels.jsonl"
UNNAMED: Final = "unnamed"
ANSWERS: Final = ("yes", "no")
CLASSES: Final = tuple(outcome.value for outcome in OutcomeClass)
_ANSWERS: Final = {
    "yes": "yes",
    "y": "yes",
    "true": "yes",
    "no": "no",
    "n": "no",
    "false": "no",
}


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """A result, or one question about it."""

    result_id: str
    question_id: str | None = None

    def __str__(self) -> str:
        if self.question_id is None:
            return self.result_id
        return f"{self.result_id} {self.question_id}"


@dataclass(frozen=True, slots=True)
class ReviewerLabel:
    """One label; None if it was left open.

    drawn: how the result was chosen for labelling, where that is known.
    """

    item: LabelledItem
    labeler: str
    label: str | None
    drawn: str | None = None


@dataclass(frozen=True, slots=True)
class Canonical:
    """A label of a reference, its rationale, and the class it is often mistaken for."""

    label: str
    rationale: str = ""
    split: str | None = None
    near: str | None = None
    decided_by: str | None = None


def read_reviews(path: Path) -> list[ReviewerLabel]:
    """The labels of a JSONL or CSV file.

    Raises:
        ResultError: the file cannot be read, holds no labels, or a line is none; it names the line.
    """
    reviews: list[ReviewerLabel] = []
    for number, row in rows(path):
        try:
            labeler = text_of(row, "labeler", path.stem)
            drawn = text_of(row, "drawn", "") or None
            reviews.append(ReviewerLabel(_item(row), labeler, _label(row), drawn))
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None
    if not reviews:
        raise ResultError("holds no labels", where=str(path))
    return reviews


def read_reference(path: Path) -> dict[LabelledItem, Canonical]:
    """The canonical labels of a JSONL or CSV file, or of every `labels.jsonl` in a folder.

    Raises:
        ResultError: as `read_reviews`; or an item stands twice, or has no label.
    """
    files = sorted(path.rglob(_IN_FOLDERS)) if path.is_dir() else [path]
    if not files:
        raise ResultError(f"holds no {_IN_FOLDERS}", where=str(path))
    reference: dict[LabelledItem, Canonical] = {}
    for file in files:
        for number, row in rows(file):
            try:
                _add_canonical(row, reference)
            except ValueError as error:
                raise ResultError(str(error), where=f"{file}:{number}") from None
    if not reference:
        raise ResultError("holds no labels", where=str(path))
    return reference


def _add_canonical(row: Row, reference: dict[LabelledItem, Canonical]) -> None:
    item, label = _item(row), _label(row)
    if label is None:
        raise ValueError("a canonical label is missing")
    if item in reference:
        raise ValueError(f"{item} is given twice")
    reference[item] = Canonical(
        label,
        text_of(row, "rationale", ""),
        split=text_of(row, "split", "") or None,
        near=text_of(row, "near", "") or None,
        decided_by=text_of(row, "decided_by", "") or None,
    )


async def reviews_of_run(ledger: Ledger, run_id: str) -> list[ReviewerLabel]:
    """The graded classes of a run, as a reviewer named like the run, and people's labels."""
    reviews: list[ReviewerLabel] = []
    async for report in ledger.reports(run_id):
        outcome = report.outcome_class
        label = None if outcome is None else outcome.value
        reviews.append(ReviewerLabel(LabelledItem(report.result_id), run_id, label))
    return [*reviews, *await labels_of_run(ledger, run_id)]


async def labels_of_run(ledger: Ledger, run_id: str) -> list[ReviewerLabel]:
    """People's outcome classes and scores of the results of a run.

    A label given for another run counts if that run graded the same result, byte for
    byte; a label without a run counts by its result id. A class given together with a
    question does not say how the *result* was drawn.
    """
    labels = [label for label in await ledger.labels() if _is_class(label)]
    result_ids = sorted({label.result_id for label in labels})
    runs = {run_id, *(label.run_id for label in labels if label.run_id)}
    digests: dict[str, dict[str, str]] = {}
    for run in runs:
        graded = await ledger.graded_among(run, result_ids)
        digests[run] = {name: row.result_digest for name, row in graded.items()}
    here = digests[run_id]
    reviews: list[ReviewerLabel] = []
    for label in labels:
        digest = here.get(label.result_id)
        if digest is None:
            continue
        if label.run_id and digests[label.run_id].get(label.result_id) != digest:
            continue
        outcome = label.outcome_class or outcome_of_score(label.score or 1).value
        drawn = label.drawn if label.question_id is None else None
        item = LabelledItem(label.result_id)
        reviews.append(ReviewerLabel(item, label.labeler or UNNAMED, outcome, drawn))
    return reviews


def _is_class(label: HumanLabel) -> bool:
    return label.outcome_class is not None or label.score is not None


def one_scale(labels: Sequence[str]) -> tuple[str, ...]:
    """All labels there may be: the outcome classes, or yes and no.

    Raises:
        ConfigError: both kinds were given, which cannot agree.
    """
    kinds = {label in ANSWERS for label in labels}
    if len(kinds) > 1:
        raise ConfigError(
            "outcome classes and yes/no answers cannot be compared",
            hint="give files of one kind",
        )
    return ANSWERS if kinds == {True} else CLASSES


def _item(row: Row) -> LabelledItem:
    if row.get("result_id") is None:
        raise ValueError("result_id is missing")
    return LabelledItem(
        text_of(row, "result_id", ""), text_of(row, "question_id", "") or None
    )


_LABEL_KEYS: Final = ("outcome_class", "outcome", "label", "score")


def _label(row: Row) -> str | None:
    """The class or answer of a row; None where it was left open."""
    if not any(key in row for key in _LABEL_KEYS):
        raise ValueError("expected `outcome_class`, `label` or `score`")
    keys: list[str] = []
    labels: set[str] = set()
    for key in _LABEL_KEYS:
        value = row.get(key)
        if value not in (None, ""):
            keys.append(key)
            labels.add(_label_of(key, value))
    if len(labels) > 1:
        raise ValueError(f"{' and '.join(keys)} contradict each other")
    return labels.pop() if labels else None


def _label_of(key: str, value: Any) -> str:
    return _score(value) if key == "score" else _named(value, key)


def _named(value: Any, key: str) -> str:
    if isinstance(value, bool) and key == "label":
        return "yes" if value else "no"
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text in CLASS_NAMES:
        return CLASS_NAMES[text].value
    if key == "label" and isinstance(text, str) and text.casefold() in _ANSWERS:
        return _ANSWERS[text.casefold()]
    more = (*CLASSES, *ANSWERS) if key == "label" else CLASSES
    raise ValueError(f"{key}: {listed(more)}, got {shown(value)}")


def _score(value: Any) -> str:
    try:
        score = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        score = float("nan")
    if not 1 <= score <= 5:
        raise ValueError(f"score: expected a number from 1 to 5, got {shown(value)}")
    return outcome_of_score(score).value
