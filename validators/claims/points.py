"""One claim on its way to a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Unanswered
from judgemesh.contracts.verdicts import DETERMINISTIC, Confidence, Metric
from judgemesh.validators.claims.finding import FoundClaim
from judgemesh.validators.claims.rules import Claim, Stance
from judgemesh.validators.claims.sources import Evidence

METRIC: Final = Metric.EVIDENCE_CONSISTENCY.value


@dataclass(slots=True)
class Point:
    """One claim: the evidence it has, what was found out about it, and by whom.

    `stance` None: nothing to hold it against. `code` is the failure it makes, `facts` the known facts it may speak of,
    `inaccessible` why its evidence cannot be read, `fault` an answer the judge did not give.
    """

    claim: FoundClaim
    read: Claim
    evidence: Sequence[Evidence] = ()
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
    def no_support(self) -> FailureCode:
        """The code when nothing bears the claim out: another one where the agent cited something for it."""
        return (
            FailureCode.CLAIM_EVIDENCE_MISMATCH
            if self.claim.citations
            else FailureCode.UNSUPPORTED_CLAIM
        )
