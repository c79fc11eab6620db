"""The one-paragraph explanation of a report: what decided the gate, on which evidence, what would have had to be
different. Computed from the verdicts, never written by a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.codes import CODES
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.verdicts import codes_of
from judgemesh.mesh.grading.aggregate import (
    DEFAULT_WEIGHTS,
    LOW_CODES,
    Verdicts,
    contribution,
)

_MOST: Final = 3


def explain(verdicts: Verdicts, rows: Sequence[ValidatorVerdict]) -> str:
    """A paragraph for people; the same for any order of the verdicts."""
    sentences = _SENTENCES[verdicts.gate](verdicts, rows)
    return " ".join([*sentences, *_score_sentence(verdicts)])


def _passed(_verdicts: Verdicts, rows: Sequence[ValidatorVerdict]) -> list[str]:
    names = sorted(
        {row.validator_name for row in rows if contribution(row) is Gate.PASS}
    )
    refs = [
        ref for row in _deciding(rows, Gate.PASS) for ref in row.verdict.evidence_refs
    ]
    evidence = f" Evidence: {_listed(refs)}." if refs else ""
    return [f"The gate passed: every check of {_listed(names, most=8)} held.{evidence}"]


def _failed(verdicts: Verdicts, rows: Sequence[ValidatorVerdict]) -> list[str]:
    deciding = _deciding(rows, Gate.FAIL)
    low = [code for code in verdicts.gate_codes if code in LOW_CODES.values()]
    because = [_because(row) for row in deciding] + [
        f"{code} counts as a gate here" for code in low
    ]
    refs = [ref for row in deciding for ref in row.verdict.evidence_refs]
    evidence = f" Evidence: {_listed(refs)}." if refs else ""
    needed = (
        "this check" if len(because) == 1 else f"all {len(because)} of these checks"
    )
    held = sum(contribution(row) is Gate.UNDECIDED for row in rows)
    rest = f" {held} more could not be decided." if held else ""
    return [
        f"The gate failed with {verdicts.primary}: {_listed(because, separator='; ')}.{evidence}",
        f"For a pass, {needed} would have had to hold.{rest}",
    ]


def _undecided(_verdicts: Verdicts, rows: Sequence[ValidatorVerdict]) -> list[str]:
    deciding = _deciding(rows, Gate.UNDECIDED)
    if not deciding:
        return [
            "The gate is undecided: no check that guards it was selected, and nothing checked is never a pass."
        ]
    because = _listed([_because(row) for row in deciding], separator="; ")
    return [
        f"The gate is undecided, which is no grade of the agent: {because}.",
        "Nothing that was verified failed it.",
    ]


_SENTENCES: Final = {Gate.PASS: _passed, Gate.FAIL: _failed, Gate.UNDECIDED: _undecided}


def _score_sentence(verdicts: Verdicts) -> list[str]:
    if verdicts.outcome_score is None:
        return []
    used = [metric.value for metric in DEFAULT_WEIGHTS if metric in verdicts.scores]
    return [
        f"Outcome score {verdicts.outcome_score:.1f} of 10, from {', '.join(used)}."
    ]


def _deciding(rows: Sequence[ValidatorVerdict], gate: Gate) -> list[ValidatorVerdict]:
    """The verdicts that speak for `gate`, the gravest code first."""
    return sorted((row for row in rows if contribution(row) is gate), key=_gravity)


def _gravity(row: ValidatorVerdict) -> tuple[int, str, str, str]:
    precedence = min(
        (CODES[code].precedence for code in codes_of(row.verdict)), default=len(CODES)
    )
    return (precedence, row.validator_name, row.verdict.check, row.verdict.diagnostic)


def _because(row: ValidatorVerdict) -> str:
    what = (
        f"{row.validator_name} ({row.verdict.check})"
        if row.verdict.check
        else row.validator_name
    )
    said = (
        row.verdict.diagnostic.rstrip(". ")
        or ", ".join(codes_of(row.verdict))
        or row.verdict.kind
    )
    return f"{what}: {said}"


def _listed(items: Sequence[str], *, most: int = _MOST, separator: str = ", ") -> str:
    distinct = list(dict.fromkeys(items))
    more = f" and {len(distinct) - most} more" if len(distinct) > most else ""
    return separator.join(distinct[:most]) + more
