"""What tools returned, as evidence texts: without what merely repeats what the agent wrote.

A tool that stores and returns what it was given says nothing of its own. So a sentence or a value of a result counts
only where the agent did not write it into a call or a turn before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.results import AgentResult
from judgemesh.validators._shared.json_answers import json_answer
from judgemesh.validators._shared.trace.transcript import (
    ASSISTANT_ROLES,
    step_failed,
    step_ref,
)
from judgemesh.validators._shared.values import (
    as_mapping,
    as_sequence,
    is_container,
    is_number,
    json_text,
    strings,
)
from judgemesh.validators.claims.answer.keyed import label_of, subject_of, unit_of
from judgemesh.validators.claims.language.sentences import split
from judgemesh.validators.claims.language.words import words_only

_TOOL_ROLES: Final = frozenset(
    {"tool", "function", "observation", "environment", "tool_result"}
)
_MAX_WRITTEN_CHARS: Final = 500_000
_MIN_WORDS: Final = 3
_MAX_OWN_WORDS: Final = 4
_DIGIT = re.compile(r"\d")
_MAX_OBJECTS: Final = 5_000
_ID_WORDS: Final = ("id", "name", "number", "ref", "reference", "code", "key", "title")


class ToolText(NamedTuple):
    """A tool's result as text: where it stands, and the names it can be cited by."""

    ref: str
    text: str
    names: tuple[str, ...]


class _Written:
    """What the agent has written so far: its sentences, and the values of its arguments."""

    def __init__(self) -> None:
        self._words = " "
        self._sentences: set[str] = set()
        self._values: set[str] = set()

    def add(self, step: TraceStep) -> None:
        """Take in the arguments of a call, or a turn of the agent."""
        texts = [text for _, text in strings(step.arguments, "")]
        if step.content and (step.role or "").casefold() in ASSISTANT_ROLES:
            texts.append(step.content)
        for text in texts:
            if len(self._words) < _MAX_WRITTEN_CHARS:
                self._words += f"|{words_only(text)}"
                sentences = (words_only(piece) for _, piece in split(text))
                self._sentences.update(filter(_is_several_words, sentences))
        self._values.update(_scalars(step.arguments))

    def repeats(self, text: str) -> bool:
        """Whether a text says nothing beside what the agent wrote before: `Saved: ` and its note."""
        words = words_only(text)
        if _is_several_words(words) and words in self._words:
            return True
        rest = words
        for sentence in self._sentences:
            if sentence in rest:
                rest = rest.replace(sentence, " ")
        is_said_anew = _DIGIT.search(rest) or len(rest.split()) > _MAX_OWN_WORDS
        return rest != words and not is_said_anew

    def gave(self, value: object) -> bool:
        """Whether the agent gave a value in a call."""
        return _folded_value(value) in self._values


def _says_something(text: str) -> bool:
    """Whether a text is more than `ok` or `saved`."""
    return len(text.split()) >= _MIN_WORDS or _DIGIT.search(text) is not None


def _is_several_words(words: str) -> bool:
    return len(words.split()) > 1


def tool_texts(result: AgentResult) -> Iterator[ToolText]:
    """The results of the tools of a trace that did not fail, in order."""
    written = _Written()
    steps = result.trace.steps if result.trace else ()
    for index, step in enumerate(steps):
        written.add(step)
        returned = _returned(step)
        if returned is None or step_failed(step):
            continue
        text = _own_text(returned, written)
        if _says_something(text):
            ref = f"trace:{step_ref(step, index)}"
            names = (ref, step_ref(step, index)) if step.step_id else (ref,)
            yield ToolText(ref, text, (*names, *filter(None, [step.tool_name])))


def _returned(step: TraceStep) -> object | None:
    """What a tool returned: a call's result, or the content of a tool's message."""
    returned: object = step.result
    if returned is not None:
        return returned
    if (step.role or "").casefold() in _TOOL_ROLES:
        return step.content
    return None


def _own_text(returned: object, written: _Written) -> str:
    value = returned
    if isinstance(returned, str):
        parsed = json_answer(returned)
        if parsed is None:
            pieces = [piece for _, piece in split(returned)]
            return "\n\n".join(piece for piece in pieces if not written.repeats(piece))
        value = parsed
    if not is_container(value):
        return "" if written.gave(value) else json_text(value)
    return "\n\n".join(_sentences(value, written))


def _sentences(root: object, written: _Written) -> Iterator[str]:
    """Each value of each object in a result as a sentence that names what it is about."""
    stack: list[tuple[str, str, object]] = [("", "", root)]
    for _ in range(_MAX_OBJECTS):
        if not stack:
            return
        about, key, value = stack.pop()
        mapping = as_mapping(value)
        if mapping is not None:
            yield from _object_sentences(mapping, about or label_of(key), written)
            subject = subject_of(mapping) or about or label_of(key)
            stack += [
                (subject, inner_key, inner)
                for inner_key, inner in mapping.items()
                if is_container(inner)
            ]
            continue
        for entry in as_sequence(value) or ():
            if is_container(entry):
                stack.append((about, key, entry))
            elif not _is_echo(key, entry, written):
                label = label_of(key)
                yield f"{about} {label}: {entry}." if label else f"{entry}"


def _object_sentences(
    mapping: Mapping[str, object], about: str, written: _Written
) -> Iterator[str]:
    subject = subject_of(mapping) or about
    unit = unit_of(mapping)
    for key, given in mapping.items():
        if is_container(given) or given is None or _is_echo(key, given, written):
            continue
        label = label_of(key)
        value = f"{given} {unit}" if unit and is_number(given) else given
        if isinstance(value, str) and value.count(" ") > 3:
            yield value
        elif subject and str(value) not in subject:
            yield f"The {label} of {subject} is {value}."
            yield f"{subject} {label} {value}."
        else:
            yield f"{label}: {value}."


def _is_echo(key: str, value: object, written: _Written) -> bool:
    """Whether the agent wrote the value itself; an id or a name that it gave still says what the rest is about."""
    if isinstance(value, str) and written.repeats(value):
        return True
    if not written.gave(value):
        return False
    return not label_of(key).casefold().endswith(_ID_WORDS)


def _scalars(root: object) -> Iterator[str]:
    stack: list[object] = [root]
    while stack:
        value = stack.pop()
        mapping = as_mapping(value)
        if mapping is not None:
            stack += mapping.values()
        elif is_container(value):
            stack += as_sequence(value) or ()
        elif value is not None:
            yield _folded_value(value)


def _folded_value(value: object) -> str:
    return words_only(str(value)).strip()
