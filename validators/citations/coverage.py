"""Which failure codes are looked for under a contract."""

from __future__ import annotations

from collections.abc import Collection

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract


def looked_for(contract: EvalContract) -> Collection[FailureCode]:
    """The codes that can be found out: nothing about works without sources, nothing about quotes without that level."""
    spec = contract.evidence
    if spec is None:
        return ()
    codes = {FailureCode.MISSING_CITATION}
    if spec.required:
        codes.add(FailureCode.MISSING_EVIDENCE)
    if "identifier" in spec.levels:
        codes.add(FailureCode.OUTPUT_FORMAT_INVALID)
    if not spec.sources or "exists" not in spec.levels:
        return codes
    codes |= {FailureCode.CITATION_NOT_FOUND, FailureCode.FABRICATED_REFERENCE}
    if "quote" in spec.levels:
        codes |= {FailureCode.CLAIM_EVIDENCE_MISMATCH, FailureCode.UNSUPPORTED_CLAIM}
    return codes
