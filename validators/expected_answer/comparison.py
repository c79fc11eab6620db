"""The outcome of comparing one expected value with what the agent wrote."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from judgemesh.contracts.codes import FailureCode


class Finding(StrEnum):
    """How an expected value compares with what was found."""

    MET = "met"
    WRONG = "wrong"
    UNCERTAIN = "uncertain"
    MISSING = "missing"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One expected value and what was found.

    subject: what is compared, in words; expected: the condition in words; why: where it was found and what was there.
    empty: its place holds no value for certain, so that no judge need be asked.
    """

    check: str
    subject: str
    expected: str
    finding: Finding
    why: str = ""
    refs: tuple[str, ...] = ()
    code: FailureCode = FailureCode.WRONG_FACT
    weight: float = 1.0
    by_judge: bool = True
    empty: bool = False
