"""The file of labels: one JSON line each, synced to disk before the next question is asked.

A line: `result_id, task_id, outcome_class, labeler, path, note, drawn, labelled_at, seconds`. `path` holds the answers
by the id of their step, `drawn` says how the result was chosen for labelling. A person's last line about a result
counts. A process that is killed loses at most the result that is on its screen; the beginning of a line that it may
leave behind is cut off by the next one.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.contracts.text.printable_json import printable_json
from judgemesh.mesh.inputs.files.limits import TABLE
from judgemesh.mesh.inputs.files.reading import read_file
from judgemesh.mesh.labelling.tree import OUTCOME_TREE

_BEGINNING: Final = b'{"result_id"'
_CLASSES: Final = {outcome.value: outcome for outcome in OutcomeClass}
_CLOSE_ON_EXEC: Final = getattr(os, "O_CLOEXEC", 0)
_YES_NO: Final = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One line.

    answers: yes and no in the order they were given; empty when the line does not say them. drawn: `at_random` or
    `chosen`, which decides what rates the label may correct; "" where nobody noted it. seconds: from sight to label.
    """

    result_id: str
    task_id: str
    outcome: OutcomeClass
    labeler: str
    answers: tuple[bool, ...] = ()
    note: str = ""
    drawn: str = ""
    labelled_at: datetime
    seconds: float | None = None


def label_json(label: Label) -> dict[str, object]:
    """The line as JSON-ready data."""
    path: dict[str, str] = {}
    for step, answer in OUTCOME_TREE.asked(label.answers):
        path[step.id] = "yes" if answer else "no"
    return {
        "result_id": label.result_id,
        "task_id": label.task_id,
        "outcome_class": label.outcome.value,
        "labeler": label.labeler,
        "path": path,
        "note": label.note or None,
        "drawn": label.drawn or None,
        "labelled_at": label.labelled_at.isoformat(timespec="seconds"),
        "seconds": label.seconds,
    }


def label_of(data: object) -> Label:
    """The label of a line.

    Raises:
        ValueError: what is wrong with it.
    """
    if not isinstance(data, dict):
        raise ValueError("must be an object")  # noqa: TRY004 (a line of a file, not an argument)
    row = cast("Mapping[str, Any]", data)
    for key in ("result_id", "labeler"):
        if not isinstance(row.get(key), str) or not row[key]:
            raise ValueError(
                f"has no {key}: this is no file that `judgemesh label` wrote"
            )
    outcome = row.get("outcome_class")
    if not isinstance(outcome, str) or outcome not in _CLASSES:
        raise ValueError(
            f"outcome_class is {outcome!r}, expected {', '.join(_CLASSES)}"
        )
    return Label(
        result_id=row["result_id"],
        task_id=str(row.get("task_id") or ""),
        outcome=_CLASSES[outcome],
        labeler=row["labeler"],
        answers=_answers(row.get("path")),
        note=str(row.get("note") or ""),
        drawn=str(row.get("drawn") or ""),
        labelled_at=_time(row.get("labelled_at")),
        seconds=_seconds(row.get("seconds")),
    )


def _answers(path: object) -> tuple[bool, ...]:
    """The answers of a `path`; none when it does not lead through today's tree."""
    if not isinstance(path, dict):
        return ()
    words = cast("dict[str, Any]", path)
    if not all(isinstance(word, str) and word in _YES_NO for word in words.values()):
        return ()
    answers = tuple(_YES_NO[word] for word in words.values())
    try:
        steps = [step.id for step, _ in OUTCOME_TREE.asked(answers)]
    except ValueError:
        return ()
    return answers if steps == list(words) else ()


def _seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _time(text: object) -> datetime:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        raise ValueError(
            f"labelled_at is {text!r}, expected a date and time such as 2030-01-31T09:30:00Z"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def last_words(labels: Sequence[Label], labeler: str) -> dict[str, Label]:
    """One person's last label of each result, in the order in which they were given."""
    last: dict[str, Label] = {}
    for label in labels:
        if label.labeler == labeler:
            last.pop(label.result_id, None)
            last[label.result_id] = label
    return last


class LabelLog:
    """The file, open for one line after the other."""

    def __init__(self, path: Path, descriptor: int, labels: tuple[Label, ...]) -> None:
        self.path = path
        self.labels = labels
        self._descriptor = descriptor

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read what is there and open the file for more; make it, if there is none.

        Raises:
            ConfigError: it cannot be read or written, or holds something else than labels.
        """
        try:
            if path.exists() and not path.is_file():
                raise ConfigError(
                    "is no file that labels can be added to",
                    where=str(path),
                    hint="give another --out",
                )
            raw = read_file(path, TABLE) if path.exists() else b""
            whole, torn = _split(raw)
            labels = tuple(_labels(whole, path))
            if torn:
                line_number = whole.count(b"\n") + 1
                _check_torn(torn, f"{path}:{line_number}")
            path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _CLOSE_ON_EXEC
            descriptor = os.open(path, flags, 0o644)
            if torn:
                os.ftruncate(descriptor, len(whole))
            elif whole and not whole.endswith(b"\n"):
                os.write(descriptor, b"\n")
            if not raw:
                _sync_folder(path.parent)
        except OSError as error:
            raise ConfigError(
                f"cannot be used for labels: {error.strerror or error}", where=str(path)
            ) from None
        return cls(path, descriptor, labels)

    def append(self, label: Label) -> None:
        """Keep one label: when this returns, it is on the disk.

        Raises:
            ConfigError: it cannot be written.
        """
        text = printable_json(label_json(label)) + "\n"
        line = text.encode("utf-8", "backslashreplace")
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
            os.fsync(self._descriptor)
        except OSError as error:
            raise ConfigError(
                f"the label cannot be kept: {error.strerror or error}",
                where=str(self.path),
            ) from None

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def _split(raw: bytes) -> tuple[bytes, bytes]:
    """Whole lines, and what a killed process left of one. A last line that only lacks its line break is whole."""
    end = raw.rfind(b"\n") + 1
    whole, rest = raw[:end], raw[end:]
    if not rest.strip():
        return whole, b""
    try:
        json.loads(rest)
    except (ValueError, RecursionError):
        return whole, rest
    return raw, b""


def _check_torn(line: bytes, where: str) -> None:
    """Refuse to cut off the beginning of something that is no label."""
    if not (line.startswith(_BEGINNING) or _BEGINNING.startswith(line)):
        raise ConfigError(
            "is no line of labels", where=where, hint="give another --out"
        )


def _labels(raw: bytes, path: Path) -> Iterator[Label]:
    for number, line in enumerate(raw.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield label_of(json.loads(line))
        except (ValueError, RecursionError) as error:
            problem = str(error)
            if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
                problem = "is no JSON"
            where = f"{path}:{number}"
            raise ConfigError(problem, where=where, hint="give another --out") from None


def _sync_folder(folder: Path) -> None:
    """A new name is on the disk only when its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
