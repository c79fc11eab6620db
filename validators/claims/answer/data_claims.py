"""What structured data states: sentences among its texts, and figures under keys that mean something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from judgemesh.validators._shared.values import (
    as_mapping,
    as_sequence,
    is_container,
    is_number,
)
from judgemesh.validators.claims.answer.key_units import measured
from judgemesh.validators.claims.answer.keyed import (
    UNIT_KEYS,
    Keyed,
    label_of,
    subject_of,
    unit_of,
)

_SILENT_KEYS: Final = frozenset(
    {
        "id", "ids", "uuid", "confidence", "score", "index", "page", "pages", "version", "timestamp", "rank", "step",
        "steps", "token", "tokens", "latency", "citation", "citations", "reference", "references", "source", "sources",
        "url", "urls", "link", "schema", "type", "language", "format", "reasoning", "rationale", "thought", "thoughts",
        "question", "query", "quote", "evidence", "document", "documents", "passage", "passages", "usage", "metadata",
        "offset", "length", "request", "prompt",
    }
)  # fmt: skip
"""Last words of keys that administer, or that hold what the agent points to."""
_MAX_LEAVES: Final = 2_000
_MAX_NAME_WORDS: Final = 4
_MIN_SENTENCE_BLANKS: Final = 2
_VALUE_KEYS: Final = frozenset(
    {"answer", "final answer", "value", "result", "output", "response", "text"}
)


class DataStatement(NamedTuple):
    """A statement in data: a text of sentences, or a value under a key; where it stands."""

    ref: str
    text: str = ""
    keyed: Keyed | None = None


class _Node(NamedTuple):
    ref: str
    key: str
    about: str
    value: object


def statements_in(root: object, ref: str, about: str = "") -> Iterator[DataStatement]:
    """The statements of a value, those of outer objects first; keys that only administer are left out."""
    nodes = [_Node(ref, "", about, root)]
    for _ in range(_MAX_LEAVES):
        if not nodes:
            return
        node = nodes.pop(0)
        mapping = as_mapping(node.value)
        if mapping is not None:
            nodes += _children(node, mapping)
        elif is_container(node.value):
            entries = enumerate(as_sequence(node.value) or ())
            nodes += [
                node._replace(ref=f"{node.ref}/{index}", value=entry)
                for index, entry in entries
            ]
        else:
            yield from _leaf(node)


def _children(node: _Node, mapping: Mapping[str, object]) -> Iterator[_Node]:
    key_about = (
        "" if label_of(node.key).casefold() in _VALUE_KEYS else label_of(node.key)
    )
    about = subject_of(mapping) or _named(mapping) or node.about or key_about
    unit = unit_of(mapping)
    for key, value in mapping.items():
        words = label_of(key).casefold().split()
        if not words or words[-1] in _SILENT_KEYS or words[-1] in UNIT_KEYS:
            continue
        with_unit = f"{value} {unit}" if is_number(value) and unit else value
        yield _Node(f"{node.ref}/{key}", key, about, with_unit)


def _named(mapping: Mapping[str, object]) -> str:
    """The first short text in an object: what it is probably about."""
    for key, value in mapping.items():
        if label_of(key).casefold() in {*UNIT_KEYS, *_VALUE_KEYS, "status"}:
            continue
        if not isinstance(value, str) or not 0 < len(value.split()) <= _MAX_NAME_WORDS:
            continue
        if value[:1].isupper() and not value.isupper():
            return value
    return ""


def _leaf(node: _Node) -> Iterator[DataStatement]:
    value = node.value
    label = label_of(node.key)
    if isinstance(value, bool) or value is None:
        return
    text = str(value).strip()
    if (
        isinstance(value, str)
        and (text.count(" ") >= _MIN_SENTENCE_BLANKS and not _is_figure(text))
    ) or (label.casefold() in _VALUE_KEYS and isinstance(value, str)):
        yield DataStatement(node.ref, text=text)
    elif label and any(character.isdigit() for character in text):
        about = "" if text in node.about else node.about
        yield DataStatement(node.ref, keyed=measured(Keyed(label, text, about)))


def _is_figure(text: str) -> bool:
    """Whether a text of a few words is a value with its unit, such as `3 May 1990` or `900 full time staff`."""
    return text[:1].isdigit() and len(text.split()) <= _MAX_NAME_WORDS
