"""Documents that must exist after the run and be usable: they open, hold text, have headings and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Fail,
    Metric,
    Pass,
    Verdict,
    VerdictFields,
    inaccessible,
    not_configured,
)
from judgemesh.validators._shared.values import listed

if TYPE_CHECKING:
    from judgemesh.validators._shared.state.documents import Examined

_METRIC: Final = Metric.EXECUTION_SUCCESS.value


@validator(
    name="documents",
    version="1",
    takes_args=False,
    metric=Metric.EXECUTION_SUCCESS,
    codes=(
        FailureCode.MISSING_REQUIRED_OUTPUT,
        FailureCode.EMPTY_OR_INVALID_OUTPUT,
        FailureCode.OUTPUT_FORMAT_INVALID,
    ),
    applies=lambda contract: (
        contract.state is not None and bool(contract.state.documents)
    ),
    pure=True,
)
def documents(case: Case) -> list[Verdict]:
    """Every document that the contract names exists, opens, and has the content and structure asked for.

    The snapshot describes each document as it was when the snapshot was taken, because validators read no files; a
    snapshot that holds the text of Markdown, CSV, JSON or plain text is enough. A document whose content the snapshot
    does not show leaves the check undecided.
    """
    specs = case.contract.state.documents if case.contract.state else []
    if not specs:
        return [not_configured("documents", "the contract names no documents")]
    if case.changes is None:
        why = case.problems.get("state", "the result carries no state evidence")
        gates = any(spec.gate for spec in specs)
        gating = None if gates else False
        return [inaccessible("documents", why, metric=_METRIC, gating=gating)]
    # Reading documents is heavy to import, and most contracts name none.
    from judgemesh.validators._shared.state.changes import Actual
    from judgemesh.validators._shared.state.documents import examine

    verdicts: list[Verdict] = []
    for examined in examine(specs, Actual(case.changes, case.result.state)):
        verdicts += _verdicts(examined)
    return verdicts


def _verdicts(examined: Examined) -> Iterator[Verdict]:
    """One verdict for each code that failed; else a pass, or an abstention where something is not known."""
    from judgemesh.validators._shared.state.globs import pointer

    name = pointer(examined.path)
    check = f"document:{name}"
    common: VerdictFields = {
        "metric": _METRIC,
        "weight": examined.spec.weight,
        "gating": examined.spec.gate,
    }
    decided: VerdictFields = {
        **common,
        "confidence": DETERMINISTIC,
        "evidence_refs": (f"state:{name}",),
    }
    failed: dict[FailureCode, list[str]] = {}
    unknown: list[str] = []
    for part in examined.checks:
        if part.met is None:
            unknown.append(part.why)
        elif not part.met:
            failed.setdefault(part.code, []).append(part.why)
    for code, reasons in failed.items():
        diagnostic = f"{name} {listed(reasons)}"
        yield Fail(check=check, codes=(code,), diagnostic=diagnostic, **decided)
    if failed:
        return
    if unknown:
        yield inaccessible(check, f"{name} {listed(unknown)}", **common)
    else:
        yield Pass(check=check, **decided)
