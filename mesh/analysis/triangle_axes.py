"""The axes of the Triangle as they were measured: records out of a run of the ledger or a JSONL file, and their sums.

A line of a file is one task once run:

    {"task_id": "t-1", "task_type": "refund", "tsa": {"decisions": 12, "correct": 9},
     "pq": {"ordering": 2.5, "branches": 0, "scope": 0, "reversibility": 1.25},
     "ra": {"early": 10, "mid": 7, "late": 5}}

`pq` may also be one number 0..10. A point of `ra` is a number 0..10 by a person's judgement, or a word of the rubric:
reversed (10), clear_intermediate_state (7), ambiguous_leftovers (3), silent_failure (0); with `"by": "rubric"` only
10, 7, 3 and 0 are numbers. What is absent or null was not measured. Lines of `-o reports.jsonl` are records too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.errors import ResultError
from judgemesh.contracts.verdicts import Fail, Pass, Reason, Skipped, score_of
from judgemesh.mesh.inputs.rows import (
    Row,
    known_keys,
    listed,
    number_of,
    rows,
    shown,
    text_of,
)
from judgemesh.mesh.metrics.intervals import Interval, anchored, clustered, wilson
from judgemesh.mesh.metrics.triangle import (
    ROLLBACK_POINTS,
    TOP,
    Axis,
    Point,
    Rollback,
    tool_selection,
)

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report, ValidatorVerdict
    from judgemesh.mesh.inputs.contracts import ContractSet
    from judgemesh.mesh.ledger.store import Ledger

CRITERIA: Final = ("ordering", "branches", "scope", "reversibility")
"""The four criteria of planning quality, 2.5 points each."""
_QUARTER: Final = Fraction(5, 2)
_KEYS: Final = ("task_id", "task_type", "tsa", "pq", "ra")
_MOST_DECISIONS: Final = 100_000
_BY: Final = ("person", "rubric")
_NOTHING_DUE: Final = ("no_decisions", Reason.NOT_CONFIGURED.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What one run of one task says about the axes. Scores are 0..10, exactly.

    pq: lowest and highest the plan can be worth; they differ while a criterion was not answered. None: not measured.
    criteria: how many of the four it rests on, where a contract measures only some.
    unread: why an axis that was looked at could not be told.
    """

    task_id: str
    task_type: str
    correct: int = 0
    decisions: int = 0
    pq: tuple[Fraction, Fraction] | None = None
    criteria: int = len(CRITERIA)
    ra: Mapping[Point, Fraction] = field(default_factory=dict[Point, Fraction])
    unread: Mapping[Axis, str] = field(default_factory=dict[Axis, str])


# --- out of a file ---


def read_records(path: Path) -> list[Record]:
    """The records of a JSONL file.

    Raises:
        ResultError: the file cannot be read, holds none, or a line is none; it names the line.
    """
    found: list[Record] = []
    for number, row in rows(path):
        try:
            found.append(
                _of_report(row) if "verdicts" in row else _record(row, f"line {number}")
            )
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None
    if not found:
        raise ResultError("holds no axis records", where=str(path))
    return found


def _of_report(row: Row) -> Record:
    """A line of `-o reports.jsonl`."""
    from judgemesh.contracts.report import report_from_json

    try:
        return record_of(report_from_json(row))
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise ValueError("has `verdicts` and is no report") from None


def _record(row: Row, name: str) -> Record:
    known_keys(row, _KEYS)
    if all(row.get(key) is None for key in ("tsa", "pq", "ra")):
        raise ValueError("expected `tsa`, `pq` or `ra`")
    task_id = text_of(row, "task_id", name)
    correct, decisions = _picks(row.get("tsa"))
    return Record(
        task_id=task_id,
        task_type=text_of(row, "task_type", task_id),
        correct=correct,
        decisions=decisions,
        pq=_planning(row.get("pq")),
        ra=_injections(row.get("ra")),
    )


def _picks(given: Any) -> tuple[int, int]:
    if given is None:
        return 0, 0
    data = _object(given, "tsa", "{decisions, correct}")
    known_keys(data, ("decisions", "correct"))
    counts = [data.get("correct"), data.get("decisions")]
    if any(isinstance(one, bool) or not isinstance(one, int) for one in counts):
        raise ValueError("tsa: expected whole numbers `decisions` and `correct`")
    correct, decisions = cast("list[int]", counts)
    if not 0 <= correct <= decisions <= _MOST_DECISIONS:
        raise ValueError(
            f"tsa: expected 0 <= correct <= decisions, at most {_MOST_DECISIONS:,}; got {shown(correct)} of "
            f"{shown(decisions)}"
        )
    return correct, decisions


def _planning(given: Any) -> tuple[Fraction, Fraction] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        exact = Fraction(str(number_of(given, "pq", least=0, most=TOP)))
        return exact, exact
    data = cast("Row", given)
    known_keys(data, CRITERIA)
    missing = [name for name in CRITERIA if name not in data]
    if missing:
        raise ValueError(
            f"pq: {missing[0]} is missing; write null for a criterion that nobody answered"
        )
    points = [data[name] for name in CRITERIA]
    low = sum(
        (
            Fraction(str(number_of(one, f"pq.{name}", least=0, most=2.5)))
            for name, one in zip(CRITERIA, points, strict=True)
            if one is not None
        ),
        Fraction(0),
    )
    return low, low + _QUARTER * sum(one is None for one in points)


def _injections(given: Any) -> dict[Point, Fraction]:
    if given is None:
        return {}
    data = _object(given, "ra", "{early, mid, late}")
    known_keys(data, (*(point.value for point in Point), "by"))
    by = data.get("by", "person")
    if by not in _BY:
        raise ValueError(f"ra.by: {listed(_BY)}, got {shown(by)}")
    found = {
        point: _points(data[point.value], f"ra.{point}", rubric=by == "rubric")
        for point in Point
        if data.get(point.value) is not None
    }
    if not found:
        raise ValueError("ra: expected a score for early, mid or late")
    return found


def _points(given: Any, name: str, *, rubric: bool) -> Fraction:
    if isinstance(given, str):
        if given not in set(Rollback):
            raise ValueError(
                f"{name}: {listed(Rollback)}, or a number, got {shown(given)}"
            )
        return Fraction(ROLLBACK_POINTS[Rollback(given)])
    value = number_of(given, name, least=0, most=TOP)
    if rubric and value not in ROLLBACK_POINTS.values():
        raise ValueError(f"{name}: the rubric gives 10, 7, 3 or 0, got {value:g}")
    return Fraction(str(value))


def _object(given: Any, name: str, form: str) -> Row:
    if not isinstance(given, Mapping):
        raise ValueError(f"{name}: expected {form}, got {shown(given)}")  # noqa: TRY004 (every fault of a line is one kind)
    return cast("Row", given)


# --- out of the ledger ---


async def records_of_run(
    ledger: Ledger, run_id: str, contracts: ContractSet | None
) -> AsyncIterator[Record]:
    """What each result of a run says; its task type is the family of its contract, else its task."""
    async for report in ledger.reports(run_id):
        yield record_of(report, contracts)


def record_of(report: Report, contracts: ContractSet | None = None) -> Record:
    """The picks and the plan that validators looked at in one result."""
    loaded = contracts.find(report.task_id) if contracts else None
    unread: dict[Axis, str] = {}
    correct = decisions = 0
    for row in _of(report, Axis.TOOL_SELECTION):
        verdict = row.verdict
        counts = verdict.details.get("correct"), verdict.details.get("decisions")
        if (
            isinstance(verdict, Pass | Fail)
            and isinstance(counts[0], int)
            and isinstance(counts[1], int)
        ):
            correct, decisions = correct + counts[0], decisions + counts[1]
        elif _open(row):
            unread[Axis.TOOL_SELECTION] = verdict.diagnostic or str(
                getattr(verdict, "reason", "")
            )
    plan = [
        row
        for row in _of(report, Axis.PLAN_QUALITY)
        if row.verdict.metric is not None or _open(row)
    ]
    waiting = [row for row in plan if not isinstance(row.verdict, Pass | Fail)]
    if waiting:
        unread[Axis.PLAN_QUALITY] = waiting[0].verdict.diagnostic or str(
            getattr(waiting[0].verdict, "reason", "")
        )
    return Record(
        task_id=report.task_id,
        task_type=(loaded.contract.family if loaded else None) or report.task_id,
        correct=correct,
        decisions=decisions,
        pq=_plan_score(plan),
        criteria=len(CRITERIA)
        if any(row.verdict.check not in CRITERIA for row in plan)
        else len(plan),
        unread=unread,
    )


def _of(report: Report, axis: Axis) -> Iterator[ValidatorVerdict]:
    """The verdicts about an axis: those of its validator, and of any other that feeds the score of that name."""
    for row in report.verdicts:
        if row.verdict.metric == axis.value or (
            row.verdict.metric is None and row.validator_name == axis.value
        ):
            yield row


def _open(row: ValidatorVerdict) -> bool:
    """Whether something was due and nobody could tell."""
    verdict = row.verdict
    if isinstance(verdict, Skipped):
        return verdict.reason not in _NOTHING_DUE or verdict.metric is not None
    return not isinstance(verdict, Pass | Fail)


def _plan_score(plan: Sequence[ValidatorVerdict]) -> tuple[Fraction, Fraction] | None:
    """The mean of what was measured, every criterion an equal part; an open one may still be worth all or nothing."""
    if not plan:
        return None
    low = high = Fraction(0)
    for row in plan:
        score = score_of(row.verdict)
        low += Fraction(str(score)) if score is not None else 0
        high += Fraction(str(score)) if score is not None else 1
    return low * TOP / len(plan), high * TOP / len(plan)


# --- sums ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One axis: its exact score 0..10, or why there is none.

    ci: of the score, where the spread can be told. other_ci: the other of tool selection's two intervals.
    units: decisions, plans or injections that it rests on. left_out: results that were looked at and say nothing.
    partial: plans of which the contract measures only some of the four criteria.
    bounds: the score if everything left out was worth nothing, and if it was worth 10; where that can be told.
    """

    axis: Axis
    score: Fraction | None
    why_not: str = ""
    ci: Interval | None = None
    other_ci: Interval | None = None
    units: int = 0
    tasks: int = 0
    correct: int = 0
    left_out: int = 0
    partial: int = 0
    bounds: tuple[Fraction, Fraction] | None = None
    points: Mapping[Point, Fraction] = field(default_factory=dict[Point, Fraction])


def measure(
    records: Sequence[Record],
    *,
    rollback: Fraction | None = None,
    seed: int = 0,
    where: str = "",
    spread: bool = True,
) -> dict[Axis, Measured]:
    """The three axes over some records.

    Args:
        records: what the tasks say.
        rollback: a score of rollback that was measured elsewhere, in place of the records'.
        seed: of the bootstrap over tasks.
        where: `file` or `run`, for the words of why an axis was not measured.
        spread: whether to work out intervals.
    """
    return {
        Axis.TOOL_SELECTION: _selection(records, where, spread=spread),
        Axis.PLAN_QUALITY: _plans(records, where, seed=seed, spread=spread),
        Axis.ROLLBACK: _recovery(records)
        if rollback is None
        else Measured(axis=Axis.ROLLBACK, score=rollback),
    }


_NO_VERDICT: Final = {
    ("file", Axis.TOOL_SELECTION): "no record has `tsa`",
    ("file", Axis.PLAN_QUALITY): "no record has `pq`",
    (
        "run",
        Axis.TOOL_SELECTION,
    ): "no result has a verdict on tool selection: give its contract a `tools` section",
    (
        "run",
        Axis.PLAN_QUALITY,
    ): "no result has a verdict on planning quality: give its contract a `plan` section",
}


def _selection(records: Sequence[Record], where: str, *, spread: bool) -> Measured:
    """Correct first picks over decisions. Decisions of one task stand together, so the wider interval is quoted."""
    axis = Axis.TOOL_SELECTION
    open_results = sum(axis in record.unread for record in records)
    decided = [record for record in records if record.decisions]
    if not decided:
        return Measured(
            axis=axis,
            score=None,
            why_not=_why_not(records, axis, where),
            left_out=open_results,
        )
    correct, decisions = (
        sum(one.correct for one in decided),
        sum(one.decisions for one in decided),
    )
    tasks = len({one.task_id for one in decided})
    intervals: list[Interval] = []
    if spread:
        intervals.append(wilson(correct, decisions))
        if tasks > 1:
            picks = [
                (one.task_id, held < one.correct)
                for one in decided
                for held in range(one.decisions)
            ]
            intervals.append(
                clustered(
                    [float(right) for _, right in picks], [task for task, _ in picks]
                )
            )
        intervals = sorted(
            (_tens(one) for one in intervals), key=lambda one: -one.half_width
        )
    return Measured(
        axis=axis,
        score=tool_selection(correct, decisions),
        ci=intervals[0] if intervals else None,
        other_ci=intervals[1] if len(intervals) > 1 else None,
        units=decisions,
        tasks=tasks,
        correct=correct,
        left_out=open_results,
    )


def _plans(
    records: Sequence[Record], where: str, *, seed: int, spread: bool
) -> Measured:
    """The mean over tasks of the mean over their runs; a plan with an open criterion stays out, and in the bounds."""
    axis = Axis.PLAN_QUALITY
    looked_at = [
        (record.task_id, record.pq) for record in records if record.pq is not None
    ]
    whole = [(task, pq[0]) for task, pq in looked_at if pq[0] == pq[1]]
    left_out = len(looked_at) - len(whole)
    bounds = None
    if left_out:
        low, high = (
            _task_mean((task, pq[end]) for task, pq in looked_at) for end in (0, 1)
        )
        bounds = low, high
    if not whole:
        why = _why_not(records, axis, where)
        return Measured(
            axis=axis, score=None, why_not=why, left_out=left_out, bounds=bounds
        )
    means = _task_means(whole)
    ci = None
    if spread and len(means) > 1:
        ci = anchored(
            [float(one) for one in means.values()], seed=seed, low=0.0, high=float(TOP)
        )
    return Measured(
        axis=axis,
        score=sum(means.values(), Fraction(0)) / len(means),
        ci=ci,
        units=len(whole),
        tasks=len(means),
        left_out=left_out,
        partial=sum(
            0 < one.criteria < len(CRITERIA) for one in records if one.pq is not None
        ),
        bounds=bounds,
    )


def _recovery(records: Sequence[Record]) -> Measured:
    """The mean over the three points of the mean at each; without one of the points there is no score."""
    axis = Axis.ROLLBACK
    at = {
        point: [record.ra[point] for record in records if point in record.ra]
        for point in Point
    }
    points = {
        point: sum(scores, Fraction(0)) / len(scores)
        for point, scores in at.items()
        if scores
    }
    units = sum(map(len, at.values()))
    if not points:
        return Measured(
            axis=axis,
            score=None,
            why_not="no agent was killed to see what it leaves behind: give --ra",
        )
    missing = [point.value for point in Point if point not in points]
    if missing:
        why = f"nobody killed an agent at: {', '.join(missing)}; all three points count"
        return Measured(axis=axis, score=None, why_not=why, units=units, points=points)
    return Measured(
        axis=axis,
        score=sum(points.values(), Fraction(0)) / len(points),
        units=units,
        tasks=len({record.task_id for record in records if record.ra}),
        points=points,
    )


def _why_not(records: Sequence[Record], axis: Axis, where: str) -> str:
    """Why nothing was measured: nobody looked, or nobody could tell."""
    open_ones = [record.unread[axis] for record in records if axis in record.unread]
    if open_ones:
        return f"{len(open_ones)} of {len(records)} results were looked at and none could be told: {open_ones[0]}"
    if (
        where == "file"
        and axis is Axis.PLAN_QUALITY
        and any(record.pq is not None for record in records)
    ):
        return "every plan has a criterion that nobody answered"
    return _NO_VERDICT.get((where, axis), "not measured")


def _task_means(values: Iterable[tuple[str, Fraction]]) -> dict[str, Fraction]:
    by_task: dict[str, list[Fraction]] = {}
    for task, value in values:
        by_task.setdefault(task, []).append(value)
    return {task: sum(some, Fraction(0)) / len(some) for task, some in by_task.items()}


def _task_mean(values: Iterable[tuple[str, Fraction]]) -> Fraction:
    means = _task_means(values)
    return sum(means.values(), Fraction(0)) / len(means)


def _tens(share: Interval) -> Interval:
    """An interval of a share as one of a score 0..10."""
    return Interval(
        max(0.0, share.low) * TOP, min(1.0, share.high) * TOP, share.method, share.level
    )
