"""The ladder by which a field is found in an answer that need not be JSON.

Rungs, in order: `path` into the structured outputs; `key` of the same name or alias anywhere in them; `label` in the
text (labelled line, heading, table header); `pattern`; `judge`. This module climbs the first four; the judge is a
question that the validator yields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from judgemesh.contracts.sections.expectations import Rung
from judgemesh.validators._shared.answer.corpus import FINAL_ANSWER, Corpus
from judgemesh.validators._shared.answer.field_query import FieldQuery
from judgemesh.validators._shared.answer.placeholders.words import (
    FIGURE_FIELDS,
    INDEFINITE,
    TEXT_FIELDS,
)
from judgemesh.validators._shared.answer.presence import is_present, may_be_name
from judgemesh.validators._shared.regex import Match, find_all
from judgemesh.validators._shared.text import compact, fold_name, fold_value
from judgemesh.validators._shared.values import ABSENT, dig, show, strings

_OUTPUT_PREFIXES: Final = (("outputs",), ("output",))
STATEMENT: Final = "statement"
"""The form of a value that a sentence gives."""
WHOLE_MATCH: Final = "match"
"""The form of what a pattern without a group matches."""
_SHOWN_VALUE_CHARS: Final = 30
_SHOWN_PATTERN_CHARS: Final = 40
_MAX_VAGUE_CHARS: Final = 80
_MAX_SHOWN_EMPTY: Final = 2


class Candidate(NamedTuple):
    """A place that may hold a field: the rung and form by which it was found, its reference, and the value there."""

    rung: Rung
    form: str
    ref: str
    value: object


class Placed(NamedTuple):
    """Where a field is."""

    ref: str


class NotPlaced(NamedTuple):
    """The field is nowhere; `tried` says in words where it was looked for and what was found instead.

    hidden: it may be in a part of the run that the result does not hold.
    empty: its place holds a placeholder, or the answer asks for it or says that it has none; no judge need be asked.
    unclear: its place holds what may be a placeholder or a name that begins like one, or names nothing in particular.
    """

    tried: str
    hidden: bool = False
    empty: bool = False
    unclear: bool = False


def find(field: FieldQuery, corpus: Corpus) -> Placed | NotPlaced:
    """Climb the ladder up to, and without, the judge.

    Raises:
        ValueError: the contract's pattern is no RE2 pattern.
    """
    empty: list[str] = []
    tried: list[str] = []
    unclear = False
    for rung in field.rungs:
        if rung not in _FINDERS:
            continue
        candidates, describe = _FINDERS[rung]
        for candidate in candidates(field, corpus):
            is_there = _holds(candidate, field)
            is_vague = (
                is_there and rung != "pattern" and _is_vague(candidate.value, field)
            )
            if is_there and not is_vague:
                return Placed(candidate.ref)
            shown = show(candidate.value, _SHOWN_VALUE_CHARS)
            empty.append(f"{candidate.ref} holds only {shown}")
            unclear = unclear or is_vague or may_be_name(candidate.value, field.called)
        tried.append(describe(field))
    empty += _denials(field, corpus)
    reason = ", ".join(tried) or "nothing but a judge may look"
    reason = "; ".join([reason, *empty[:_MAX_SHOWN_EMPTY]])
    return NotPlaced(
        reason,
        hidden=corpus.hidden(field.spec),
        empty=bool(empty) and not unclear,
        unclear=unclear,
    )


def _denials(field: FieldQuery, corpus: Corpus) -> Iterator[str]:
    """Places that name the field without a value: an empty label or cell, a denial, a question, an announcement."""
    from judgemesh.validators._shared.answer.labels import labels_of
    from judgemesh.validators._shared.answer.statements import denied

    names = field.called
    for ref, text in corpus.labelled(field.spec):
        labels = labels_of(text)
        lines = [labels.blank(name) for name in field.folded]
        lines += [
            denied(text, name, names, announced=field.spec.question is None)
            for name in field.names
        ]
        for line in dict.fromkeys(lines):
            if line is not None:
                yield f"{ref}:L{line} names it without a value"


def candidates_of(field: FieldQuery, corpus: Corpus) -> Iterator[Candidate]:
    """Every place that holds a value of the field, rung by rung.

    Raises:
        ValueError: the contract's pattern is no RE2 pattern.
    """
    for rung in field.rungs:
        if rung in _FINDERS:
            candidates, _ = _FINDERS[rung]
            for candidate in candidates(field, corpus):
                if _holds(candidate, field):
                    yield candidate


def _holds(candidate: Candidate, field: FieldQuery) -> bool:
    """Whether a value is there. What a whole pattern matches is what the contract asks for, whatever it says."""
    return candidate.form == WHOLE_MATCH or present(candidate.value, field)


def _is_vague(value: object, field: FieldQuery) -> bool:
    """Whether a value names nothing in particular, and the contract does not allow it."""
    if not isinstance(value, str) or len(value) > _MAX_VAGUE_CHARS:
        return False
    last = fold_name(str(field.path[-1])) if field.path else ""
    if any(name.endswith(TEXT_FIELDS) for name in (*field.called, last)):
        return False
    folded = fold_value(value).replace("\u2019", "'")
    first = folded.split(maxsplit=1)[:1]
    if not first or folded in field.allow:
        return False
    measured = not any(map(str.isdigit, folded)) and any(
        name.endswith(FIGURE_FIELDS) for name in field.called
    )
    if not measured and first[0] not in INDEFINITE:
        return False
    # Few values begin with such a word, or lack a figure where one is asked for.
    from judgemesh.validators._shared.answer.indefinite import (
        is_indefinite,
        lacks_figures,
    )

    return (measured and lacks_figures(value)) or is_indefinite(value, field.called)


def present(value: object, field: FieldQuery) -> bool:
    """Whether a value of the field is really there."""
    return is_present(value, field.allow, field.called)


_Candidates = Iterator[Candidate]
"""Places that may hold the field."""


def _by_path(field: FieldQuery, corpus: Corpus) -> _Candidates:
    path = field.path or ()
    for ref, tree in corpus.trees:
        tails = [path]
        if path[:1] in _OUTPUT_PREFIXES:
            tails.append(path[1:])
        for tail in tails:
            value = dig(tree, tail)
            if value is not ABSENT:
                yield Candidate("path", "path", "/".join((ref, *tail)), value)
                break


def _by_key(field: FieldQuery, corpus: Corpus) -> _Candidates:
    for key in field.folded:
        for ref, value in corpus.keys.get(key, ()):
            yield Candidate("key", "key", ref, value)


def _by_label(field: FieldQuery, corpus: Corpus) -> _Candidates:
    """Labelled lines first, then sentences that give the field; JSON in a text has keys, not labels."""
    from judgemesh.validators._shared.answer.labels import Form, labels_of

    read: set[str] = set()
    texts = corpus.labelled(field.spec)
    for ref, text in texts:
        labels = labels_of(text)
        for label in field.folded:
            empty_section = False
            for form, line, value in labels.located(label):
                if form is Form.HEADING and empty_section:
                    # What follows a placeholder under a heading is about something else.
                    continue
                candidate = Candidate("label", form.value, f"{ref}:L{line}", value)
                empty_section = form is Form.HEADING and not present(value, field)
                read.add(candidate.ref)
                yield candidate
    for candidate in _in_sentences(field, texts):
        if candidate.ref not in read:
            yield candidate


def _in_sentences(field: FieldQuery, texts: Sequence[tuple[str, str]]) -> _Candidates:
    # Reading sentences is heavy to import, and most fields are found before.
    from judgemesh.validators._shared.answer.statements import statements

    names = field.called
    for ref, text in texts:
        folded_text = compact(text)
        for name in field.names:
            if fold_name(name) in folded_text:
                for line, value in statements(text, name, names):
                    yield Candidate("label", STATEMENT, f"{ref}:L{line}", value)


def _by_pattern(field: FieldQuery, corpus: Corpus) -> _Candidates:
    pattern = field.spec.pattern or ""
    for ref, text in corpus.texts(field.spec):
        for match in find_all(pattern, text):
            yield _matched(match, f"{ref}:L{match.line()}")
    for tree_ref, tree in corpus.trees:
        if tree_ref.startswith(FINAL_ANSWER):
            continue
        for ref, text in strings(tree, tree_ref):
            for match in find_all(pattern, text):
                yield _matched(match, ref)


def _matched(match: Match, ref: str) -> Candidate:
    group = match.first_group()
    if group is None:
        return Candidate("pattern", WHOLE_MATCH, ref, match.group())
    return Candidate("pattern", "group", ref, group)


def _tried_path(field: FieldQuery) -> str:
    return f"not at path {field.spec.path}"


def _tried_key(_field: FieldQuery) -> str:
    return "no such key in the outputs"


def _tried_label(field: FieldQuery) -> str:
    searched = field.spec.search.replace("_", " ")
    return f"no labelled line, heading or table header in the {searched}"


def _tried_pattern(field: FieldQuery) -> str:
    return f"pattern {show(field.spec.pattern, _SHOWN_PATTERN_CHARS)} matches nothing"


_Finder = tuple[
    Callable[[FieldQuery, Corpus], _Candidates], Callable[[FieldQuery], str]
]
"""How a rung looks for a field, and what it says when the field is not there."""

_FINDERS: Final[Mapping[Rung, _Finder]] = MappingProxyType(
    {
        "path": (_by_path, _tried_path),
        "key": (_by_key, _tried_key),
        "label": (_by_label, _tried_label),
        "pattern": (_by_pattern, _tried_pattern),
    }
)
