"""The claims of an answer: those it lists, its sentences, or what a model extracts from it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.evidence import ClaimsSpec
from judgemesh.contracts.needs import (
    Answer,
    Extract,
    Extracted,
    Material,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.results import Claim
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import Error, Reason, Verdict, not_configured
from judgemesh.validators._shared.replies import expect
from judgemesh.validators._shared.values import as_mapping, as_sequence, of_type
from judgemesh.validators.claims.claim_sentences import StatedClaim, claims_in
from judgemesh.validators.claims.points import METRIC

_INSTRUCTION: Final = (
    "List every statement of fact in the text that evidence could bear out or refute, each as one sentence that can be "
    "understood alone, with the citation marks that the text gives for it. Add and correct nothing."
)
_SCHEMA: Final[Mapping[str, object]] = MappingProxyType(
    {
        "type": "object",
        "required": ["claims"],
        "properties": {
            "claims": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["text"],
                    "properties": {
                        "text": {"type": "string"},
                        "citations": {"type": "array", "items": {"type": "string"}},
                    },
                },
            }
        },
    }
)
_NO_JUDGE: Final = not_configured(
    "claims",
    "the contract lets a model find the claims, and no judge is configured",
    metric=METRIC,
)
_NO_LIST: Final = Error(
    check="claims",
    reason=Reason.JUDGE_FAILED,
    diagnostic="no list of claims",
    metric=METRIC,
)


def find_claims(
    case: Case, spec: ClaimsSpec
) -> Generator[dict[str, Extract], Mapping[str, Answer], list[StatedClaim] | Verdict]:
    """The claims of the answer; a verdict where a model cannot be asked for them."""
    output = case.result.output
    if output.claims:
        return list(_listed(output.claims))
    answer = output.final_answer
    if spec.extract == "none" or not answer:
        return []
    if spec.extract == "sentences":
        return claims_in(answer)
    if not case.judge:
        return _NO_JUDGE
    extract = Extract(
        extract_id="claims",
        instruction=_INSTRUCTION,
        materials=(Material("final_answer", answer),),
        schema=_SCHEMA,
    )
    answers = yield {"claims": extract}
    return _extracted(answers["claims"])


def _listed(claims: list[Claim]) -> Iterator[StatedClaim]:
    for index, claim in enumerate(claims):
        if claim.text.strip():
            yield StatedClaim(claim.text, tuple(claim.citations), f"claims/{index}")


def _extracted(answer: Answer) -> list[StatedClaim] | Verdict:
    reply = expect(answer, Extracted)
    if isinstance(reply, Unanswered):
        return unanswered_verdict(reply, check="claims", metric=METRIC)
    data = as_mapping(reply.data) or {}
    entries = as_sequence(data.get("claims"))
    if entries is None:
        return _NO_LIST
    claims: list[StatedClaim] = []
    for number, entry in enumerate(entries, start=1):
        fields = as_mapping(entry) or {}
        text = fields.get("text")
        if isinstance(text, str) and text.strip():
            ids = tuple(of_type(str, fields.get("citations")))
            claims.append(StatedClaim(text, ids, f"final_answer:claim{number}"))
    return claims
