"""What `judgemesh asr` does: fetch scored results, compute, show."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.contracts.usage import Money
from judgemesh.mesh.analysis.agreement import overridden
from judgemesh.mesh.analysis.success import (
    CLASS_NAMES,
    Scored,
    amount,
    one_currency,
    tasks_are_units,
)
from judgemesh.mesh.cli.choosing import pairs_of
from judgemesh.mesh.cli.outcomes import (
    Source,
    Wanted,
    every_run,
    named,
    of_file,
    of_run,
)

if TYPE_CHECKING:
    from judgemesh.mesh.metrics.asr import AgentSuccess, Task
    from judgemesh.mesh.metrics.comparison import ShareChange
    from judgemesh.mesh.metrics.repeats import PassRate
    from judgemesh.mesh.metrics.weekly import Week
    from judgemesh.mesh.reporting.success_rate import Beside

T = TypeVar("T")

Credits = Mapping[OutcomeClass, Decimal]

_FLAGS: Final = "! beyond chance   ? above 2 points, within chance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What the user wants rated, and how it is shown."""

    ledger: str
    file: Path | None = None
    run: str | None = None
    contracts: tuple[Path, ...] = ()
    ceiling: float | None = None
    credit: str | None = None
    before: str | None = None
    weekly: bool = False
    by: str | None = None
    passes: int | None = None
    labels: Path | None = None
    use_labels: bool = True
    correct: bool = False
    drawn: str | None = None
    as_json: bool = False

    @property
    def wanted(self) -> Wanted:
        """What goes with its sources."""
        return Wanted(
            ledger=self.ledger,
            contracts=self.contracts,
            labels=self.labels,
            use_labels=self.use_labels,
        )


def rate(rating: Rating) -> None:
    """Print the Agent Success Rate.

    Raises:
        InputError: no such file or run, a bad row, several currencies, or nothing that is decided.
        LedgerError: the ledger cannot be read.
    """
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.success_rate import asr_json, asr_view

    _check(rating)
    credit = _credits(rating.credit)
    source = _source(rating)
    ceiling = _ceiling(rating.ceiling, source.rows)
    currency = one_currency(source.rows, ceiling)
    graded = [replace(row, ceiling=row.ceiling or ceiling) for row in source.rows]
    rows, overrides = overridden(graded, source.people)
    seed = seed_of(rows)
    if rating.weekly:
        _show_weeks(rows, credit, currency, rating)
        return
    success = _success(rows, seed, credit, rating.by)
    changes = None if rating.before is None else _changes(rating, success, credit)
    beside = _beside(rating, graded, source, seed, credit)
    units = (
        "tasks"
        if tasks_are_units([row.task_id for row in rows], rating.by)
        else "results"
    )
    beside = replace(
        beside,
        overrides=overrides,
        families=_families(rows, credit, rating.by),
        units=units,
    )
    if rating.passes is not None:
        beside = replace(beside, passes=_passes(rows, rating.passes, seed))
    if rating.as_json:
        show_json(
            {"source": source.name, **asr_json(success, changes, currency, beside)}
        )
    else:
        show(*asr_view(success, changes, currency, beside))


def seed_of(rows: Sequence[Scored]) -> int:
    """A seed that follows from what is rated, so that the same results give the same digits in any order."""
    lines = sorted(
        f"{row.result_id} {row.outcome} {row.gate} {row.cost}" for row in rows
    )
    return int.from_bytes(hashlib.sha256("\n".join(lines).encode()).digest()[:8])


def task_of(row: Scored, *, named: bool = False) -> Task:
    """A row as the metrics want it; with the name of its task where repeats of a task are not independent."""
    from judgemesh.mesh.metrics.asr import Task

    return Task(
        row.outcome,
        amount(row.cost),
        amount(row.ceiling),
        name=row.task_id if named else None,
    )


def _check(rating: Rating) -> None:
    """Refuse flags that do not go together."""
    if rating.file is not None and rating.run is not None:
        raise ConfigError("give a FILE or --run, not both")
    if rating.labels is not None and not rating.use_labels:
        raise ConfigError("give --labels or --no-labels, not both")
    if (rating.correct or rating.drawn) and not rating.use_labels:
        raise ConfigError(
            "a rate is corrected by labels; it does not go together with --no-labels"
        )
    if rating.weekly and (
        rating.correct or rating.drawn or rating.before or rating.passes
    ):
        raise ConfigError(
            "--weekly goes without --correct, --drawn, --before and --passes"
        )


def _source(rating: Rating) -> Source:
    if rating.file is not None:
        return of_file(rating.file, rating.wanted)
    if rating.weekly and rating.run is None:
        return every_run(rating.wanted)
    return of_run(rating.run, rating.wanted)


def _beside(
    rating: Rating, graded: Sequence[Scored], source: Source, seed: int, credit: Credits
) -> Beside:
    from judgemesh.mesh.cli.correcting import correction
    from judgemesh.mesh.reporting.success_rate import Beside

    found = correction(
        graded,
        source.people,
        asked=rating.correct,
        drawn=rating.drawn,
        seed=seed,
        credit=credit,
    )
    return Beside(credit=credit, correction=found)


def _success(
    rows: Sequence[Scored], seed: int, credit: Credits, by: str | None
) -> AgentSuccess:
    from judgemesh.mesh.metrics.asr import agent_success

    named = tasks_are_units([row.task_id for row in rows], by)
    return _refusing(
        lambda: agent_success(
            [task_of(row, named=named) for row in rows], seed=seed, credit=credit
        )
    )


def _families(
    rows: Sequence[Scored], credit: Credits, by: str | None
) -> dict[str, AgentSuccess | None]:
    """The rate of each family, None where nothing of it is decided; empty where no row has a family."""
    groups: dict[str, list[Scored]] = {}
    for row in rows:
        groups.setdefault(row.family or "", []).append(row)
    if not groups.keys() - {""}:
        return {}
    return {
        name: _success(some, seed_of(some), credit, by)
        if any(row.outcome for row in some)
        else None
        for name, some in sorted(
            groups.items(), key=lambda group: (not group[0], group[0])
        )
    }


def _passes(rows: Sequence[Scored], k: int, seed: int) -> tuple[PassRate, PassRate]:
    """pass@k and pass^k over the decided runs of each task; a run is correct if it is complete."""
    from judgemesh.mesh.metrics.repeats import Trials, pass_at, pass_hat

    runs: dict[str, list[bool]] = {row.task_id: [] for row in rows}
    for row in rows:
        if row.outcome is not None:
            runs[row.task_id].append(row.outcome is OutcomeClass.COMPLETE)
    trials = {task: Trials(sum(some), len(some)) for task, some in runs.items()}
    at = _refusing(lambda: pass_at(trials, k, seed=seed))
    return at, pass_hat(trials, k, seed=seed)


def _changes(
    rating: Rating, success: AgentSuccess, credit: Credits
) -> dict[str, ShareChange]:
    from judgemesh.mesh.metrics.comparison import share_changes

    earlier = named(rating.before or "", replace(rating.wanted, labels=None)).settled()
    before = _success(earlier, seed_of(earlier), credit, rating.by)
    sides = (
        {one.value: n for one, n in found.counts.items()} for found in (before, success)
    )
    return share_changes(*sides)


def _show_weeks(
    rows: Sequence[Scored], credit: Credits, currency: str, rating: Rating
) -> None:
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.metrics.weekly import weekly
    from judgemesh.mesh.reporting.success_rate import Beside, weekly_json

    undated = sum(row.day is None for row in rows)
    if undated:
        raise ConfigError(f"--weekly needs a `date` on every row; {undated} have none")
    named = tasks_are_units([row.task_id for row in rows], rating.by)
    dated = [
        (row.day, task_of(row, named=named)) for row in rows if row.day is not None
    ]
    weeks = weekly(dated, seed=seed_of(rows), credit=credit)
    if rating.as_json:
        beside = Beside(credit=credit, units="tasks" if named else "results")
        show_json({"weeks": [weekly_json(week, currency, beside) for week in weeks]})
    else:
        show(*_weekly_lines(weeks, currency))


def _weekly_lines(weeks: list[Week], currency: str) -> list[str]:
    from judgemesh.mesh.metrics.weekly import weekly_text

    if not weeks:
        return ["no week has a decided task"]
    flags = (
        [_FLAGS]
        if any(change.large for week in weeks for change in week.changes.values())
        else []
    )
    return [*(weekly_text(week, currency=currency) for week in weeks), *flags]


def _credits(given: str | None) -> Credits:
    """The credit of every class: the usual one where none is given."""
    from judgemesh.mesh.metrics.asr import CREDITS

    if given is None:
        return CREDITS
    found = dict(CREDITS)
    for name, text in pairs_of(given, "--credit").items():
        if name not in CLASS_NAMES:
            raise ConfigError(
                f"{name!r} is no outcome class",
                where="--credit",
                hint=", ".join(OutcomeClass),
            )
        try:
            value = Decimal(text)
        except InvalidOperation:
            value = Decimal("NaN")
        if not (value.is_finite() and 0 <= value <= 1):
            raise ConfigError(
                f"{name}: expected a number from 0 to 1, got {text!r:.60}",
                where="--credit",
            )
        found[CLASS_NAMES[name]] = value
    return found


def _ceiling(given: float | None, rows: Sequence[Scored]) -> Money | None:
    if given is None:
        return None
    if not math.isfinite(given) or given <= 0:
        raise ConfigError(
            f"a cost ceiling must be above 0, got {given:g}", where="--ceiling"
        )
    return Money(Decimal(str(given)), one_currency(list(rows), None))


def _refusing(compute: Callable[[], T]) -> T:
    """A number that would not be valid is refused with the reason, in one line."""
    try:
        return compute()
    except ValueError as error:
        raise ConfigError(str(error)) from None
