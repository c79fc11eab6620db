"""Queries about what judges said: judged verdicts, opinions, and calls that were audited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    and_,
    case,
    func,
    or_,
    select,
    tuple_,
)

from judgemesh.contracts.opinions import Opinion, Role, opinion_from_rows
from judgemesh.mesh.ledger.schema.tables import (
    eval_run,
    eval_task_result,
    eval_validator_result,
    judge_opinion,
)

_OPINION: Final = judge_opinion.c
_VERDICT: Final = eval_validator_result.c
_TASK: Final = eval_task_result.c

VerdictKey = tuple[str, int]
"""Eval id and position of a verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRow:
    """A verdict that states a judge's opinion, and the question it answers.

    audited: the question was drawn to be asked of both judges of a pair.
    """

    run_id: str
    result_id: str
    task_id: str
    validator_name: str
    check: str
    kind: str
    gating: bool
    weight: float
    diagnostic: str
    stability: float | None
    correctness: float | None
    question_id: str
    question: str
    audited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderRow:
    """The answer that one judge's votes on one question lean to: `yes`, `no` or `cannot_assess`."""

    result_id: str
    question_id: str
    model: str
    leader: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedQuestion:
    """One question of a call that was asked both together with others and alone.

    call: identifies the call. position: where the question stood in it, from 0. together, alone: the two answers.
    """

    model: str
    criterion: str
    call: str
    position: int
    together: str
    alone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRecord:
    """One gating question of a task in the newest runs.

    question_id: where the verdict states no opinion, the name of its check.
    answered: verdicts that a judge gave. failed: how many of these were failures.
    cost: the mean of what the judge cost for one, where it was billed; in the currency of its price.
    """

    task_id: str
    validator_name: str
    question_id: str
    answered: int
    failed: int
    cost: float | None


_JUDGED: Final = (
    _OPINION.run_id,
    _OPINION.result_id,
    _TASK.task_id,
    _OPINION.validator_name,
    _VERDICT.check_name.label("check"),
    _VERDICT.kind,
    _VERDICT.gating,
    _VERDICT.weight,
    _VERDICT.diagnostic_message.label("diagnostic"),
    _VERDICT.confidence_stability.label("stability"),
    _VERDICT.confidence_correctness.label("correctness"),
    _OPINION.question_id,
    _OPINION.question,
    _OPINION.audit_share.is_not(None).label("audited"),
)
_AUDITED: Final = (
    _OPINION.model,
    _OPINION.criterion,
    _OPINION.batch_call.label("call"),
    _OPINION.batch_position.label("position"),
    _OPINION.batch_together.label("together"),
    _OPINION.batch_alone.label("alone"),
)
_ORDER: Final = (_OPINION.eval_id, _OPINION.verdict_position, _OPINION.position)


def judged_page(
    connection: Connection, run_id: str, after: VerdictKey | None, size: int
) -> tuple[list[JudgedRow], VerdictKey | None]:
    """Up to `size` judged verdicts of a run after the key `after`, and the key they end at; None at the end."""
    key = (_OPINION.eval_id, _OPINION.verdict_position)
    of_verdict = and_(
        _VERDICT.eval_id == _OPINION.eval_id,
        _VERDICT.position == _OPINION.verdict_position,
    )
    query = (
        select(*_JUDGED, *key)
        .join(eval_validator_result, of_verdict)
        .join(eval_task_result, _TASK.eval_id == _OPINION.eval_id)
        .where(_OPINION.run_id == run_id, _OPINION.role == Role.FINAL.value)
        .order_by(*key)
        .limit(size)
    )
    if after is not None:
        query = query.where(tuple_(*key) > after)
    rows = connection.execute(query).mappings().all()
    last = None
    if len(rows) == size:
        last = _verdict_key(rows[-1])
    return list(map(_judged, rows)), last


def _judged(row: RowMapping) -> JudgedRow:
    facts = {name: row[name] for name in JudgedRow.__dataclass_fields__}
    return JudgedRow(**facts)


def opinion_page(
    connection: Connection, run_id: str, after: str | None, size: int
) -> tuple[list[tuple[str, Opinion]], str | None]:
    """The opinions about the next `size` results of a run, each with its result id, and the eval id they end at.

    Only final opinions are listed; they hold the others. The end is None when there are no more results.
    """
    results = select(_OPINION.eval_id).distinct().where(_OPINION.run_id == run_id)
    if after is not None:
        results = results.where(_OPINION.eval_id > after)
    page = results.order_by(_OPINION.eval_id).limit(size)
    eval_ids = list(connection.execute(page).scalars())
    opinions: list[tuple[str, Opinion]] = []
    for rows in opinion_rows_of(connection, eval_ids).values():
        opinion = opinion_from_rows(rows)
        if opinion is not None:
            opinions.append((rows[0]["result_id"], opinion))
    last = None
    if len(eval_ids) == size:
        last = eval_ids[-1]
    return opinions, last


def opinion_rows_of(
    connection: Connection, eval_ids: Sequence[str]
) -> dict[VerdictKey, list[dict[str, Any]]]:
    """The rows of all opinions about these results, by verdict, in order."""
    query = (
        select(judge_opinion).where(_OPINION.eval_id.in_(eval_ids)).order_by(*_ORDER)
    )
    by_verdict: dict[VerdictKey, list[dict[str, Any]]] = {}
    for row in connection.execute(query).mappings():
        by_verdict.setdefault(_verdict_key(row), []).append({**row})
    return by_verdict


def _verdict_key(row: RowMapping) -> VerdictKey:
    return row["eval_id"], row["verdict_position"]


def leaders(connection: Connection, run_id: str) -> list[LeaderRow]:
    """What every judge of a run leans to, in the order of the opinions; judges that broke are left out."""
    names = [_OPINION[name] for name in LeaderRow.__dataclass_fields__]
    rows = _rows(connection, names, run_id, _OPINION.leader.is_not(None))
    return [LeaderRow(**row) for row in rows]


def batch_audits(connection: Connection, run_id: str) -> list[AuditedQuestion]:
    """The questions of a run that were asked both together with others and alone."""
    rows = _rows(connection, _AUDITED, run_id, _OPINION.batch_call.is_not(None))
    return [AuditedQuestion(**row) for row in rows]


def _rows(
    connection: Connection,
    columns: Sequence[ColumnElement[Any]],
    run_id: str,
    where: ColumnElement[bool],
) -> Sequence[Any]:
    query = select(*columns).where(_OPINION.run_id == run_id, where).order_by(*_ORDER)
    return connection.execute(query).mappings().all()


_MAX_RUNS: Final = 5
_MAX_RESULTS: Final = 2000


def question_records(connection: Connection) -> list[QuestionRecord]:
    """Every gating question that a judge answered, over the first 2,000 results of the newest five runs."""
    newest = (
        select(eval_run.c.run_id)
        .order_by(eval_run.c.created_at.desc(), eval_run.c.run_id)
        .limit(_MAX_RUNS)
        .subquery()
    )
    states_it = and_(
        _OPINION.eval_id == _VERDICT.eval_id,
        _OPINION.verdict_position == _VERDICT.position,
        _OPINION.role == Role.FINAL.value,
    )
    question = func.coalesce(_OPINION.question_id, _VERDICT.check_name)
    billed = case((_VERDICT.cost > 0, _VERDICT.cost))
    query = (
        select(
            _TASK.task_id,
            _VERDICT.validator_name,
            question.label("question_id"),
            func.count().label("answered"),
            func.sum(case((_VERDICT.kind == "fail", 1), else_=0)).label("failed"),
            func.avg(billed).label("cost"),
        )
        .join(eval_task_result, _TASK.eval_id == _VERDICT.eval_id)
        .outerjoin(judge_opinion, states_it)
        .where(
            _TASK.run_id.in_(select(newest.c.run_id)),
            _TASK.input_index < _MAX_RESULTS,
            _VERDICT.gating,
            _VERDICT.validator_type == "judge",
            or_(_VERDICT.kind == "fail", _VERDICT.kind == "pass"),
        )
        .group_by(_TASK.task_id, _VERDICT.validator_name, question)
        .order_by(_TASK.task_id, _VERDICT.validator_name, question)
    )
    return list(map(_question_record, connection.execute(query).mappings()))


def _question_record(row: RowMapping) -> QuestionRecord:
    cost = row["cost"]
    return QuestionRecord(
        task_id=row["task_id"],
        validator_name=row["validator_name"],
        question_id=row["question_id"],
        answered=row["answered"],
        failed=int(row["failed"]),
        cost=None if cost is None else float(cost),
    )
