"""Required outputs and fields: what the contract asks for must stand somewhere in the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.codes import FailureCode, by_precedence
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Judged,
    Material,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Metric,
    Pass,
    Verdict,
    VerdictFields,
    inaccessible,
    not_configured,
)
from judgemesh.validators._shared import answers
from judgemesh.validators._shared.fields import (
    Corpus,
    FieldQuery,
    NotPlaced,
    Placed,
    find,
    query,
)
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import json_text, listed

_METRIC: Final = Metric.COMPLETENESS.value
_MAX_REFS: Final = 50
_ANSWER: Final = fold_name("final_answer")
_CITATIONS: Final = fold_name("citations")
_CLAIMS: Final = fold_name("claims")
_EVIDENCE_NAMES: Final = frozenset(
    map(fold_name, ("evidence", "evidence_list", "evidences", "citations"))
)
_OTHER_EVIDENCE: Final = ("evidence_list", "evidence")
_CITATION_SYNONYMS: Final = ("references", "sources", "bibliography")


@dataclass(frozen=True, slots=True)
class _Requirement:
    """One output or field the contract asks for."""

    query: FieldQuery
    kind: str

    @property
    def key(self) -> str:
        return self.query.folded[0]

    @property
    def weight(self) -> float:
        return self.query.spec.weight

    @property
    def check(self) -> str:
        return f"{self.kind}:{self.query.name}"


@dataclass(frozen=True, slots=True)
class _Missing:
    """A requirement that was not found, and where it was looked for."""

    requirement: _Requirement
    not_placed: NotPlaced


def _requirements_of(contract: EvalContract) -> tuple[_Requirement, ...]:
    """What the contract asks for; a name asked for as output and as field counts once, as an output."""
    criteria = contract.success_criteria
    specs = {fold_name(name): spec for name, spec in contract.fields.items()}
    requirements: dict[str, _Requirement] = {}
    for kind, names in (
        ("output", criteria.required_outputs),
        ("field", criteria.must_include),
    ):
        for name in names:
            key = fold_name(name)
            synonyms = _CITATION_SYNONYMS if key == _CITATIONS else ()
            field = query(name, specs.get(key), synonyms)
            requirements.setdefault(key, _Requirement(field, kind))
    return tuple(requirements.values())


_requirements_in = ByIdentity(_requirements_of)


@validator(
    name="required_fields",
    version="1",
    metric=Metric.COMPLETENESS,
    codes=(
        FailureCode.MISSING_FINAL_ANSWER,
        FailureCode.EMPTY_OR_INVALID_OUTPUT,
        FailureCode.MISSING_REQUIRED_OUTPUT,
        FailureCode.MISSING_REQUIRED_FIELD,
        FailureCode.MISSING_CITATION,
        FailureCode.MISSING_EVIDENCE,
    ),
    applies=lambda contract: bool(
        contract.success_criteria.required_outputs
        or contract.success_criteria.must_include
    ),
)
def required_fields(case: Case) -> Judgement:
    """Every required output and field is there, by the ladder path, key, label, pattern, judge.

    One `Pass` covers all that was found without a judge, one `Fail` for each code lists what is missing; a field that
    a judge decided has a verdict of its own. Weights are the fields' weights, so that completeness is their share.
    """
    requirements = _requirements_in(case.contract)
    if not requirements:
        why = "the contract requires no output and no field"
        return [not_configured("required", why)]
    corpus = Corpus(case.result)
    found: list[_Requirement] = []
    refs: list[str] = []
    missing: list[_Missing] = []
    open_to_judge: dict[str, _Missing] = {}
    for requirement in requirements:
        outcome = _find(requirement, corpus, case.result)
        if isinstance(outcome, Placed):
            found.append(requirement)
            refs.append(outcome.ref)
        elif _askable(requirement, case):
            open_to_judge[requirement.check] = _Missing(requirement, outcome)
        else:
            missing.append(_Missing(requirement, outcome))
    judged: list[Verdict] = []
    if open_to_judge:
        materials = _materials(case.result)
        replies = yield {
            name: _ask(entry.requirement, materials, corpus)
            for name, entry in open_to_judge.items()
        }
        judged = [
            _judged(entry, replies[name], case) for name, entry in open_to_judge.items()
        ]
    return [*_found(found, refs), *_missing(missing, case), *judged]


def _find(
    requirement: _Requirement, corpus: Corpus, result: AgentResult
) -> Placed | NotPlaced:
    """Where the field stands. The final answer, citations and claims have a place of their own in every result."""
    output = result.output
    if requirement.key == _ANSWER:
        answer = answers.final_answer(result)
        if answer is answers.Answer.GIVEN:
            return Placed("final_answer")
        return NotPlaced(f"the final answer is {answer.value}")
    if requirement.key == _CITATIONS and any(
        citation.text.strip() or citation.id or citation.url or citation.title
        for citation in output.citations
    ):
        return Placed("output/citations")
    if requirement.key == _CLAIMS and any(
        claim.text.strip() for claim in output.claims
    ):
        return Placed("output/claims")
    return find(requirement.query, corpus)


def _askable(requirement: _Requirement, case: Case) -> bool:
    """A judge is asked where the ladder has that rung and there is anything to read."""
    return (
        case.judge
        and requirement.query.by_judge
        and requirement.key != _ANSWER
        and not answers.delivered_nothing(case.result)
    )


def _ask(
    requirement: _Requirement, materials: Sequence[Material], corpus: Corpus
) -> Ask:
    field = requirement.query
    question = field.spec.question or (
        f"Does the agent's answer give the {requirement.kind} {field.name!r} with a specific value? "
        "A placeholder, an announcement or a mention without a value is none."
    )
    shown = [*materials]
    if field.spec.search == "transcript" and len(corpus.transcript) > 1:
        texts = [text for _, text in corpus.transcript[1:]]
        shown.append(Material("transcript", "\n\n".join(texts)))
    return Ask(
        question_id=requirement.check,
        question=question,
        materials=tuple(shown),
        gating=True,
    )


def _materials(result: AgentResult) -> list[Material]:
    output = result.output
    materials: list[Material] = []
    if output.final_answer:
        materials.append(Material("final_answer", output.final_answer))
    structured = {**output.outputs, **(output.model_extra or {})}
    if structured:
        materials.append(Material("outputs", json_text(structured)))
    return materials


def _judged(missing: _Missing, reply: Answer, case: Case) -> Verdict:
    requirement = missing.requirement
    check, weight = requirement.check, requirement.weight
    if isinstance(reply, Unanswered):
        return unanswered_verdict(reply, check=check, metric=_METRIC, weight=weight)
    if not isinstance(reply, Judged):
        raise TypeError(f"a question was answered by {type(reply).__name__}")
    fields: VerdictFields = {
        "metric": _METRIC,
        "weight": weight,
        "confidence": reply.confidence,
    }
    why = f"a judge says {reply.vote.value}: {reply.reason}"
    if reply.vote is Vote.YES:
        fields["evidence_refs"] = ("judge",)
        return Pass(check=check, diagnostic=why, **fields)
    if reply.vote is Vote.CANNOT_ASSESS:
        return Abstain(check=check, diagnostic=why, **fields)
    codes = _codes(requirement, case)
    why = f"{missing.not_placed.tried}; {why}"
    return Fail(check=check, codes=codes, diagnostic=why, **fields)


def _found(found: Sequence[_Requirement], refs: Sequence[str]) -> list[Verdict]:
    """One pass for all that was found without a judge."""
    if not found:
        return []
    verdict = Pass(
        check="found",
        metric=_METRIC,
        weight=sum(requirement.weight for requirement in found),
        confidence=DETERMINISTIC,
        evidence_refs=tuple(dict.fromkeys(refs))[:_MAX_REFS],
    )
    return [verdict]


def _missing(missing: Sequence[_Missing], case: Case) -> list[Verdict]:
    """One verdict for each set of codes, and one for what may stand in a part of the run that the result lacks."""
    groups: dict[tuple[FailureCode, ...], list[_Missing]] = {}
    for entry in missing:
        codes: tuple[FailureCode, ...] = ()
        if not entry.not_placed.hidden:
            codes = _codes(entry.requirement, case)
        groups.setdefault(codes, []).append(entry)
    return [_missing_verdict(codes, group) for codes, group in groups.items()]


def _missing_verdict(
    codes: tuple[FailureCode, ...], group: Sequence[_Missing]
) -> Verdict:
    names: list[str] = []
    tried: list[str] = []
    for entry in group:
        name = entry.requirement.query.name
        names.append(name)
        tried.append(f"{name}: {entry.not_placed.tried}")
    fields: VerdictFields = {
        "metric": _METRIC,
        "weight": sum(entry.requirement.weight for entry in group),
        "details": {"missing": names[:_MAX_REFS]},
    }
    if codes:
        fields["confidence"] = DETERMINISTIC
        why = f"missing {listed(tried)}"
        return Fail(check="missing", codes=codes, diagnostic=why, **fields)
    why = f"the transcript is not in the result, and the fields are nowhere else: {listed(tried)}"
    return inaccessible("hidden", why, **fields)


def _codes(requirement: _Requirement, case: Case) -> tuple[FailureCode, ...]:
    """Which codes a missing output or field carries.

    Where evidence is required, missing citations or evidence say so too: `MISSING_CITATION` when other evidence is
    given and only not cited, `MISSING_EVIDENCE` when there is none at all.
    """
    if requirement.key == _ANSWER:
        return (answers.final_answer(case.result).code,)
    if requirement.kind == "field":
        return (FailureCode.MISSING_REQUIRED_FIELD,)
    codes = [FailureCode.MISSING_REQUIRED_OUTPUT]
    evidence = case.contract.evidence
    if evidence and evidence.required and requirement.key in _EVIDENCE_NAMES:
        not_cited = requirement.key == _CITATIONS and _gives_evidence(case.result)
        codes.append(
            FailureCode.MISSING_CITATION if not_cited else FailureCode.MISSING_EVIDENCE
        )
    return by_precedence(codes)


def _gives_evidence(result: AgentResult) -> bool:
    """Whether the result has other evidence than citations."""
    corpus = Corpus(result)
    outcomes = (find(query(name, None), corpus) for name in _OTHER_EVIDENCE)
    return any(isinstance(outcome, Placed) for outcome in outcomes)
