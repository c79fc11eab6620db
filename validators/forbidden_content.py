"""What must not be said: entries of `must_not_include` that are no failure codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from judgemesh.contracts.codes import FailureCode, parse_code
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.results import Action, AgentResult
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import DETERMINISTIC, Fail, Pass, Reason, Skipped
from judgemesh.validators._shared.fields import Corpus, present, query
from judgemesh.validators._shared.labels import labels_of
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.values import (
    as_mapping,
    as_sequence,
    listed,
    show,
    walk,
)

_MAX_REFS = 50


@dataclass(frozen=True, slots=True)
class _Forbidden:
    """One entry: as text, and as the name of a field."""

    entry: str
    text: re.Pattern[str]
    word: str
    folded: str
    in_actions: bool


def _compile(contract: EvalContract) -> tuple[_Forbidden, ...]:
    criteria = contract.success_criteria
    said = [(entry, False) for entry in criteria.must_not_include]
    if criteria.execution_result.required:
        said += [(entry, True) for entry in criteria.execution_result.must_not_include]
    return tuple(
        _Forbidden(
            entry,
            _text_pattern(entry),
            _longest_word(entry),
            fold_name(entry),
            in_actions,
        )
        for entry, in_actions in dict.fromkeys(said)
        if plain(entry).strip() and parse_code(entry) is None
    )


def _text_pattern(entry: str) -> re.Pattern[str]:
    """The entry as whole words, in any case, with any white space between them (escaped text: linear time)."""
    words = plain(entry).split()
    start = r"(?<!\w)" if words[0][0].isalnum() or words[0][0] == "_" else ""
    end = r"(?!\w)" if words[-1][-1].isalnum() or words[-1][-1] == "_" else ""
    return re.compile(start + r"\s+".join(map(re.escape, words)) + end, re.IGNORECASE)


def _longest_word(entry: str) -> str:
    """What a text must contain, whatever its case, before the pattern is worth trying."""
    return max(plain(entry).casefold().split(), key=len)


_forbidden_by = ByIdentity(_compile)


@validator(
    name="forbidden_content",
    version="1",
    codes=(FailureCode.SYSTEM_PROMPT_VIOLATION,),
    applies=lambda contract: bool(_forbidden_by(contract)),
)
def forbidden_content(case: Case) -> Judgement:
    """Nothing of what the contract forbids stands in the answer, the outputs or (for executions) the actions.

    An entry is looked for as text (whole words, any case, any white space between them, invisible characters ignored)
    in the final answer and in every text of the outputs, and as a field: a key of the outputs with a value, or a
    labelled line. The code is `SYSTEM_PROMPT_VIOLATION`, the gate code for breaking a constraint on what may be said;
    no code of the taxonomy is nearer, and the output is neither malformed nor an action.
    """
    yield from ()
    entries = _forbidden_by(case.contract)
    if not entries:
        return [
            Skipped(
                check="forbidden",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract forbids no text and no field",
            )
        ]
    corpus = Corpus(case.result)
    texts = list(_texts(case.result, corpus))
    hits = [
        (item.entry, ref)
        for item in entries
        for ref in _places(item, texts, corpus, case.result)
    ]
    if not hits:
        return [Pass(check="forbidden", confidence=DETERMINISTIC)]
    words = listed([f"{show(entry, 60)} at {ref}" for entry, ref in hits])
    return [
        Fail(
            check="forbidden",
            codes=(FailureCode.SYSTEM_PROMPT_VIOLATION,),
            diagnostic=f"forbidden content: {words}",
            confidence=DETERMINISTIC,
            evidence_refs=tuple(dict.fromkeys(ref for _, ref in hits))[:_MAX_REFS],
        )
    ]


def _texts(result: AgentResult, corpus: Corpus) -> Iterator[tuple[str, str, str]]:
    """Reference, text, and the text without case."""
    if result.output.final_answer:
        text = plain(result.output.final_answer)
        yield "final_answer", text, text.casefold()
    for ref, tree in corpus.trees:
        if ref == "final_answer":
            continue
        for place, found in _strings(tree, ref):
            text = plain(found)
            yield place, text, text.casefold()


def _strings(tree: object, ref: str) -> Iterator[tuple[str, str]]:
    stack: list[tuple[str, object]] = [(ref, tree)]
    while stack:
        here, item = stack.pop()
        mapping, sequence = as_mapping(item), as_sequence(item)
        if isinstance(item, str):
            yield here, item
        elif mapping is not None:
            stack.extend((f"{here}/{key}", child) for key, child in mapping.items())
        elif sequence is not None:
            stack.extend(
                (f"{here}/{index}", child) for index, child in enumerate(sequence)
            )


def _places(
    item: _Forbidden,
    texts: list[tuple[str, str, str]],
    corpus: Corpus,
    result: AgentResult,
) -> Iterator[str]:
    """Where the entry stands; at most one place in each text."""
    for ref, text, folded in texts:
        match = item.text.search(text) if item.word in folded else None
        if match is not None:
            yield (
                f"{ref}:L{text.count(chr(10), 0, match.start()) + 1}"
                if ref == "final_answer"
                else ref
            )
    wanted = query(item.entry, None)
    for ref, value in corpus.keys.get(item.folded, ()):
        if present(value, wanted):
            yield ref
    for ref, text in corpus.answer:
        for line, value in labels_of(text).values(item.folded):
            if present(value, wanted):
                yield f"{ref}:L{line}"
    if item.in_actions:
        for index, action in enumerate(result.actions):
            yield from _in_action(item, action, f"actions/{index}")


def _in_action(item: _Forbidden, action: Action, ref: str) -> Iterator[str]:
    for place, key, value in walk(
        action.model_dump(mode="json", exclude_unset=True), ref
    ):
        if (fold_name(key) == item.folded and value is not None) or (
            isinstance(value, str) and item.text.search(plain(value))
        ):
            yield place
