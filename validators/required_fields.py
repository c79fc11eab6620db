"""Required outputs and fields: what the contract asks for must stand somewhere in the result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from judgemesh.contracts.codes import FailureCode, by_precedence
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Judged,
    Material,
    Need,
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
    Reason,
    Skipped,
    Verdict,
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

_METRIC = Metric.COMPLETENESS.value
_MAX_REFS = 50
_ANSWER = fold_name("final_answer")
_CITATIONS = fold_name("citations")
_CLAIMS = fold_name("claims")
_EVIDENCE = frozenset(
    fold_name(name) for name in ("evidence", "evidence_list", "evidences", "citations")
)
_SYNONYMS = {_CITATIONS: ("references", "sources", "bibliography")}


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One thing the contract asks for."""

    query: FieldQuery
    output: bool

    @property
    def key(self) -> str:
        return self.query.folded[0]

    @property
    def weight(self) -> float:
        return self.query.spec.weight

    @property
    def check(self) -> str:
        return f"{'output' if self.output else 'field'}:{self.query.name}"


def _compile(contract: EvalContract) -> tuple[_Wanted, ...]:
    criteria = contract.success_criteria
    specs = {fold_name(name): spec for name, spec in contract.fields.items()}
    wanted: dict[str, _Wanted] = {}
    for names, output in (
        (criteria.required_outputs, True),
        (criteria.must_include, False),
    ):
        for name in names:
            folded = fold_name(name)
            # Asked for twice, it counts once: as an output.
            wanted.setdefault(
                folded,
                _Wanted(
                    query(name, specs.get(folded), _SYNONYMS.get(folded, ())), output
                ),
            )
    return tuple(wanted.values())


_wanted_by = ByIdentity(_compile)


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
    found: list[tuple[_Wanted, str]] = []
    missing: list[tuple[_Wanted, NotPlaced]] = []
    corpus = Corpus(case.result)
    everything = _wanted_by(case.contract)
    if not everything:
        return [
            Skipped(
                check="required",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract requires no output and no field",
            )
        ]
    for wanted in everything:
        place = _find(wanted, corpus, case.result)
        if isinstance(place, Placed):
            found.append((wanted, place.ref))
        else:
            missing.append((wanted, place))
    asked = [item for item in missing if _askable(item[0], case)]
    verdicts: list[Verdict] = []
    if asked:
        materials = _materials(case.result)
        needs: list[Need] = [
            _question(wanted, materials, corpus) for wanted, _ in asked
        ]
        replies = yield needs
        verdicts = [
            _judged(wanted, place, reply, case)
            for (wanted, place), reply in zip(asked, replies, strict=True)
        ]
        missing = [item for item in missing if item not in asked]
    return [*_found(found), *_missing(missing, case), *verdicts]


def _find(wanted: _Wanted, corpus: Corpus, result: AgentResult) -> Placed | NotPlaced:
    """The field's place; three outputs have one of their own in every result."""
    if wanted.key == _ANSWER:
        state = answers.final_answer(result)
        return (
            Placed("final_answer")
            if state is answers.Answer.GIVEN
            else NotPlaced("the final answer is " + state.value)
        )
    if wanted.key == _CITATIONS and any(
        item.text.strip() or item.id or item.url or item.title
        for item in result.output.citations
    ):
        return Placed("output/citations")
    if wanted.key == _CLAIMS and any(
        claim.text.strip() for claim in result.output.claims
    ):
        return Placed("output/claims")
    return find(wanted.query, corpus)


def _askable(wanted: _Wanted, case: Case) -> bool:
    """A judge is asked where the ladder has that rung and there is anything to read."""
    return (
        case.judge
        and wanted.query.by_judge
        and wanted.key != _ANSWER
        and not answers.delivered_nothing(case.result)
    )


def _question(wanted: _Wanted, materials: tuple[Material, ...], corpus: Corpus) -> Ask:
    what = "output" if wanted.output else "field"
    default = (
        f"Does the agent's answer give the {what} {wanted.query.name!r} with a specific value? "
        "A placeholder, an announcement or a mention without a value is none."
    )
    texts = corpus.transcript[1:] if wanted.query.spec.search == "transcript" else []
    said = (
        (Material("transcript", "\n\n".join(text for _, text in texts)),)
        if texts
        else ()
    )
    return Ask(
        question_id=wanted.check,
        question=wanted.query.spec.question or default,
        materials=(*materials, *said),
        gating=True,
    )


def _materials(result: AgentResult) -> tuple[Material, ...]:
    output = result.output
    materials = (
        [Material("final_answer", output.final_answer)] if output.final_answer else []
    )
    structured = {**output.outputs, **(output.model_extra or {})}
    if structured:
        materials.append(Material("outputs", json_text(structured)))
    return tuple(materials)


def _judged(wanted: _Wanted, place: NotPlaced, reply: Answer, case: Case) -> Verdict:
    check, weight = wanted.check, wanted.weight
    if isinstance(reply, Unanswered):
        return unanswered_verdict(reply, check=check, metric=_METRIC, weight=weight)
    if not isinstance(reply, Judged):
        raise TypeError(f"a question was answered by {type(reply).__name__}")
    said = f"a judge says {reply.vote.value}: {reply.reason}"
    if reply.vote is Vote.YES:
        return Pass(
            check=check,
            metric=_METRIC,
            weight=weight,
            confidence=reply.confidence,
            diagnostic=said,
            evidence_refs=("judge",),
        )
    if reply.vote is Vote.CANNOT_ASSESS:
        return Abstain(
            check=check,
            metric=_METRIC,
            weight=weight,
            confidence=reply.confidence,
            diagnostic=said,
        )
    codes = _codes(wanted, case)
    return Fail(
        check=check,
        codes=codes,
        metric=_METRIC,
        weight=weight,
        confidence=reply.confidence,
        diagnostic=f"{place.tried}; {said}",
    )


def _found(found: list[tuple[_Wanted, str]]) -> list[Verdict]:
    if not found:
        return []
    return [
        Pass(
            check="found",
            metric=_METRIC,
            weight=sum(wanted.weight for wanted, _ in found),
            confidence=DETERMINISTIC,
            evidence_refs=tuple(dict.fromkeys(ref for _, ref in found))[:_MAX_REFS],
        )
    ]


def _missing(missing: Iterable[tuple[_Wanted, NotPlaced]], case: Case) -> list[Verdict]:
    """One verdict for each set of codes, and one for what may stand where the result does not let us look."""
    groups: dict[tuple[FailureCode, ...], list[tuple[_Wanted, NotPlaced]]] = {}
    for wanted, place in missing:
        codes = () if place.hidden else _codes(wanted, case)
        groups.setdefault(codes, []).append((wanted, place))
    return [_missing_verdict(codes, group) for codes, group in groups.items()]


def _missing_verdict(
    codes: tuple[FailureCode, ...], group: list[tuple[_Wanted, NotPlaced]]
) -> Verdict:
    names = [wanted.query.name for wanted, _ in group]
    weight = sum(wanted.weight for wanted, _ in group)
    words = listed([f"{wanted.query.name}: {place.tried}" for wanted, place in group])
    details: dict[str, object] = {"missing": names[:_MAX_REFS]}
    if not codes:
        return Abstain(
            check="hidden",
            code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
            reason=Reason.SOURCE_INACCESSIBLE,
            diagnostic=f"the transcript is not in the result, and the fields are nowhere else: {words}",
            metric=_METRIC,
            weight=weight,
            details=details,
        )
    return Fail(
        check="missing",
        codes=codes,
        metric=_METRIC,
        weight=weight,
        confidence=DETERMINISTIC,
        diagnostic=f"missing {words}",
        details=details,
    )


def _codes(wanted: _Wanted, case: Case) -> tuple[FailureCode, ...]:
    """Which codes a missing thing carries.

    Where evidence is required, missing citations or evidence say so too: `MISSING_CITATION` when other evidence is
    given and only not cited, `MISSING_EVIDENCE` when there is none at all.
    """
    if wanted.key == _ANSWER:
        return (answers.final_answer(case.result).code,)
    if not wanted.output:
        return (FailureCode.MISSING_REQUIRED_FIELD,)
    codes = [FailureCode.MISSING_REQUIRED_OUTPUT]
    if (
        wanted.key in _EVIDENCE
        and case.contract.evidence is not None
        and case.contract.evidence.required
    ):
        discussed = wanted.key == _CITATIONS and _gives_evidence(case.result)
        codes.append(
            FailureCode.MISSING_CITATION if discussed else FailureCode.MISSING_EVIDENCE
        )
    return by_precedence(codes)


def _gives_evidence(result: AgentResult) -> bool:
    corpus = Corpus(result)
    return any(
        isinstance(find(query(name, None), corpus), Placed)
        for name in ("evidence_list", "evidence")
    )
