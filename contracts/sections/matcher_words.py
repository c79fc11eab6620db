"""Words of a matcher that are spelt otherwise: `{lte: 200}` is a misspelt matcher, and no object to be equal to."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from judgemesh.contracts.text.spelling import nearest

_OTHER_NAMES: Final = {
    "lte": "le",
    "gte": "ge",
    "<=": "le",
    ">=": "ge",
    "<": "lt",
    ">": "gt",
    "==": "equals",
    "=": "equals",
    "!=": "not_equals",
    "eq": "equals",
    "ne": "not_equals",
    "neq": "not_equals",
    "less_than": "lt",
    "greater_than": "gt",
    "less_or_equal": "le",
    "greater_or_equal": "ge",
    "at_least": "ge",
    "at_most": "le",
    "regex": "pattern",
    "regexp": "pattern",
    "oneof": "one_of",
    "anyof": "one_of",
    "any_of": "one_of",
    "is_in": "one_of",
    "nin": "not_equals",
    "abs_tolerance": "tolerance",
    "rel_tolerance": "relative_tolerance",
    "case_insensitive": "fold",
    "ignore_case": "fold",
    "jsonschema": "schema",
    "json_schema": "schema",
}
_REMEDIES: Final = {
    "starts_with": "{pattern: '^...'}",
    "startswith": "{pattern: '^...'}",
    "starts-with": "{pattern: '^...'}",
    "ends_with": "{pattern: '...$'}",
    "endswith": "{pattern: '...$'}",
    "icontains": "{contains: ..., fold: true}",
    "icontains_any": "{contains_any: [...], fold: true}",
    "icontains_all": "{contains_all: [...], fold: true}",
    "iequals": "{equals: ..., fold: true}",
    "not_contains": "{not: {contains: ...}}",
    "iregex": "{pattern: '(?i)...'}",
}
"""Words of other tools, and how the same is written here."""
_MONGO: Final = {"in": "one_of", "not": "not", "exists": "any"}
_ONLY_MATCHERS: Final = frozenset(
    {"equals", "not_equals", "one_of", "relative_tolerance"}
)
"""Words that no object of plain data has as its keys."""
_MIN_CHARS: Final = 5
_CUTOFF: Final = 0.85


def misspelt(keys: Collection[str], known: Collection[str]) -> str | None:
    """What is wrong with an object that was meant as a matcher; None for a matcher, and for plain data.

    Args:
        keys: the keys of the object, not empty.
        known: the words of a matcher.
    """
    unknown = [key for key in keys if key not in known]
    if not unknown:
        return None
    remedies = {key: _REMEDIES.get(key.casefold()) for key in unknown}
    if None not in remedies.values():
        return "; ".join(
            f"{key!r} is no word of a matcher; write {remedy}"
            for key, remedy in remedies.items()
        )
    meant = {key: _meant(key, known) for key in unknown}
    all_meant = None not in meant.values()
    if not all_meant and _ONLY_MATCHERS.isdisjoint(keys):
        return None
    return "; ".join(_fault(key, word, known) for key, word in meant.items())


def _meant(key: str, known: Iterable[str]) -> str | None:
    folded = key.casefold()
    if folded.startswith("$"):
        folded = folded.removeprefix("$")
        if folded in _MONGO:
            return _MONGO[folded]
    name = folded.replace("-", "_").replace(" ", "_")
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    words = list(known)
    if name in words:
        return name
    if len(name) < _MIN_CHARS:
        return None
    return nearest(name, words, cutoff=_CUTOFF)


def _fault(key: str, word: str | None, known: Iterable[str]) -> str:
    if word is None:
        return f"{key!r} is no word of a matcher; known: {', '.join(sorted(known))}"
    return (
        f"{key!r} is no word of a matcher; did you mean {word!r}? "
        "(an object to be equal to is written {equals: {...}})"
    )
