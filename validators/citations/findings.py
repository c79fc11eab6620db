"""What the levels found out about one citation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Answer, NotFound, Unanswered
from judgemesh.validators._shared.values import of_type


@dataclass(slots=True)
class CitationFindings:
    """What is wrong with a citation, and what could not be found out.

    uncovered: no source can tell about works of this kind. parts: the agreement by part. quote: what became of it.
    doubt: why nobody can tell whether a passage is quoted rightly.
    """

    faults: list[tuple[FailureCode, str]] = field(
        default_factory=list[tuple[FailureCode, str]]
    )
    unknown: list[Unanswered] = field(default_factory=list[Unanswered])
    uncovered: bool = False
    refs: list[str] = field(default_factory=list[str])
    parts: dict[str, str] = field(default_factory=dict[str, str])
    quote: str = ""
    doubt: str = ""

    def add_fault(self, code: FailureCode, why: str) -> None:
        """Add something that is wrong."""
        self.faults.append((code, why))

    def add_unknown(self, answers: Sequence[Answer]) -> bool:
        """Keep the needs that were not answered; return whether there are any."""
        unanswered = of_type(Unanswered, answers)
        self.unknown.extend(unanswered)
        return bool(unanswered)


def is_covered(answers: Sequence[Answer]) -> bool:
    """Whether a source could have held it and does not."""
    return any(answer.covers for answer in of_type(NotFound, answers))
