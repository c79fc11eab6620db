"""What must not be said: entries of `must_not_include` that are no failure codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.codes import FailureCode, parse_code
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Fail,
    Pass,
    Verdict,
    not_configured,
)
from judgemesh.validators._shared.fields import Corpus, present, query
from judgemesh.validators._shared.labels import labels_of
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import fold_name, line_number, plain
from judgemesh.validators._shared.values import listed, show, strings, walk

_MAX_REFS: Final = 50
_SHOWN_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class _Forbidden:
    """One entry: as text, and as the name of a field.

    longest_word: what a text must contain, without case, before the pattern is worth trying.
    """

    entry: str
    pattern: re.Pattern[str]
    longest_word: str
    field: str
    in_actions: bool

    def is_in(self, text: _Text) -> re.Match[str] | None:
        """The first place of the entry in a text."""
        if self.longest_word not in text.folded:
            return None
        return self.pattern.search(text.plain)


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of the result: its reference, and the text without invisible characters and without case."""

    ref: str
    plain: str
    folded: str


def _forbidden_entries(contract: EvalContract) -> tuple[_Forbidden, ...]:
    criteria = contract.success_criteria
    entries = dict.fromkeys((entry, False) for entry in criteria.must_not_include)
    execution = criteria.execution_result
    entries |= dict.fromkeys((entry, True) for entry in execution.must_not_include)
    return tuple(
        _compile(entry, in_actions=in_actions)
        for entry, in_actions in entries
        if plain(entry).strip() and parse_code(entry) is None
    )


def _compile(entry: str, *, in_actions: bool) -> _Forbidden:
    """The entry as whole words, in any case, with any white space between them."""
    words = plain(entry).split()
    # The text is escaped: the pattern takes linear time.
    pattern = r"\s+".join(map(re.escape, words))
    if _is_word_char(words[0][0]):
        pattern = rf"(?<!\w){pattern}"
    if _is_word_char(words[-1][-1]):
        pattern = rf"{pattern}(?!\w)"
    return _Forbidden(
        entry=entry,
        pattern=re.compile(pattern, re.IGNORECASE),
        longest_word=max(plain(entry).casefold().split(), key=len),
        field=fold_name(entry),
        in_actions=in_actions,
    )


def _is_word_char(char: str) -> bool:
    return char.isalnum() or char == "_"


_forbidden_in = ByIdentity(_forbidden_entries)


@validator(
    name="forbidden_content",
    version="1",
    codes=(FailureCode.SYSTEM_PROMPT_VIOLATION,),
    applies=lambda contract: bool(_forbidden_in(contract)),
    pure=True,
)
def forbidden_content(case: Case) -> Verdict:
    """Nothing the contract forbids occurs in the answer, the outputs or (for executions) the actions.

    An entry is looked for as text (whole words, any case, any white space between them, invisible characters ignored)
    in the final answer and in every text of the outputs, and as a field: a key of the outputs with a value, or a
    labelled line. The code is `SYSTEM_PROMPT_VIOLATION`, the gate code for breaking a constraint on what may be said;
    no code of the taxonomy is nearer, and the output is neither malformed nor an action.
    """
    entries = _forbidden_in(case.contract)
    if not entries:
        return not_configured("forbidden", "the contract forbids no text and no field")
    corpus = Corpus(case.result)
    texts = list(_texts(case.result, corpus))
    hits: list[tuple[str, str]] = []
    for forbidden in entries:
        refs = _refs(forbidden, texts, corpus, case.result)
        hits += [(forbidden.entry, ref) for ref in refs]
    if not hits:
        return Pass(check="forbidden", confidence=DETERMINISTIC)
    shown = listed([f"{show(entry, _SHOWN_CHARS)} at {ref}" for entry, ref in hits])
    return Fail(
        check="forbidden",
        codes=(FailureCode.SYSTEM_PROMPT_VIOLATION,),
        diagnostic=f"forbidden content: {shown}",
        confidence=DETERMINISTIC,
        evidence_refs=tuple(dict.fromkeys(ref for _, ref in hits))[:_MAX_REFS],
    )


def _texts(result: AgentResult, corpus: Corpus) -> Iterator[_Text]:
    """The final answer, and every text of the outputs."""
    if result.output.final_answer:
        yield _text("final_answer", result.output.final_answer)
    for ref, tree in corpus.trees:
        if ref != "final_answer":
            for text_ref, text in strings(tree, ref):
                yield _text(text_ref, text)


def _text(ref: str, text: str) -> _Text:
    shown = plain(text)
    return _Text(ref, shown, shown.casefold())


def _refs(
    forbidden: _Forbidden, texts: list[_Text], corpus: Corpus, result: AgentResult
) -> Iterator[str]:
    """Where the entry occurs; at most one place in each text."""
    for text in texts:
        match = forbidden.is_in(text)
        if match and text.ref == "final_answer":
            yield f"{text.ref}:L{line_number(text.plain, match.start())}"
        elif match:
            yield text.ref
    yield from _field_refs(forbidden, corpus)
    if forbidden.in_actions:
        yield from _action_refs(forbidden, result)


def _field_refs(forbidden: _Forbidden, corpus: Corpus) -> Iterator[str]:
    """Where a field of that name has a value."""
    field = query(forbidden.entry, None)
    for ref, value in corpus.keys.get(forbidden.field, ()):
        if present(value, field):
            yield ref
    for ref, text in corpus.answer:
        for line, value in labels_of(text).values(forbidden.field):
            if present(value, field):
                yield f"{ref}:L{line}"


def _action_refs(forbidden: _Forbidden, result: AgentResult) -> Iterator[str]:
    for index, action in enumerate(result.actions):
        data = action.model_dump(mode="json", exclude_unset=True)
        for ref, key, value in walk(data, f"actions/{index}"):
            is_field = fold_name(key) == forbidden.field and value is not None
            is_text = isinstance(value, str) and forbidden.pattern.search(plain(value))
            if is_field or is_text:
                yield ref
