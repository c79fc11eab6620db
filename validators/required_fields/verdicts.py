"""The verdicts on required outputs and fields that no judge is asked about: found, missing, hidden."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.codes import FailureCode, by_precedence
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Metric,
    Pass,
    Verdict,
    VerdictFields,
    inaccessible,
)
from judgemesh.validators._shared.answer.answers import final_answer
from judgemesh.validators._shared.answer.corpus import Corpus
from judgemesh.validators._shared.answer.field_query import query
from judgemesh.validators._shared.answer.fields import Placed, find
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import listed
from judgemesh.validators.required_fields.requirements import (
    ANSWER,
    CITATIONS,
    FieldRequirement,
    MissingField,
)

METRIC: Final = Metric.COMPLETENESS.value
_MAX_REFS: Final = 50
_EVIDENCE_NAMES: Final = frozenset(
    map(fold_name, ("evidence", "evidence_list", "evidences", "citations"))
)
_OTHER_EVIDENCE: Final = ("evidence_list", "evidence")


def found_verdict(present: Sequence[FieldRequirement], refs: Sequence[str]) -> Pass:
    """One pass for all that was found without a judge."""
    return Pass(
        check="found",
        metric=METRIC,
        weight=sum(requirement.weight for requirement in present),
        confidence=DETERMINISTIC,
        evidence_refs=tuple(dict.fromkeys(refs))[:_MAX_REFS],
        details={"kept": [one.query.name for one in present][:_MAX_REFS]},
    )


def missing_verdicts(missing: Sequence[MissingField], case: Case) -> list[Verdict]:
    """One verdict for each set of codes, one for what may be in a part of the run that the result lacks, and one for
    names that begin like a placeholder.
    """
    groups: dict[tuple[FailureCode, ...], list[MissingField]] = {}
    unclear = [entry for entry in missing if entry.not_placed.unclear]
    for entry in missing:
        if entry.not_placed.unclear:
            continue
        codes: tuple[FailureCode, ...] = ()
        if not entry.not_placed.hidden:
            codes = codes_of(entry.requirement, case)
        groups.setdefault(codes, []).append(entry)
    verdicts = [_missing_verdict(codes, group) for codes, group in groups.items()]
    return [*verdicts, *([_unclear_verdict(unclear)] if unclear else [])]


def _unclear_verdict(group: Sequence[MissingField]) -> Verdict:
    tried, fields = _described(group)
    why = f"a placeholder, a name that begins like one, or words that name nothing in particular: {listed(tried)}"
    return Abstain(check="unclear", diagnostic=why, **fields)


def _described(group: Sequence[MissingField]) -> tuple[list[str], VerdictFields]:
    """What was tried for each field, and the fields of a verdict on all."""
    names: list[str] = []
    tried: list[str] = []
    for entry in group:
        name = entry.requirement.query.name
        names.append(name)
        tried.append(f"{name}: {entry.not_placed.tried}")
    fields: VerdictFields = {
        "metric": METRIC,
        "weight": sum(entry.requirement.weight for entry in group),
        "details": {"missing": names[:_MAX_REFS]},
    }
    return tried, fields


def _missing_verdict(
    codes: tuple[FailureCode, ...], group: Sequence[MissingField]
) -> Verdict:
    tried, fields = _described(group)
    if codes:
        fields["confidence"] = DETERMINISTIC
        why = f"missing {listed(tried)}"
        return Fail(check="missing", codes=codes, diagnostic=why, **fields)
    why = f"the transcript is not in the result, and the fields are nowhere else: {listed(tried)}"
    return inaccessible("hidden", why, **fields)


def codes_of(requirement: FieldRequirement, case: Case) -> tuple[FailureCode, ...]:
    """Which codes a missing output or field carries.

    Where evidence is required, missing citations or evidence say so too: `MISSING_CITATION` when other evidence is
    given and only not cited, `MISSING_EVIDENCE` when there is none at all.
    """
    if requirement.key == ANSWER:
        return (final_answer(case.result).code,)
    if requirement.kind == "field":
        return (FailureCode.MISSING_REQUIRED_FIELD,)
    codes = [FailureCode.MISSING_REQUIRED_OUTPUT]
    evidence = case.contract.evidence
    if evidence and evidence.required and requirement.key in _EVIDENCE_NAMES:
        if requirement.key == CITATIONS and _gives_evidence(case.result):
            codes.append(FailureCode.MISSING_CITATION)
        else:
            codes.append(FailureCode.MISSING_EVIDENCE)
    return by_precedence(codes)


def _gives_evidence(result: AgentResult) -> bool:
    """Whether the result has other evidence than citations."""
    corpus = Corpus(result)
    for name in _OTHER_EVIDENCE:
        if isinstance(find(query(name, None), corpus), Placed):
            return True
    return False
