"""Records for the Triangle: what one run of one task says about its axes.

A line of a JSONL file is one run of one task:

    {"task_id": "t-1", "task_type": "refund", "tsa": {"decisions": 12, "correct": 9},
     "pq": {"ordering": 2.5, "branches": 0, "scope": 0, "reversibility": 1.25},
     "ra": {"early": 10, "mid": 7, "late": 5}}

`pq` may also be one number 0..10. A point of `ra` is a number 0..10 that a person gave,
or a value of the rubric: reversed (10), clear_intermediate_state (7),
ambiguous_leftovers (3), silent_failure (0). With `"by": "rubric"` only the numbers 10, 7,
3 and 0 are allowed. A part that is absent or null was not measured. Lines of
`-o reports.jsonl` are records too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
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
from judgemesh.mesh.metrics.triangle import (
    ROLLBACK_POINTS,
    TOP,
    Axis,
    InjectionPoint,
    Rollback,
)

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report, ValidatorVerdict
    from judgemesh.mesh.ledger.store import Ledger

CRITERIA: Final = ("ordering", "branches", "scope", "reversibility")
"""The four criteria of planning quality, 2.5 points each."""
_QUARTER: Final = Fraction(5, 2)
_KEYS: Final = ("task_id", "task_type", "tsa", "pq", "ra")
_MAX_DECISIONS: Final = 100_000
_BY: Final = ("person", "rubric")
_NOTHING_DUE: Final = ("no_decisions", Reason.NOT_CONFIGURED.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisRecord:
    """One run of one task. Scores are exact, from 0 to 10.

    pq: lowest and highest possible score of the plan; they differ if a criterion was not
        answered. None: not measured.
    criteria: how many of the four criteria the contract measures.
    undetermined: by axis, why its validator could not decide.
    """

    task_id: str
    task_type: str
    correct: int = 0
    decisions: int = 0
    pq: tuple[Fraction, Fraction] | None = None
    criteria: int = len(CRITERIA)
    ra: Mapping[InjectionPoint, Fraction] = field(
        default_factory=dict[InjectionPoint, Fraction]
    )
    undetermined: Mapping[Axis, str] = field(default_factory=dict[Axis, str])


# --- out of a file ---


def read_records(path: Path) -> list[AxisRecord]:
    """The records of a JSONL file.

    Raises:
        ResultError: the file cannot be read, holds none, or a line is none; it names the line.
    """
    records: list[AxisRecord] = []
    for number, row in rows(path):
        try:
            if "verdicts" in row:
                records.append(_of_report(row))
            else:
                records.append(_record(row, f"{path.name} line {number}"))
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None
    if not records:
        raise ResultError("holds no axis records", where=str(path))
    return records


def rollback_records(path: Path) -> list[AxisRecord]:
    """The records of a file, with nothing but their rollback scores.

    Raises:
        ResultError: as `read_records`; or no record has `ra`.
    """
    records: list[AxisRecord] = []
    for record in read_records(path):
        if record.ra:
            records.append(
                AxisRecord(
                    task_id=record.task_id, task_type=record.task_type, ra=record.ra
                )
            )
    if not records:
        raise ResultError("no row has `ra`", where=str(path))
    return records


def _of_report(row: Row) -> AxisRecord:
    """A line of `-o reports.jsonl`."""
    from judgemesh.contracts.report import report_from_json

    try:
        return record_of(report_from_json(row))
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise ValueError("has `verdicts` and is no report") from None


def _record(row: Row, name: str) -> AxisRecord:
    known_keys(row, _KEYS)
    if all(row.get(key) is None for key in ("tsa", "pq", "ra")):
        raise ValueError("expected `tsa`, `pq` or `ra`")
    task_id = text_of(row, "task_id", name)
    correct, decisions = _picks(row.get("tsa"))
    return AxisRecord(
        task_id=task_id,
        task_type=text_of(row, "task_type", task_id),
        correct=correct,
        decisions=decisions,
        pq=_planning(row.get("pq")),
        ra=_injections(row.get("ra")),
    )


def _picks(value: Any) -> tuple[int, int]:
    if value is None:
        return 0, 0
    data = _object(value, "tsa", "{decisions, correct}")
    known_keys(data, ("decisions", "correct"))
    correct, decisions = data.get("correct"), data.get("decisions")
    # bool is a subclass of int, and no count.
    if type(correct) is not int or type(decisions) is not int:
        raise ValueError("tsa: expected whole numbers `decisions` and `correct`")
    if not 0 <= correct <= decisions <= _MAX_DECISIONS:
        limit = f"tsa: expected 0 <= correct <= decisions, at most {_MAX_DECISIONS:,}"
        raise ValueError(f"{limit}; got {shown(correct)} of {shown(decisions)}")
    return correct, decisions


def _planning(value: Any) -> tuple[Fraction, Fraction] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        exact = Fraction(str(number_of(value, "pq", least=0, most=TOP)))
        return exact, exact
    data = cast("Row", value)
    known_keys(data, CRITERIA)
    missing = [name for name in CRITERIA if name not in data]
    if missing:
        raise ValueError(
            f"pq: {missing[0]} is missing; write null for a criterion that nobody answered"
        )
    low = high = Fraction(0)
    for name in CRITERIA:
        if data[name] is None:
            high += _QUARTER
            continue
        points = number_of(data[name], f"pq.{name}", least=0, most=2.5)
        low += Fraction(str(points))
        high += Fraction(str(points))
    return low, high


def _injections(value: Any) -> dict[InjectionPoint, Fraction]:
    if value is None:
        return {}
    data = _object(value, "ra", "{early, mid, late}")
    known_keys(data, (*(point.value for point in InjectionPoint), "by"))
    by = data.get("by", "person")
    if by not in _BY:
        raise ValueError(f"ra.by: {listed(_BY)}, got {shown(by)}")
    scores: dict[InjectionPoint, Fraction] = {}
    for point in InjectionPoint:
        score = data.get(point.value)
        if score is not None:
            scores[point] = _points(score, f"ra.{point}", rubric=by == "rubric")
    if not scores:
        raise ValueError("ra: expected a score for early, mid or late")
    return scores


def _points(value: Any, name: str, *, rubric: bool) -> Fraction:
    if isinstance(value, str):
        if value not in set(Rollback):
            expected = f"{listed(Rollback)}, or a number"
            raise ValueError(f"{name}: {expected}, got {shown(value)}")
        return Fraction(ROLLBACK_POINTS[Rollback(value)])
    points = number_of(value, name, least=0, most=TOP)
    if rubric and points not in ROLLBACK_POINTS.values():
        raise ValueError(f"{name}: the rubric gives 10, 7, 3 or 0, got {points:g}")
    return Fraction(str(points))


def _object(value: Any, name: str, form: str) -> Row:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}: expected {form}, got {shown(value)}")  # noqa: TRY004 (every fault of a line is one kind)
    return cast("Row", value)


# --- out of the ledger ---


async def records_of_run(ledger: Ledger, run_id: str) -> AsyncIterator[AxisRecord]:
    """What each result of a run says."""
    async for report in ledger.reports(run_id):
        yield record_of(report)


def record_of(report: Report) -> AxisRecord:
    """The tool choices and the plan of one result, as validators judged them."""
    undetermined: dict[Axis, str] = {}
    correct = decisions = 0
    for row in _rows_of(report, Axis.TOOL_SELECTION):
        counts = _choices(row)
        if counts is not None:
            correct += counts[0]
            decisions += counts[1]
        elif _is_open(row):
            undetermined[Axis.TOOL_SELECTION] = _reason(row)
    plan: list[ValidatorVerdict] = []
    for row in _rows_of(report, Axis.PLAN_QUALITY):
        if row.verdict.metric is not None or _is_open(row):
            plan.append(row)
            if not isinstance(row.verdict, Pass | Fail):
                undetermined.setdefault(Axis.PLAN_QUALITY, _reason(row))
    criteria = len(plan)
    if any(row.verdict.check not in CRITERIA for row in plan):
        criteria = len(CRITERIA)
    return AxisRecord(
        task_id=report.task_id,
        task_type=report.task_id,
        correct=correct,
        decisions=decisions,
        pq=_plan_score(plan),
        criteria=criteria,
        undetermined=undetermined,
    )


def _rows_of(report: Report, axis: Axis) -> Iterator[ValidatorVerdict]:
    """The verdicts of an axis: with its metric, or without a metric from its validator."""
    for row in report.verdicts:
        if (row.verdict.metric or row.validator_name) == axis.value:
            yield row


def _choices(row: ValidatorVerdict) -> tuple[int, int] | None:
    """Correct choices and all choices; None if the verdict counts none."""
    if not isinstance(row.verdict, Pass | Fail):
        return None
    details = row.verdict.details
    correct, decisions = details.get("correct"), details.get("decisions")
    if isinstance(correct, int) and isinstance(decisions, int):
        return correct, decisions
    return None


def _reason(row: ValidatorVerdict) -> str:
    return row.verdict.diagnostic or str(getattr(row.verdict, "reason", ""))


def _is_open(row: ValidatorVerdict) -> bool:
    """Whether something had to be checked and could not be decided."""
    verdict = row.verdict
    if isinstance(verdict, Skipped):
        return verdict.reason not in _NOTHING_DUE or verdict.metric is not None
    return not isinstance(verdict, Pass | Fail)


def _plan_score(plan: Sequence[ValidatorVerdict]) -> tuple[Fraction, Fraction] | None:
    """Lowest and highest mean of the criteria, which all weigh the same."""
    if not plan:
        return None
    low = high = Fraction(0)
    for row in plan:
        score = score_of(row.verdict)
        low += 0 if score is None else Fraction(str(score))
        high += 1 if score is None else Fraction(str(score))
    return low * TOP / len(plan), high * TOP / len(plan)
