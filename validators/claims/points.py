"""One claim on its way to a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Unanswered
from judgemesh.contracts.verdicts import DETERMINISTIC, Confidence, Metric
from judgemesh.validators.claims.answer.claim_sentences import StatedClaim
from judgemesh.validators.claims.evidence.evidence import EvidenceText
from judgemesh.validators.claims.support.reading import ReadClaim
from judgemesh.validators.claims.support.rules import Stance

METRIC: Final = Metric.EVIDENCE_CONSISTENCY.value


@dataclass(slots=True)
class ClaimPoint:
    """One claim: the evidence it has, what is known about it, and whether a judge decided it.

    `stance` is None where there is nothing to compare the claim with. `code` is the failure it makes, `facts` the known
    facts it may be about, `inaccessible` why its evidence cannot be read, `fault` an answer the judge did not give.
    """

    claim: StatedClaim
    read: ReadClaim
    evidence: Sequence[EvidenceText] = ()
    inaccessible: str = ""
    stance: Stance | None = None
    code: FailureCode | None = None
    why: str = ""
    refs: tuple[str, ...] = ()
    confidence: Confidence = DETERMINISTIC
    judged: bool = False
    fault: Unanswered | None = None
    facts: tuple[str, ...] = ()

    def settle(
        self,
        stance: Stance,
        why: str,
        *,
        code: FailureCode | None = None,
        refs: Iterable[str] = (),
    ) -> None:
        """Decide the point."""
        self.stance, self.why, self.code, self.refs = stance, why, code, tuple(refs)

    @property
    def is_open(self) -> bool:
        """Whether a judge can decide it: the rules did not, and its evidence can be read."""
        return self.stance is Stance.OPEN and not self.inaccessible

    @property
    def unsupported_code(self) -> FailureCode:
        """The code when nothing supports the claim: another one where the agent cited something for it."""
        if self.claim.citations:
            return FailureCode.CLAIM_EVIDENCE_MISMATCH
        return FailureCode.UNSUPPORTED_CLAIM
