"""What reviewers, judges and a reference say about results: labels out of files and out of the ledger.

A row has `result_id`, who said it (`labeler`; else the name of the file), and one of `outcome_class`, `label` (a class,
or yes and no with an optional `question_id`) or `score` (1 to 5). A row of a reference has no labeler, and may have
`rationale`, `split`, `near` and `decided_by`. Keys nobody reads are passed over: `-o reports.jsonl` is such a file too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.errors import ConfigError, ResultError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.success import CLASS_NAMES, Scored, outcome_of_score
from judgemesh.mesh.inputs.rows import Row, listed, rows, shown, text_of

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger

_IN_FOLDERS: Final = "labels.jsonl"
UNNAMED: Final = "unnamed"
ANSWERS: Final = ("yes", "no")
CLASSES: Final = tuple(one.value for one in OutcomeClass)
_ANSWERS: Final = {
    "yes": "yes",
    "y": "yes",
    "true": "yes",
    "no": "no",
    "n": "no",
    "false": "no",
}


@dataclass(frozen=True, slots=True)
class Item:
    """What is labelled: a result, or one question about it."""

    result_id: str
    question_id: str | None = None

    def __str__(self) -> str:
        return (
            self.result_id
            if self.question_id is None
            else f"{self.result_id} {self.question_id}"
        )


@dataclass(frozen=True, slots=True)
class Review:
    """One label; None was left open. `drawn`: how the result was chosen for labelling, where that is known."""

    item: Item
    labeler: str
    label: str | None
    drawn: str | None = None


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
            drawn = text_of(row, "drawn", "") or None
            found.append(
                Review(_item(row), text_of(row, "labeler", path.stem), label, drawn)
            )
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None
    if not found:
        raise ResultError("holds no labels", where=str(path))
    return found


def read_reference(path: Path) -> dict[Item, Canonical]:
    """The canonical labels of a JSONL or CSV file, or of every `labels.jsonl` in a folder.

    Raises:
        ResultError: as `read_reviews`; or an item stands twice, or has no label.
    """
    found: dict[Item, Canonical] = {}
    files = sorted(path.rglob(_IN_FOLDERS)) if path.is_dir() else [path]
    for file in files:
        _read_canonical(file, found)
    if not found:
        raise ResultError(
            "holds no labels" if files else f"holds no {_IN_FOLDERS}", where=str(path)
        )
    return found


def _read_canonical(path: Path, found: dict[Item, Canonical]) -> None:
    for number, row in rows(path):
        try:
            item, label = _item(row), _label(row)
            if label is None:
                raise ValueError("a canonical label is missing")  # noqa: TRY301 (every fault of a line is one kind)
            if item in found:
                raise ValueError(f"{item} stands twice")  # noqa: TRY301
            texts = {
                key: text_of(row, key, "") or None
                for key in ("split", "near", "decided_by")
            }
            found[item] = Canonical(label, text_of(row, "rationale", ""), **texts)
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None


async def reviews_of_run(ledger: Ledger, run_id: str) -> list[Review]:
    """The outcome classes of a run as the labels of a reviewer of that name, and people's labels of its results."""
    found = [
        Review(
            Item(report.result_id),
            run_id,
            report.outcome_class.value if report.outcome_class else None,
        )
        async for report in ledger.reports(run_id)
    ]
    return [*found, *await labels_of_run(ledger, run_id)]


async def labels_of_run(ledger: Ledger, run_id: str) -> list[Review]:
    """What people said about the results of a run as a whole: their outcome classes and scores.

    A label given for another run counts where that run graded the same result, byte for byte; one without a run counts
    by its result id. A class given beside a question says nothing about how the *result* was drawn.
    """
    labels = [
        one
        for one in await ledger.labels()
        if one.outcome_class is not None or one.score is not None
    ]
    ids = sorted({one.result_id for one in labels})
    digests = {
        other: {
            name: row.result_digest
            for name, row in (await ledger.graded_among(other, ids)).items()
        }
        for other in {run_id, *(one.run_id for one in labels if one.run_id)}
    }
    here = digests[run_id]
    return [
        Review(
            Item(one.result_id),
            one.labeler or UNNAMED,
            one.outcome_class or outcome_of_score(one.score or 1).value,
            one.drawn if one.question_id is None else None,
        )
        for one in labels
        if one.result_id in here
        and (
            one.run_id is None
            or digests[one.run_id].get(one.result_id) == here[one.result_id]
        )
    ]


@dataclass(frozen=True, slots=True)
class People:
    """What people say about results: the class that more than half of them give.

    split: results on which no class has more than half. drawn: how each labelled result was chosen; None where nobody
    noted it, or notes differ.
    """

    said: Mapping[str, OutcomeClass]
    split: frozenset[str]
    drawn: Mapping[str, str | None]
    labelers: tuple[str, ...]


def people_say(reviews: Iterable[Review]) -> People:
    """Of one person the last word counts; of several, more than half.

    Raises:
        ConfigError: an answer to a question is among them.
    """
    last: dict[str, dict[str, Review]] = {}
    for review in reviews:
        if review.label is not None:
            if review.label not in CLASSES:
                raise ConfigError(
                    f"{review.item}: {review.label!r} is no outcome class"
                )
            last.setdefault(review.item.result_id, {})[review.labeler] = review
    said: dict[str, OutcomeClass] = {}
    for result_id, words in last.items():
        label, votes = Counter(
            str(review.label) for review in words.values()
        ).most_common(1)[0]
        if 2 * votes > len(words):
            said[result_id] = OutcomeClass(label)
    drawn = {
        result_id: {review.drawn for review in words.values()}
        for result_id, words in last.items()
    }
    return People(
        said=said,
        split=frozenset(last.keys() - said.keys()),
        drawn={
            result_id: next(iter(ways)) if len(ways) == 1 else None
            for result_id, ways in drawn.items()
        },
        labelers=tuple(
            dict.fromkeys(name for words in last.values() for name in words)
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What people's labels did to a set of results.

    changed: results whose class became another. decided: results that had none. split: results people disagree on,
    which keep the class they had.
    """

    labelled: int
    changed: int
    decided: int
    split: int
    labelers: tuple[str, ...]


def overridden(
    rows_: Sequence[Scored], people: People
) -> tuple[list[Scored], Overrides]:
    """The rows with people's classes in place of their own, and what that changed."""
    found: list[Scored] = []
    changed = decided = labelled = 0
    for row in rows_:
        human = people.said.get(row.result_id)
        labelled += human is not None
        decided += human is not None and row.outcome is None
        changed += human is not None and row.outcome not in (None, human)
        found.append(row if human is None else replace(row, outcome=human))
    split = sum(row.result_id in people.split for row in rows_)
    return found, Overrides(
        labelled=labelled,
        changed=changed,
        decided=decided,
        split=split,
        labelers=people.labelers,
    )


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
    said = {
        (_score(value) if key == "score" else _word(value, key)) for key, value in given
    }
    if len(said) > 1:
        raise ValueError(
            f"{' and '.join(key for key, _ in given)} contradict each other"
        )
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
    raise ValueError(f"{key}: {listed(more)}, got {shown(value)}")


def _score(value: Any) -> str:
    try:
        score = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        score = float("nan")
    if not 1 <= score <= 5:
        raise ValueError(f"score: expected a number from 1 to 5, got {shown(value)}")
    return outcome_of_score(score).value
