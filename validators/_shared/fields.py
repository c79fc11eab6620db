"""The ladder by which a field is found in an answer that need not be JSON.

Rungs, in order: `path` into the structured outputs; `key` of the same name or alias anywhere in them; `label` in the
text (labelled line, heading, table header); `pattern`; `judge`. This module climbs the first four; the judge is a
question that the validator yields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.contract import FieldSpec, Rung
from judgemesh.contracts.results import AgentResult
from judgemesh.validators._shared.json_answers import json_answer
from judgemesh.validators._shared.labels import labels_of
from judgemesh.validators._shared.regex import search
from judgemesh.validators._shared.text import (
    allowed_values,
    fold_name,
    is_placeholder,
    line_number,
)
from judgemesh.validators._shared.transcript import transcript_hidden, utterances
from judgemesh.validators._shared.values import (
    ABSENT,
    Path,
    as_mapping,
    as_sequence,
    dig,
    pointer_segments,
    show,
    strings,
    walk,
)

_ANSWER: Final = "final_answer"
_DEFAULT_SPEC: Final = FieldSpec()
_RUNGS: Final[tuple[Rung, ...]] = ("path", "key", "label", "pattern", "judge")
_OUTPUT_PREFIXES: Final = (("outputs",), ("output",))
_SHOWN_VALUE_CHARS: Final = 30
_SHOWN_PATTERN_CHARS: Final = 40
_MAX_SHOWN_EMPTY: Final = 2


@dataclass(frozen=True, slots=True)
class FieldQuery:
    """One field to find, compiled from the contract. `folded` are its name and aliases without case and separators."""

    name: str
    folded: tuple[str, ...]
    spec: FieldSpec
    path: Path | None
    allow: frozenset[str]
    rungs: tuple[Rung, ...]

    @property
    def by_judge(self) -> bool:
        """Whether a judge may be asked."""
        return "judge" in self.rungs


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a field is."""

    ref: str


@dataclass(frozen=True, slots=True)
class NotPlaced:
    """The field is nowhere; `tried` says in words where it was looked for and what was found instead."""

    tried: str
    hidden: bool = False


def query(
    name: str, spec: FieldSpec | None, synonyms: tuple[str, ...] = ()
) -> FieldQuery:
    """The compiled form of one required name."""
    spec = spec or _DEFAULT_SPEC
    names = map(fold_name, (name, *spec.aliases, *synonyms))
    return FieldQuery(
        name=name,
        folded=tuple(dict.fromkeys(names)),
        spec=spec,
        path=None if spec.path is None else pointer_segments(spec.path),
        allow=allowed_values(spec.allow),
        rungs=tuple(rung for rung in _RUNGS if _is_usable(rung, spec)),
    )


def _is_usable(rung: Rung, spec: FieldSpec) -> bool:
    if spec.find_by is not None and rung not in spec.find_by:
        return False
    if rung == "path":
        return spec.path is not None
    if rung == "pattern":
        return spec.pattern is not None
    return True


class Corpus:
    """One result, indexed for looking up fields. Each index is built when first needed."""

    def __init__(self, result: AgentResult) -> None:
        self._result = result

    @cached_property
    def trees(self) -> list[tuple[str, object]]:
        """The structured outputs with the reference prefix of each; a final answer that is JSON counts as one."""
        output = self._result.output
        trees: list[tuple[str, object]] = []
        if output.outputs:
            trees.append(("outputs", output.outputs))
        if output.model_extra:
            trees.append(("output", output.model_extra))
        if not trees:
            parsed = json_answer(output.final_answer)
            if parsed is not None:
                trees.append((_ANSWER, parsed))
        return trees

    @cached_property
    def keys(self) -> Mapping[str, list[tuple[str, object]]]:
        """Reference and value of every key of the structured outputs, by folded key."""
        keys: dict[str, list[tuple[str, object]]] = {}
        for tree_ref, tree in self.trees:
            for ref, key, value in walk(tree, tree_ref):
                keys.setdefault(fold_name(key), []).append((ref, value))
        return keys

    @cached_property
    def answer(self) -> list[tuple[str, str]]:
        """The final answer as a list of one text, or of none."""
        text = self._result.output.final_answer
        return [(_ANSWER, text)] if text else []

    @cached_property
    def transcript(self) -> list[tuple[str, str]]:
        """Everything the agent said, the final answer first."""
        return [*self.answer, *utterances(self._result)]

    def texts(self, spec: FieldSpec) -> list[tuple[str, str]]:
        """The texts that may hold the field."""
        return self.transcript if spec.search == "transcript" else self.answer

    def hidden(self, spec: FieldSpec) -> bool:
        """Whether the field may be in a part of the run that the result does not hold."""
        return spec.search == "transcript" and transcript_hidden(self._result)


def find(field: FieldQuery, corpus: Corpus) -> Placed | NotPlaced:
    """Climb the ladder up to, and without, the judge.

    Raises:
        ValueError: the contract's pattern is no RE2 pattern.
    """
    empty: list[str] = []
    tried: list[str] = []
    for rung in field.rungs:
        if rung not in _FINDERS:
            continue
        candidates, describe = _FINDERS[rung]
        for ref, value in candidates(field, corpus):
            if rung == "pattern" or present(value, field):
                return Placed(ref)
            empty.append(f"{ref} holds only {show(value, _SHOWN_VALUE_CHARS)}")
        tried.append(describe(field))
    reason = ", ".join(tried) or "nothing but a judge may look"
    reason = "; ".join([reason, *empty[:_MAX_SHOWN_EMPTY]])
    return NotPlaced(reason, hidden=corpus.hidden(field.spec))


def present(value: object, field: FieldQuery) -> bool:
    """Whether a value is really there: false and 0 are, empty containers and placeholders are not."""
    if value is None:
        return "null" in field.allow
    names = frozenset(field.folded)
    stack = [value]
    while stack:
        part = stack.pop()
        if part is None or part is ABSENT:
            continue
        if isinstance(part, str):
            if not is_placeholder(part, field.allow, names):
                return True
            continue
        mapping, sequence = as_mapping(part), as_sequence(part)
        if mapping is not None:
            stack.extend(mapping.values())
        elif sequence is not None:
            stack.extend(sequence)
        else:
            return True
    return False


_Candidates = Iterator[tuple[str, object]]
"""References and values that may be the field."""


def _by_path(field: FieldQuery, corpus: Corpus) -> _Candidates:
    path = field.path or ()
    for ref, tree in corpus.trees:
        tails = [path]
        if path[:1] in _OUTPUT_PREFIXES:
            tails.append(path[1:])
        for tail in tails:
            value = dig(tree, tail)
            if value is not ABSENT:
                yield "/".join((ref, *tail)), value
                break


def _by_key(field: FieldQuery, corpus: Corpus) -> _Candidates:
    for key in field.folded:
        yield from corpus.keys.get(key, ())


def _by_label(field: FieldQuery, corpus: Corpus) -> _Candidates:
    for ref, text in corpus.texts(field.spec):
        labels = labels_of(text)
        for label in field.folded:
            for line, value in labels.values(label):
                yield f"{ref}:L{line}", value


def _by_pattern(field: FieldQuery, corpus: Corpus) -> _Candidates:
    pattern = field.spec.pattern or ""
    for ref, text in corpus.texts(field.spec):
        match = search(pattern, text)
        if match is not None and match.group().strip():
            yield f"{ref}:L{line_number(text, match.start())}", match.group()
    for tree_ref, tree in corpus.trees:
        for ref, text in strings(tree, tree_ref):
            match = search(pattern, text)
            if match is not None and match.group().strip():
                yield ref, match.group()


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
