"""What a judge is asked about required outputs and fields, and the verdicts on its answers."""

from __future__ import annotations

from collections.abc import Sequence

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
from judgemesh.contracts.validator import Case, Judgement
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Verdict, VerdictFields
from judgemesh.validators._shared.answer.corpus import Corpus
from judgemesh.validators._shared.replies import by_id, expect
from judgemesh.validators._shared.values import json_text
from judgemesh.validators.required_fields.requirements import (
    FieldRequirement,
    MissingField,
)
from judgemesh.validators.required_fields.verdicts import METRIC, codes_of


def ask_judge(asked: Sequence[MissingField], corpus: Corpus, case: Case) -> Judgement:
    """The verdicts on fields that are put to a judge, all at once."""
    materials = _materials(case.result)
    answers = yield by_id(_ask(entry.requirement, materials, corpus) for entry in asked)
    return [_verdict(entry, answers[entry.requirement.check], case) for entry in asked]


def _verdict(missing: MissingField, answer: Answer, case: Case) -> Verdict:
    """The verdict on a field that was put to a judge."""
    requirement = missing.requirement
    check, weight = requirement.check, requirement.weight
    reply = expect(answer, Judged)
    if isinstance(reply, Unanswered):
        return unanswered_verdict(reply, check=check, metric=METRIC, weight=weight)
    fields: VerdictFields = {
        "metric": METRIC,
        "weight": weight,
        "confidence": reply.confidence,
    }
    why = f"a judge says {reply.vote.value}: {reply.reason}"
    if reply.vote is Vote.YES:
        fields["evidence_refs"] = ("judge",)
        return Pass(check=check, diagnostic=why, **fields)
    if reply.vote is Vote.CANNOT_ASSESS:
        return Abstain(check=check, diagnostic=why, **fields)
    codes = codes_of(requirement, case)
    why = f"{missing.not_placed.tried}; {why}"
    return Fail(check=check, codes=codes, diagnostic=why, **fields)


def _ask(
    requirement: FieldRequirement, materials: Sequence[Material], corpus: Corpus
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
