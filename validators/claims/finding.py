"""The claims of an answer: those it lists, and those that rules or a model read from it and from the outputs."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.needs import (
    Answer,
    Extract,
    Extracted,
    Material,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.result_parts.claims import Claim
from judgemesh.contracts.results import AgentOutput
from judgemesh.contracts.sections.evidence import ClaimsSpec
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import Error, Reason, Verdict, not_configured
from judgemesh.validators._shared.replies import expect
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import as_mapping, as_sequence, of_type
from judgemesh.validators.claims.answer.citation_marks import without_citations
from judgemesh.validators.claims.answer.claim_sentences import (
    AnswerReading,
    StatedClaim,
    read_answer,
    read_data,
)
from judgemesh.validators.claims.language.words import words_only
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


_NOT_DELIVERED: Final = frozenset(
    {
        "reasoning", "thoughts", "thought", "rationale", "notes", "log", "logs", "trace", "messages", "metadata",
        "usage", "plan", "steps", "confidence", "citations", "claims", "references", "sources", "debug", "scratchpad",
    }
)  # fmt: skip
"""Keys beside the answer that hold no part of what is delivered."""

Finding = Generator[dict[str, Extract], Mapping[str, Answer], AnswerReading | Verdict]
"""A generator that may ask a model, and returns what the answer states."""


def find_claims(case: Case, spec: ClaimsSpec) -> Finding:
    """The claims of the answer, listed and read; a verdict where a model cannot be asked for them."""
    output = case.result.output
    listed = list(_listed(output.claims))
    reading = _read_output(output, spec)
    if spec.extract == "model" and output.final_answer:
        if not case.judge:
            return _NO_JUDGE
        found = yield from _extract(output.final_answer)
        if not isinstance(found, list):
            return found
        reading.claims = [*found, *_of_outputs(reading.claims)]
    elif spec.extract == "none":
        if reading.states and not listed:
            why = "the contract has the answer not read (extract: none), and the agent lists no claims"
            reading.unread.append(why)
        reading.claims = []
    reading.claims = _distinct(listed, reading.claims)
    return reading


def _extract(
    answer: str,
) -> Generator[dict[str, Extract], Mapping[str, Answer], list[StatedClaim] | Verdict]:
    """The claims that a model finds in the answer."""
    extract = Extract(
        extract_id="claims",
        instruction=_INSTRUCTION,
        materials=(Material("final_answer", answer),),
        schema=_SCHEMA,
    )
    answers = yield {"claims": extract}
    return _extracted(answers["claims"])


def _read_output(output: AgentOutput, spec: ClaimsSpec) -> AnswerReading:
    """What the answer and the structured outputs state.

    Where the answer itself states nothing, the outputs are the answer; beside an answer, a figure among them counts
    where the evidence speaks of it.
    """
    reading = read_answer(output.final_answer or "")
    aside = reading.states or bool(output.claims)
    pointers = {fold_name(name) for name in spec.evidence_outputs}
    for outputs in (output.outputs, output.model_extra or {}):
        delivered = {
            name: value
            for name, value in outputs.items()
            if fold_name(name) not in pointers | _NOT_DELIVERED
        }
        reading.take(read_data(delivered, "outputs", aside=aside))
    return reading


def _of_outputs(claims: list[StatedClaim]) -> list[StatedClaim]:
    return [claim for claim in claims if claim.ref.startswith("outputs/")]


def _listed(claims: list[Claim]) -> Iterator[StatedClaim]:
    """The claims that the agent lists; marks in their text are citations too."""
    for index, claim in enumerate(claims):
        if not claim.text.strip():
            continue
        text, cited = without_citations(claim.text)
        citations = tuple(dict.fromkeys([*claim.citations, *cited]))
        yield StatedClaim(text, citations, f"claims/{index}")


def _distinct(listed: list[StatedClaim], read: list[StatedClaim]) -> list[StatedClaim]:
    """Every statement once; one that is listed and stands in the answer too cites what both cite."""
    distinct: dict[str, StatedClaim] = {}
    for claim in listed:
        # Claims that the agent lists twice count twice, as it lists them.
        distinct[f"{claim.ref} {words_only(claim.text)}"] = claim
    known = {words_only(claim.text): key for key, claim in distinct.items()}
    for claim in read:
        key = words_only(claim.text)
        key = known.get(key, key)
        before = distinct.get(key)
        if before is None:
            distinct[key] = claim
            continue
        citations = dict.fromkeys((*before.citations, *claim.citations))
        aside = before.aside and claim.aside
        distinct[key] = replace(before, citations=tuple(citations), aside=aside)
    return list(distinct.values())


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
