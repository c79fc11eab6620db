"""What `judgemesh compare` does: two sets of scored results, paired, and what may be said of the difference."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import Gate
from judgemesh.mesh.analysis.success import Scored, amount, one_currency
from judgemesh.mesh.cli.outcomes import Wanted, named
from judgemesh.mesh.cli.rating import seed_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing:
    """What is compared with what."""

    a: str
    b: str
    ledger: str
    by: Literal["task", "result"] = "task"
    contracts: tuple[Path, ...] = ()
    use_labels: bool = True
    as_json: bool = False


def compare_and_show(comparing: Comparing) -> bool:
    """Print the comparison; True when B is worse beyond chance.

    Raises:
        InputError: no such file or run, a bad row, several currencies, or too few shared tasks.
        LedgerError: the ledger cannot be read.
    """
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.metrics.comparison import Change, gates, paired
    from judgemesh.mesh.reporting.comparison import compare_json, compare_view

    a, b = (_rows(comparing, name) for name in (comparing.a, comparing.b))
    one_currency([*a, *b], None)
    try:
        success = paired(
            _values(a, comparing.by), _values(b, comparing.by), seed=seed_of([*a, *b])
        )
    except ValueError as error:
        hint = "--by result pairs by result_id" if comparing.by == "task" else None
        raise ConfigError(str(error), hint=hint) from None
    split = gates(_passed(a, comparing.by), _passed(b, comparing.by))
    if comparing.as_json:
        show_json(compare_json(comparing.a, comparing.b, success, split))
    else:
        show(*compare_view(comparing.a, comparing.b, success, split))
    return success.change is Change.REGRESSED


def _rows(comparing: Comparing, name: str) -> list[Scored]:
    """The results of a side, with people's labels in place of grades."""
    wanted = Wanted(
        ledger=comparing.ledger,
        contracts=comparing.contracts,
        use_labels=comparing.use_labels,
    )
    return named(name, wanted).settled()


def _values(rows: list[Scored], by: str) -> dict[str, list[float]]:
    """What each decided result contributes to the success rate, by what pairs the two sides."""
    from judgemesh.mesh.metrics.asr import contribution

    found: dict[str, list[float]] = {}
    for row in rows:
        if row.outcome is not None:
            value = float(
                contribution(row.outcome, amount(row.cost), amount(row.ceiling))
            )
            found.setdefault(_key(row, by), []).append(value)
    return found


def _passed(rows: list[Scored], by: str) -> dict[str, bool]:
    """Whether every decided gate of a pair's side passed; undecided gates are left out."""
    found: dict[str, bool] = {}
    for row in rows:
        if row.gate in (Gate.PASS, Gate.FAIL):
            found[_key(row, by)] = (
                found.get(_key(row, by), True) and row.gate is Gate.PASS
            )
    return found


def _key(row: Scored, by: str) -> str:
    return row.task_id if by == "task" else row.result_id
