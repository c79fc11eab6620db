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
from typing import Any, Final

from judgemesh.contracts.contract import FieldSpec, Rung
from judgemesh.contracts.results import AgentResult
from judgemesh.validators._shared.labels import labels_of
from judgemesh.validators._shared.regex import search
from judgemesh.validators._shared.text import allowed_values, fold_name, is_placeholder
from judgemesh.validators._shared.transcript import transcript_hidden, utterances
from judgemesh.validators._shared.values import (
    ABSENT,
    Path,
    as_mapping,
    as_sequence,
    dig,
    pointer_segments,
    show,
    walk,
)

_ANSWER: Final = "final_answer"
_DEFAULT_SPEC: Final = FieldSpec()
_FENCE: Final = "```"


@dataclass(frozen=True, slots=True)
class FieldQuery:
    """One field to find, compiled from the contract."""

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
    """Where a field stands."""

    ref: str


@dataclass(frozen=True, slots=True)
class NotPlaced:
    """The field stands nowhere; `tried` says in words where it was looked for and what was there instead."""

    tried: str
    hidden: bool = False


def query(
    name: str, spec: FieldSpec | None, synonyms: tuple[str, ...] = ()
) -> FieldQuery:
    """The compiled form of one required name."""
    spec = spec or _DEFAULT_SPEC
    rungs: list[Rung] = []
    for rung in ("path", "key", "label", "pattern", "judge"):
        usable = {
            "path": spec.path is not None,
            "pattern": spec.pattern is not None,
        }.get(rung, True)
        if usable and (spec.find_by is None or rung in spec.find_by):
            rungs.append(rung)
    return FieldQuery(
        name=name,
        folded=tuple(
            dict.fromkeys(
                fold_name(alias) for alias in (name, *spec.aliases, *synonyms)
            )
        ),
        spec=spec,
        path=None if spec.path is None else pointer_segments(spec.path),
        allow=allowed_values(spec.allow),
        rungs=tuple(rungs),
    )


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
        if not trees and (parsed := _json_answer(output.final_answer)) is not None:
            trees.append((_ANSWER, parsed))
        return trees

    @cached_property
    def keys(self) -> Mapping[str, list[tuple[str, object]]]:
        """Reference and value of every key of the structured outputs, by folded key."""
        found: dict[str, list[tuple[str, object]]] = {}
        for ref, tree in self.trees:
            for place, key, value in walk(tree, ref):
                found.setdefault(fold_name(key), []).append((place, value))
        return found

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
        """The texts that the field may stand in."""
        return self.transcript if spec.search == "transcript" else self.answer

    def hidden(self, spec: FieldSpec) -> bool:
        """Whether the field may stand in a part of the run that the result does not hold."""
        return spec.search == "transcript" and transcript_hidden(self._result)


def find(wanted: FieldQuery, corpus: Corpus) -> Placed | NotPlaced:
    """Climb the ladder up to, and without, the judge.

    Raises:
        ValueError: the contract's pattern is no RE2 pattern.
    """
    empties: list[str] = []
    for rung in wanted.rungs:
        look = _RUNGS.get(rung)
        if look is None:
            continue
        for ref, value in look(wanted, corpus):
            if present(value, wanted) or rung == "pattern":
                return Placed(ref)
            empties.append(f"{ref} holds only {show(value, 30)}")
    tried = [_TRIED[rung](wanted) for rung in wanted.rungs if rung in _RUNGS]
    words = ", ".join(tried) or "nothing but a judge may look"
    return NotPlaced(
        f"{words}; {'; '.join(empties[:2])}" if empties else words,
        hidden=corpus.hidden(wanted.spec),
    )


def present(value: object, wanted: FieldQuery) -> bool:
    """Whether a value is really there: false and 0 are, empty containers and placeholders are not."""
    stack = [value]
    while stack:
        item = stack.pop()
        if item is None or item is ABSENT:
            continue
        if isinstance(item, str):
            if not is_placeholder(item, wanted.allow, frozenset(wanted.folded)):
                return True
            continue
        mapping, sequence = as_mapping(item), as_sequence(item)
        if mapping is None and sequence is None:
            return True
        stack.extend(sequence if mapping is None else mapping.values())  # type: ignore[arg-type]
    return "null" in wanted.allow and value is None


def _by_path(wanted: FieldQuery, corpus: Corpus) -> Iterator[tuple[str, object]]:
    path = wanted.path or ()
    for ref, tree in corpus.trees:
        for tail in (
            path,
            path[1:] if path[:1] in (("outputs",), ("output",)) else None,
        ):
            value = ABSENT if tail is None else dig(tree, tail)
            if tail is not None and value is not ABSENT:
                yield "/".join((ref, *tail)), value
                break


def _by_key(wanted: FieldQuery, corpus: Corpus) -> Iterator[tuple[str, object]]:
    for folded in wanted.folded:
        yield from corpus.keys.get(folded, ())


def _by_label(wanted: FieldQuery, corpus: Corpus) -> Iterator[tuple[str, object]]:
    for ref, text in corpus.texts(wanted.spec):
        labels = labels_of(text)
        for folded in wanted.folded:
            for line, value in labels.values(folded):
                yield f"{ref}:L{line}", value


def _by_pattern(wanted: FieldQuery, corpus: Corpus) -> Iterator[tuple[str, object]]:
    pattern = wanted.spec.pattern or ""
    for ref, text in corpus.texts(wanted.spec):
        match = search(pattern, text)
        if match is not None and match.group().strip():
            yield f"{ref}:L{text.count(chr(10), 0, match.start()) + 1}", match.group()
    for ref, tree in corpus.trees:
        for place, value in _strings(tree, ref):
            match = search(pattern, value)
            if match is not None and match.group().strip():
                yield place, match.group()


def _strings(tree: object, ref: str) -> Iterator[tuple[str, str]]:
    stack: list[tuple[str, object]] = [(ref, tree)]
    while stack:
        here, item = stack.pop()
        if isinstance(item, str):
            yield here, item
            continue
        mapping = as_mapping(item)
        children = (
            mapping.items()
            if mapping is not None
            else enumerate(as_sequence(item) or ())
        )
        stack.extend((f"{here}/{key}", child) for key, child in children)


_RUNGS: Final[
    Mapping[str, Callable[[FieldQuery, Corpus], Iterator[tuple[str, object]]]]
] = MappingProxyType(
    {"path": _by_path, "key": _by_key, "label": _by_label, "pattern": _by_pattern}
)
_TRIED: Final[Mapping[str, Callable[[FieldQuery], str]]] = MappingProxyType(
    {
        "path": lambda wanted: f"not at path {wanted.spec.path}",
        "key": lambda _: "no such key in the outputs",
        "label": lambda wanted: (
            f"no labelled line, heading or table header in the {wanted.spec.search.replace('_', ' ')}"
        ),
        "pattern": lambda wanted: (
            f"pattern {show(wanted.spec.pattern, 40)} matches nothing"
        ),
    }
)


def _json_answer(text: str | None) -> object | None:
    """The final answer as JSON object or array, if that is what it is."""
    if not text:
        return None
    body = unfenced(text)
    if body[:1] not in ("{", "["):
        return None
    try:
        parsed: object = parse_json(body)
    except ValueError:
        return None
    return parsed


def unfenced(text: str) -> str:
    """`text` without blanks around it and without one Markdown code fence that holds all of it."""
    body = text.strip()
    if body.startswith(_FENCE) and body.endswith(_FENCE) and body.count(_FENCE) == 2:
        first, _, rest = body[len(_FENCE) : -len(_FENCE)].partition("\n")
        if first.strip().casefold() in ("", "json", "jsonc", "json5"):
            return rest.strip()
    return body


def parse_json(text: str) -> Any:
    """Strict JSON: no duplicate keys, no NaN or infinity, bounded nesting.

    Raises:
        ValueError: it is none, with the place in the text.
    """
    import jiter

    return jiter.from_json(
        text.encode(), allow_inf_nan=False, catch_duplicate_keys=True
    )
