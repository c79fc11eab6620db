"""What `judgemesh label` does: the ranked queue out of the ledger, people's answers checked line by line into it."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.errors import ConfigError, ContractError
from judgemesh.contracts.report import OutcomeClass

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.labels import HumanLabel
    from judgemesh.mesh.ledger.opinions import JudgedRow
    from judgemesh.mesh.ledger.store import Ledger

_SUFFIXES: Final = (".jsonl", ".csv")
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
_CLASSES: Final = frozenset(one.value for one in OutcomeClass)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_DRAWN: Final = ("at_random", "by_verdict", "chosen")
"""How a result came to be labelled: it decides what its label may be used for."""
_SCORES: Final = (1.0, 5.0)
_KEYS: Final = (
    "rank",
    "result_id",
    "task_id",
    "question_id",
    "question",
    "gating",
    "priority",
    "run_id",
    "validator_name",
    "label",
    "labeler",
    "note",
    "drawn",
)
_VERDICT_KEYS: Final = ("verdict", "reason")
_WALK_KEYS: Final = ("path", "labelled_at", "seconds")
"""What lines of `judgemesh label walk` have besides."""
_IMPORTED: Final = frozenset(
    {*_KEYS, *_VERDICT_KEYS, *_WALK_KEYS, "score", "outcome_class"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to export, and where to."""

    ledger: str
    file: Path
    run: str | None = None
    limit: int | None = None
    shuffle: bool = False
    audited: bool = False
    seed: int = 0
    with_verdict: bool = False


# --- export ---


def export_queue(wanted: Wanted, *, as_json: bool) -> None:
    """Write the queue and say what was written.

    Raises:
        ConfigError: the file has another suffix; there is no such run.
        LedgerError: there is no ledger, or it cannot be read.
    """
    from judgemesh.mesh.cli.output import put, show_json

    _suffix(wanted.file)
    run_id, rows, labelled = asyncio.run(_queue(wanted))
    wanted.file.write_text(_text(rows, wanted), encoding="utf-8", newline="")
    if as_json:
        show_json(
            {
                "run_id": run_id,
                "file": str(wanted.file),
                "questions": len(rows),
                "labelled": labelled,
            }
        )
    else:
        put(
            f"{len(rows)} questions of {run_id} written to {wanted.file}; {labelled} have a label already\n"
        )


async def _queue(wanted: Wanted) -> tuple[str, list[dict[str, object]], int]:
    from judgemesh.mesh.analysis.run_lookup import find_run
    from judgemesh.mesh.ledger.store import Ledger

    async with await Ledger.open(wanted.ledger, read_only=True) as ledger:
        runs = await ledger.runs()
        chosen = find_run(runs, wanted.run) if wanted.run else await ledger.latest_run()
        if chosen is None:
            raise ConfigError(
                "holds no run yet", where=ledger.url, hint="`judgemesh grade` makes one"
            )
        known = {
            (one.result_id, one.question_id)
            for one in await ledger.labels()
            if one.label
        }
        judged = [
            row
            async for row in ledger.judged(chosen.run_id)
            if not wanted.audited or row.audited
        ]
    open_rows = [row for row in judged if (row.result_id, row.question_id) not in known]
    rows = _ordered(open_rows, wanted)[: wanted.limit]
    lines = [_line(rank, row, wanted) for rank, row in enumerate(rows, start=1)]
    return chosen.run_id, lines, len(judged) - len(open_rows)


def _ordered(rows: list[JudgedRow], wanted: Wanted) -> list[JudgedRow]:
    if wanted.shuffle:
        random.Random(wanted.seed).shuffle(rows)  # noqa: S311 - a sample
        return rows
    return sorted(
        rows, key=lambda row: (not row.gating, -priority(row), row.result_id, row.check)
    )


def priority(row: JudgedRow) -> float:
    """Weight times uncertainty: 1 minus the calibrated confidence, else minus the stability; 1 without a verdict."""
    if row.kind not in ("pass", "fail"):
        return row.weight
    known = row.correctness if row.correctness is not None else row.stability
    return row.weight * (1.0 - known if known is not None else 1.0)


def _line(rank: int, row: JudgedRow, wanted: Wanted) -> dict[str, object]:
    line: dict[str, object] = {
        "rank": rank,
        "result_id": row.result_id,
        "task_id": row.task_id,
        "question_id": row.question_id,
        "question": row.question,
        "gating": row.gating,
        "priority": round(priority(row), 4),
        "run_id": row.run_id,
        "validator_name": row.validator_name,
        "label": "",
        "labeler": "",
        "note": "",
        "drawn": "at_random" if wanted.shuffle else "chosen",
    }
    if wanted.with_verdict:
        line |= {"verdict": row.kind, "reason": row.diagnostic}
    return line


def _text(rows: Sequence[Mapping[str, object]], wanted: Wanted) -> str:
    if wanted.file.suffix == ".jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    table = io.StringIO()
    writer = csv.DictWriter(
        table, [*_KEYS, *(_VERDICT_KEYS if wanted.with_verdict else ())]
    )
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return table.getvalue()


def _cell(value: object) -> object:
    """A spreadsheet runs a cell that begins like a formula: judged text may not become one."""
    return (
        f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
    )


def _plain(text: str) -> str:
    """A cell as it was before `_cell`."""
    text = text.strip()
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


# --- import ---


def import_labels(
    ledger: str, file: Path, *, labeler: str | None, as_json: bool
) -> None:
    """Check every line, then keep all of them.

    Raises:
        ContractError: lines that cannot be used, each with its number; then nothing was taken in.
        LedgerError: there is no ledger, or it cannot be written.
    """
    from judgemesh.mesh.cli.output import put, show_json

    rows = list(_read(file))
    found, left_open = asyncio.run(_import(ledger, file, rows, labeler))
    if as_json:
        show_json({"file": str(file), "labels": found, "left_open": left_open})
    else:
        put(f"{found} labels taken in from {file}; {left_open} lines left open\n")


async def _import(
    url: str,
    file: Path,
    rows: Sequence[tuple[int, Mapping[str, Any] | str]],
    labeler: str | None,
) -> tuple[int, int]:
    from judgemesh.mesh.ledger.store import Ledger

    async with await Ledger.open(url) as ledger:
        known = await _known_results(ledger)
        labels: list[HumanLabel] = []
        problems: list[str] = []
        left_open = 0
        for number, row in rows:
            try:
                one = row if isinstance(row, str) else _label(row, known, labeler)
            except ValueError as error:
                one = str(error)
            if isinstance(one, str):
                problems.append(f"{file}:{number}: {one}")
            elif one is None:
                left_open += 1
            else:
                labels.append(one)
        if problems:
            # The one error that is shown a line for each fault.
            raise ContractError(
                "nothing was taken in", where=str(file), problems=tuple(problems)
            )
        await ledger.write_labels(labels)
        return len(labels), left_open


async def _known_results(ledger: Ledger) -> set[str]:
    return {
        row.result_id
        for run in await ledger.runs()
        async for row in ledger.graded(run.run_id)
    }


def _read(file: Path) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """The lines of a file with their numbers; a line that cannot be read is a text that says why."""
    suffix = _suffix(file)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {error}", where=str(file)) from error
    if suffix == ".csv":
        reader = csv.DictReader(io.StringIO(text, newline=""))
        for row in reader:
            too_many = cast("dict[str | None, Any]", row).pop(None, None)
            yield (
                reader.line_num,
                "has more cells than the first line" if too_many else row,
            )
        return
    for number, line in enumerate(
        text.split("\n"), start=1
    ):  # no other line break: JSON text may hold them
        if line.strip():
            yield number, _object(line)


def _object(line: str) -> Mapping[str, Any] | str:
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"is no JSON: {error}"
    return (
        cast("dict[str, Any]", data) if isinstance(data, dict) else "must be an object"
    )


def _label(
    row: Mapping[str, Any], known: set[str], labeler: str | None
) -> HumanLabel | None:
    """One label; None for a line that was left open.

    Raises:
        ValueError: what is wrong with the line.
    """
    from judgemesh.mesh.ledger.labels import HumanLabel

    unknown = sorted(key for key in row if key not in _IMPORTED)
    if unknown:
        raise ValueError(
            f"unknown key {unknown[0]!r}; a label has {', '.join(sorted(_IMPORTED))}"
        )
    said = {
        key: text
        for key, value in row.items()
        if value is not None and (text := _plain(str(value)))
    }
    answer, score, outcome = (
        said.get("label"),
        said.get("score"),
        said.get("outcome_class"),
    )
    if answer is None and score is None and outcome is None:
        return None
    result_id = said.get("result_id")
    if result_id is None or result_id not in known:
        raise ValueError(
            f"result_id {result_id!r} is not in the ledger"
            if result_id
            else "needs a result_id"
        )
    return HumanLabel(
        result_id=result_id,
        created_at=_labelled_at(said.get("labelled_at")),
        run_id=said.get("run_id"),
        task_id=said.get("task_id"),
        validator_name=said.get("validator_name"),
        question_id=_question(said, answer),
        labeler=said.get("labeler", labeler),
        label=_answer(answer),
        score=_score(score),
        outcome_class=_outcome(outcome),
        note=said.get("note"),
        drawn=_drawn(said.get("drawn")),
    )


def _labelled_at(text: str | None) -> datetime:
    if text is None:
        return datetime.now(UTC)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"labelled_at is {text!r}, expected a date and time such as 2030-01-31T09:30:00Z"
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _question(said: Mapping[str, str], answer: str | None) -> str | None:
    if answer is not None and "question_id" not in said:
        raise ValueError("a label answers a question: question_id is missing")
    return said.get("question_id")


def _answer(text: str | None) -> str | None:
    if text is not None and text.casefold() not in _ANSWERS:
        raise ValueError(
            f"label is {text!r}, expected yes or no, or nothing where you cannot tell"
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
            f"drawn is {text!r}, expected {', '.join(_DRAWN)}, or nothing where nobody knows"
        )
    return text


def _suffix(file: Path) -> str:
    if file.suffix not in _SUFFIXES:
        raise ConfigError(
            "has no suffix that says its form",
            where=str(file),
            hint="expected .jsonl or .csv",
        )
    return file.suffix
