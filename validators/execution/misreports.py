"""What the answer says about an execution, outside the agent's `actions`: its ids and amounts against the records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.sections.effects import ExecutionSpec
from judgemesh.contracts.validator import Case
from judgemesh.validators._shared.answer.corpus import Corpus
from judgemesh.validators._shared.answer.field_query import query
from judgemesh.validators._shared.answer.fields import candidates_of
from judgemesh.validators._shared.numbers.numbers import readings
from judgemesh.validators._shared.text import fold_name, seamless
from judgemesh.validators._shared.trace.verbs import kind_words, spoken_verbs, stem
from judgemesh.validators._shared.values import show
from judgemesh.validators.execution.agreement import fields_of
from judgemesh.validators.execution.confirmation.binding import (
    amounts_of,
    money_in,
    names_value,
    numbers_in,
    shape,
)
from judgemesh.validators.execution.faults import Findings, record_ref
from judgemesh.validators.execution.known_ids import (
    ids_of,
    known_elsewhere,
    known_to_user,
    same_id,
)

_PREFIX: Final = "execution_"
_CONFIRMATIONS: Final = re.compile(
    r"confirmation(?:id|number|no|code|ref|reference)?|(?:booking|reservation|transaction|reference|"
    r"receipt|tracking|ticket|claim|dossier|docket|incident|complaint|application|registration|shipment|submission|"
    r"filing|enrolment|enrollment|permit|voucher|"
    r"refund|payment|transfer|case|request|order)(?:id|number|no|code|ref|reference)|reference|receipt|locator|pnr"
)
_ID_NOUNS: Final = frozenset(
    {"id", "number", "no", "nr", "code", "ref", "reference", "key"}
)
_ID_WORDS: Final = 2
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")
_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[^\s,;:!?()\[\]\"'<>*_`|]+")


def misreported(
    case: Case, records: Sequence[ExecutionRecord], findings: Findings
) -> None:
    """Add what the answer's text and outputs say otherwise than the records do."""
    corpus = Corpus(case.result)
    criteria = case.contract.success_criteria
    asked = criteria.execution_result.must_include
    for name in dict.fromkeys((*asked, *criteria.must_include)):
        _check_name(name, case, corpus, records, findings)
    _check_ids_in_prose(case, records, findings)
    _check_amounts_in_prose(case, records, findings)


def _check_name(
    name: str,
    case: Case,
    corpus: Corpus,
    records: Sequence[ExecutionRecord],
    findings: Findings,
) -> None:
    folded = fold_name(name.removeprefix(_PREFIX))
    stated = list(_stated(name, case, corpus))
    if not stated:
        return
    if _names_its_id(name, case, records):
        _check_id(name, stated, case, records, findings)
        return
    recorded = [
        fields_of(record)[folded] for record in records if folded in fields_of(record)
    ]
    numbers = [value for value in recorded if readings(value)]
    if not numbers or len(numbers) < len(recorded):
        return
    for ref, text in stated:
        if numbers_in(text) and not any(names_value(text, value) for value in numbers):
            why = f"{name}: the answer says {show(text)}, and the record shows {show(numbers[0])}"
            findings.add(FailureCode.WRONG_EXECUTION_PARAMETERS, why, ref)


def _names_its_id(name: str, case: Case, records: Sequence[ExecutionRecord]) -> bool:
    """Whether a name is that of an id which the execution itself gives: `claim_number`, after `open_claim`."""
    folded = fold_name(name.removeprefix(_PREFIX))
    if _CONFIRMATIONS.fullmatch(folded):
        return True
    words = kind_words(name.removeprefix(_PREFIX))
    if len(words) < _ID_WORDS or words[-1] not in _ID_NOUNS:
        return False
    spec = case.contract.execution or ExecutionSpec()
    kinds = [one.kind for one in spec.expected] + [one.kind for one in records]
    acted = {stem(word) for kind in kinds for word in kind_words(kind)}
    return not acted.isdisjoint(map(stem, words[:-1]))


def _check_id(
    name: str,
    stated: Sequence[tuple[str, str]],
    case: Case,
    records: Sequence[ExecutionRecord],
    findings: Findings,
) -> None:
    carried = [one for record in records for one in ids_of(record)]
    numbered = any(any(map(str.isdigit, text)) for _, text in stated)
    for ref, text in stated:
        if numbered and not any(map(str.isdigit, text)):
            # `screening: no match`, beside `screening reference: SC-77120`, is no id.
            continue
        if any(names_value(text, one) or same_id(text, one) for one in carried):
            continue
        if _is_in_task(text, case, records):
            continue
        known = _known(case, text)
        if known:
            continue
        why = f"{name}: {show(text)} is unknown to the source"
        if carried or known is False:
            findings.add(FailureCode.EXECUTION_RESULT_NOT_FOUND, why, ref)
        elif records:
            findings.doubt(f"{why}, whose records carry no ids")


def _known(case: Case, text: str) -> bool | None:
    """Whether the id is known: the whole value, or the word of it that holds a digit."""
    whole = known_elsewhere(case, text)
    token = _first_token(text)
    alone = sum(any(map(str.isdigit, word)) for word in _TOKEN.findall(text)) == 1
    return known_elsewhere(case, token) if alone and not whole else whole


def _first_token(text: str) -> str:
    """The first word of a value that holds a digit, else all of it."""
    return next(
        (token for token in _TOKEN.findall(text) if any(map(str.isdigit, token))), text
    )


def _is_in_task(text: str, case: Case, records: Sequence[ExecutionRecord]) -> bool:
    """Whether the id is the target of a record, or stands in the task."""
    targets = [record.target for record in records if record.target]
    if any(names_value(text, target) for target in targets):
        return True
    return known_to_user(case, _first_token(text)) or known_to_user(case, text)


def _stated(name: str, case: Case, corpus: Corpus) -> Iterator[tuple[str, str]]:
    """Where the outputs or the text give a value for the name."""
    bare = name.removeprefix(_PREFIX)
    aliases = (bare,) if bare != name else ()
    field = query(name, case.contract.fields.get(name), aliases)
    for candidate in candidates_of(field, corpus):
        value = candidate.value
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            yield candidate.ref, str(value)


def _check_ids_in_prose(
    case: Case, records: Sequence[ExecutionRecord], findings: Findings
) -> None:
    """An answer that names an id like the record's, and not the record's, names one that was made up."""
    answer = seamless(case.result.output.final_answer or "")
    carried = [record.confirmation_id for record in records if record.confirmation_id]
    shapes = {shape(one.casefold()) for one in carried} - {None}
    said = [token.strip(".#") for token in _TOKEN.findall(answer)]
    alike = [token for token in said if shape(token.casefold()) in shapes]
    if not alike or any(same_id(token, one) for token in said for one in carried):
        return
    for token in alike:
        if _is_in_task(token, case, records) or known_elsewhere(case, token):
            return
    why = f"the answer names {show(alike[0])}, and the records know {show(carried[0])}"
    findings.add(FailureCode.EXECUTION_RESULT_NOT_FOUND, why, "final_answer")


def _check_amounts_in_prose(
    case: Case, records: Sequence[ExecutionRecord], findings: Findings
) -> None:
    """An answer that tells the payment with other amounts than the record's, and never with those, tells another."""
    answer = seamless(case.result.output.final_answer or "")
    if not money_in(answer):
        return
    said = numbers_in(answer)
    spec = case.contract.execution or ExecutionSpec()
    for record in records:
        amounts = amounts_of(record)
        if not amounts or not said.isdisjoint(amounts) or _is_bound(record, spec):
            continue
        if any(map(money_in, _sentences_about(answer, record))):
            why = f"the answer names other amounts than the record ({amounts[0]})"
            findings.add(
                FailureCode.WRONG_EXECUTION_PARAMETERS, why, record_ref(record)
            )


def _sentences_about(answer: str, record: ExecutionRecord) -> Iterator[str]:
    """The sentences with a verb that names the execution."""
    verbs = spoken_verbs(record.kind)
    for sentence in _SENTENCE.split(answer):
        words = map(str.casefold, _WORD.findall(sentence))
        if not verbs.isdisjoint(map(stem, words)):
            yield sentence


def _is_bound(record: ExecutionRecord, spec: ExecutionSpec) -> bool:
    """Whether the contract itself says what the parameters of such an execution are."""
    return any(
        fold_name(expected.kind) == fold_name(record.kind) and expected.parameters
        for expected in spec.expected
    )
