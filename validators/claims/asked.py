"""What a contract asks of claims: facts, support, and which kinds of evidence it gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract

if TYPE_CHECKING:
    from judgemesh.contracts.sections.evidence import ClaimsSpec

SUPPORT_CODES: Final = (
    FailureCode.UNSUPPORTED_CLAIM,
    FailureCode.CLAIM_EVIDENCE_MISMATCH,
    FailureCode.CONTRADICTED_BY_EVIDENCE,
)
CODES: Final = (*SUPPORT_CODES, FailureCode.WRONG_FACT)


def spec_of(contract: EvalContract) -> ClaimsSpec:
    """The section `claims`; its defaults where only a code asks for the check."""
    if contract.claims is not None:
        return contract.claims
    from judgemesh.contracts.sections.evidence import ClaimsSpec

    return ClaimsSpec()


def asks_about_claims(contract: EvalContract) -> bool:
    """Whether the contract has the section or names one of the codes."""
    if contract.claims is not None:
        return True
    return any(code in CODES for code in contract.named_codes())


def asks_for_support(contract: EvalContract) -> bool:
    """Whether claims have to be supported: known facts alone ask for nothing but these facts."""
    spec = spec_of(contract)
    if names_evidence(contract) or spec.tool_results == "always" or not spec.facts:
        return True
    return any(code in SUPPORT_CODES for code in contract.named_codes())


def names_evidence(contract: EvalContract) -> bool:
    """Whether the contract names passages or sources."""
    sources = contract.evidence.sources if contract.evidence else ()
    return bool(spec_of(contract).evidence or sources)


def takes_tool_results(contract: EvalContract) -> bool:
    """Whether what tools returned is evidence."""
    setting = spec_of(contract).tool_results
    if setting == "auto":
        return asks_for_support(contract) and not names_evidence(contract)
    return setting == "always"


def covered_codes(contract: EvalContract) -> tuple[FailureCode, ...]:
    """The codes that the check looks for under a contract."""
    codes: list[FailureCode] = []
    if spec_of(contract).facts:
        codes.append(FailureCode.WRONG_FACT)
    if names_evidence(contract) or takes_tool_results(contract):
        codes += SUPPORT_CODES
    return tuple(codes)
