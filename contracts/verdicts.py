"""What a validator returns: `Verdict = Pass | Fail | Abstain | Error | Skipped`.

`Pass` and `Fail` are verified. `Abstain`: the evaluator cannot tell. `Error`: the evaluator broke. `Skipped`: the check
was not run on purpose. The last three are never a grade. No score is ever NaN or a sentinel number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypedDict, Unpack

from judgemesh.contracts.codes import CODES, Effect, FailureCode
from judgemesh.contracts.quick_init import quick_init

if TYPE_CHECKING:
    from judgemesh.contracts.opinions import Opinion

Kind = Literal["pass", "fail", "abstain", "error", "skipped"]

Details = Mapping[str, object]
"""JSON-ready facts that the ledger stores beside the columns of a verdict."""


class Metric(StrEnum):
    """The measurements a verdict may feed; the first five make the soft score."""

    COMPLETENESS = "completeness"
    EVIDENCE_VALIDITY = "evidence_validity"
    EVIDENCE_CONSISTENCY = "evidence_consistency"
    METHODOLOGY = "methodology"
    READABILITY = "readability"
    EXECUTION_SUCCESS = "execution_success"


class Reason(StrEnum):
    """Why a verdict is not a grade, for machines; the diagnostic is for people."""

    GATE_ALREADY_DECIDED = "gate_already_decided"
    NOT_SELECTED = "not_selected"
    NOT_CONFIGURED = "not_configured"
    VACUOUS_EXPECTATION = "vacuous_expectation"
    SOURCE_INACCESSIBLE = "source_inaccessible"
    CANNOT_ASSESS = "cannot_assess"
    EXCEPTION = "exception"
    DEADLINE = "deadline"
    JUDGE_FAILED = "judge_failed"
    NO_CONTRACT = "no_contract"
    INVALID_RESULT = "invalid_result"
    NO_VERDICT = "no_verdict"
    BUDGET = "budget"
    ACCESS_DENIED = "access_denied"


def _check_share(name: str, value: float | None) -> None:
    if value is not None and not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must lie in 0..1, got {value!r}")


@dataclass(frozen=True, slots=True)
class Confidence:
    """Two numbers with two names, each in (0, 1], or absent.

    `stability`: would the evaluator say it again? 1.0 only for a deterministic check.
    `correctness`: is it right? Present only after calibration on human labels.
    """

    stability: float | None = None
    correctness: float | None = None

    def __post_init__(self) -> None:
        _check_share("stability", self.stability)
        _check_share("correctness", self.correctness)


DETERMINISTIC: Final = Confidence(stability=1.0)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class _Verdict:
    """Fields of every verdict. Each kind has its own `repr` and is equal only to its kind.

    check: which of the validator's checks this is (`field:drug_name`), free text.
    metric: the sub-score or named score it feeds; `weight` is its share there (> 0).
    gating: None leaves it to the codes and the validator; True or False is the contract's setting.
    evidence_refs: where the evidence is (`outputs/drug_name`, `final_answer:L3`, `record:tickets/17`).
    opinion: the judge's opinion that the verdict states (`Judged.opinion`). People can label such a verdict's question.
    """

    check: str = ""
    diagnostic: str = ""
    confidence: Confidence | None = None
    evidence_refs: tuple[str, ...] = ()
    metric: str | None = None
    weight: float = 1.0
    gating: bool | None = None
    details: Details = field(default_factory=dict[str, object])
    opinion: Opinion | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and self.weight > 0):
            raise ValueError(f"weight must be a number above 0, got {self.weight!r}")


def _check_hold(code: FailureCode, kind: str) -> None:
    if CODES[code].effect is not Effect.HOLD:
        raise ValueError(f"{kind} takes an evaluator code, not {code}")


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Pass(_Verdict):
    """Verified to hold. `score` in 0..1 defaults to 1."""

    kind: ClassVar[Literal["pass"]] = "pass"
    score: float | None = None

    def __post_init__(self) -> None:
        _Verdict.__post_init__(self)
        _check_share("score", self.score)


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Fail(_Verdict):
    """Verified not to hold, for one reason or more. `score` in 0..1 defaults to 0."""

    kind: ClassVar[Literal["fail"]] = "fail"
    codes: tuple[FailureCode, ...]
    score: float | None = None

    def __post_init__(self) -> None:
        _Verdict.__post_init__(self)
        _check_share("score", self.score)
        if not self.codes:
            raise ValueError("Fail needs at least one failure code")
        for code in self.codes:
            if code not in CODES:
                raise ValueError(
                    f"{code!r} is no failure code; `judgemesh validators --codes` lists them"
                )
            if CODES[code].effect is Effect.HOLD:
                raise ValueError(
                    f"Fail cannot carry {code}: a broken measurement is not a bad grade; use Abstain or Error"
                )


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Abstain(_Verdict):
    """The evaluator looked and cannot tell."""

    kind: ClassVar[Literal["abstain"]] = "abstain"
    code: FailureCode = FailureCode.LOW_CONFIDENCE_EVALUATION
    reason: str = Reason.CANNOT_ASSESS

    def __post_init__(self) -> None:
        _Verdict.__post_init__(self)
        _check_hold(self.code, "Abstain")


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(_Verdict):
    """The evaluator broke: exception, time-out, unreadable judge, provider down, budget spent."""

    kind: ClassVar[Literal["error"]] = "error"
    code: FailureCode = FailureCode.EVALUATOR_FAILURE
    reason: str = Reason.EXCEPTION

    def __post_init__(self) -> None:
        _Verdict.__post_init__(self)
        _check_hold(self.code, "Error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped(_Verdict):
    """Not run on purpose; `reason` says why."""

    kind: ClassVar[Literal["skipped"]] = "skipped"
    reason: str


Verdict = Pass | Fail | Abstain | Error | Skipped
GRADES: Final = (Pass, Fail)
"""The verdicts that say how the agent did. A tuple: a union of types is made, and looked at, anew for each question."""


class VerdictFields(TypedDict, total=False):
    """The fields that every verdict may have beside its check and its diagnostic."""

    confidence: Confidence | None
    evidence_refs: tuple[str, ...]
    metric: str | None
    weight: float
    gating: bool | None
    details: Details
    opinion: Opinion | None


def not_configured(
    check: str, diagnostic: str, **fields: Unpack[VerdictFields]
) -> Skipped:
    """The verdict of a check that the contract does not ask for, or that lacks a set-up such as a judge."""
    return Skipped(
        check=check, reason=Reason.NOT_CONFIGURED, diagnostic=diagnostic, **fields
    )


def inaccessible(
    check: str, diagnostic: str, **fields: Unpack[VerdictFields]
) -> Abstain:
    """The verdict of a check whose evidence is missing or cannot be read."""
    return Abstain(
        check=check,
        code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
        reason=Reason.SOURCE_INACCESSIBLE,
        diagnostic=diagnostic,
        **fields,
    )


def unread_answer(check: str) -> Abstain:
    """The verdict of a check of an answer that the converted transcript does not hold."""
    return inaccessible(check, "no answer could be read from the transcript")


def codes_of(verdict: Verdict) -> tuple[FailureCode, ...]:
    """The failure codes a verdict carries: none for `Pass` and `Skipped`."""
    match verdict:
        case Fail():
            return verdict.codes
        case Abstain() | Error():
            return (verdict.code,)
        case _:
            return ()


def score_of(verdict: Verdict) -> float | None:
    """The verified score in 0..1; None for what is no grade."""
    match verdict:
        case Pass():
            return 1.0 if verdict.score is None else verdict.score
        case Fail():
            return 0.0 if verdict.score is None else verdict.score
        case _:
            return None
