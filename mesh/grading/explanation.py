"""The one-paragraph explanation of a report: what decided the gate, on which evidence, and what would have to change.

Computed from the verdicts, never written by a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.codes import CODES
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.verdicts import codes_of
from judgemesh.mesh.grading.aggregate import Aggregate, contribution
from judgemesh.mesh.grading.soft_score import DEFAULT_WEIGHTS, LOW_CODES

_MAX_LISTED: Final = 3
_MAX_NAMES: Final = 8


def explain(aggregate: Aggregate, rows: Sequence[ValidatorVerdict]) -> str:
    """A paragraph for people; the same for any order of the verdicts."""
    sentences = _SENTENCES[aggregate.gate](aggregate, rows)
    sentences.extend(_score_sentence(aggregate))
    return " ".join(sentences)


def _passed(_aggregate: Aggregate, rows: Sequence[ValidatorVerdict]) -> list[str]:
    deciding = deciding_verdicts(rows, Gate.PASS)
    names = sorted({row.validator_name for row in deciding})
    checks = _listed(names, most=_MAX_NAMES)
    return [f"The gate passed: every check of {checks} held.{_evidence(deciding)}"]


def _failed(aggregate: Aggregate, rows: Sequence[ValidatorVerdict]) -> list[str]:
    from judgemesh.mesh.grading.requirements import requirement_of

    deciding = deciding_verdicts(rows, Gate.FAIL)
    reasons = [_reason(row) for row in deciding]
    for code in aggregate.gate_codes:
        if code in LOW_CODES.values():
            reasons.append(f"{code} counts as a gate here")
    needed = _listed([requirement_of(code) for code in aggregate.gate_codes])
    undecided = sum(contribution(row) is Gate.UNDECIDED for row in rows)
    rest = ""
    if undecided:
        rest = f" Besides, {_checks(undecided)} could not be decided."
    listed = _listed(reasons, separator="; ")
    return [
        f"The gate failed with {aggregate.primary}: {listed}.{_evidence(deciding)}",
        f"A pass needs: {needed}.{rest}",
    ]


def _checks(count: int) -> str:
    return "1 check" if count == 1 else f"{count} checks"


def _undecided(aggregate: Aggregate, rows: Sequence[ValidatorVerdict]) -> list[str]:
    deciding = deciding_verdicts(rows, Gate.UNDECIDED)
    reasons = [_reason(row) for row in deciding]
    for code in aggregate.open_codes:
        reasons.append(f"{code} counts as a gate here, and its score was not measured")
    if not reasons:
        return [
            "The gate is undecided: no check that guards it was selected, and nothing checked is never a pass."
        ]
    listed = _listed(reasons, separator="; ")
    return [
        f"The gate is undecided, which is no grade of the agent: {listed}.",
        "Nothing that was verified failed it.",
    ]


_SENTENCES: Final = {Gate.PASS: _passed, Gate.FAIL: _failed, Gate.UNDECIDED: _undecided}


def _score_sentence(aggregate: Aggregate) -> list[str]:
    score = aggregate.outcome_score
    if score is None:
        return []
    used = [metric.value for metric in DEFAULT_WEIGHTS if metric in aggregate.scores]
    return [f"Outcome score {score:.1f} of 10, from {', '.join(used)}."]


def _evidence(rows: Sequence[ValidatorVerdict]) -> str:
    refs = [ref for row in rows for ref in row.verdict.evidence_refs]
    return f" Evidence: {_listed(refs)}." if refs else ""


def deciding_verdicts(
    rows: Sequence[ValidatorVerdict], gate: Gate
) -> list[ValidatorVerdict]:
    """The verdicts that contribute `gate`, the one with the gravest code first."""
    return sorted((row for row in rows if contribution(row) is gate), key=_gravity)


def _gravity(row: ValidatorVerdict) -> tuple[int, str, str, str]:
    verdict = row.verdict
    precedences = [CODES[code].precedence for code in codes_of(verdict)]
    precedence = min(precedences, default=len(CODES))
    return (precedence, row.validator_name, verdict.check, verdict.diagnostic)


def _reason(row: ValidatorVerdict) -> str:
    """`validator (check): diagnostic`; the codes or the kind stand in for a missing diagnostic."""
    verdict = row.verdict
    subject = row.validator_name
    if verdict.check:
        subject += f" ({verdict.check})"
    diagnostic = verdict.diagnostic.rstrip(". ")
    return f"{subject}: {diagnostic or ', '.join(codes_of(verdict)) or verdict.kind}"


def _listed(
    texts: Sequence[str], *, most: int = _MAX_LISTED, separator: str = ", "
) -> str:
    distinct = list(dict.fromkeys(texts))
    more = f" and {len(distinct) - most} more" if len(distinct) > most else ""
    return separator.join(distinct[:most]) + more
