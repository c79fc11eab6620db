"""The gate that is believed: the one that a report states, where its own verdicts carry it. Pure.

The same rule as the view `v_results` of the ledger: a report that was changed by hand, or read from a damaged file, is
undecided and neither a pass nor a failure.
"""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.report import Gate, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Fail, Pass, Reason, Skipped

_LOW_SCORE: Final = "LOW_"


def believed_gate(report: Report) -> Gate:
    """The gate of a report, undecided where its verdicts do not carry the one that it states."""
    gating = [row for row in report.verdicts if row.gating]
    if report.gate is Gate.PASS:
        passes = any(isinstance(row.verdict, Pass) for row in gating)
        return Gate.PASS if passes and all(map(_allows_pass, gating)) else _OPEN
    if report.gate is Gate.FAIL:
        fails = any(isinstance(row.verdict, Fail) for row in gating)
        low = any(code.startswith(_LOW_SCORE) for code in report.failure_reason_codes)
        return Gate.FAIL if fails or low else _OPEN
    return _OPEN


_OPEN: Final = Gate.UNDECIDED


def _allows_pass(row: ValidatorVerdict) -> bool:
    verdict = row.verdict
    if isinstance(verdict, Skipped):
        return verdict.reason == Reason.GATE_ALREADY_DECIDED
    return isinstance(verdict, Pass)
