"""Whether two executions have the same kind and target."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from judgemesh.contracts.result_parts.actions import Action, ExecutionRecord
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.trace.verbs import kind_words, stem

_WORD = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"[\s<>,;\"']+")
_SPACES = re.compile(r"[\s_\-#:/.]+")
_CARRIERS: Final = frozenset(
    map(stem, ("process", "perform", "execute", "do", "issue", "run"))
)
_MESSAGES: Final = frozenset(("email", "mail", "sms", "messag", "notification", "text"))


def same_kind(left: Action | ExecutionRecord, right: Action | ExecutionRecord) -> bool:
    """Whether both have the same kind; spelling, case and verbs that say only that it was done do not count."""
    if fold_name(left.kind) == fold_name(right.kind):
        return True
    return _acts(left.kind) == _acts(right.kind)


@lru_cache(maxsize=4_096)
def _acts(kind: str) -> frozenset[str] | str:
    """The stems of the words that say what is done: `process_refund` and `refund` have the same."""
    stems = frozenset(map(stem, kind_words(kind)))
    if stems & _MESSAGES and "send" in stems:
        stems -= {"send"}
    return (stems - _CARRIERS) or stems or kind


def same_target(left: str | None, right: str | None) -> bool:
    """Whether both are given and name the same thing."""
    if left is None or right is None:
        return False
    return left == right or _same_target(left, right)


def same_target_or_none(left: str | None, right: str | None) -> bool:
    """Whether both name the same thing, or neither names any."""
    return (left is None and right is None) or same_target(left, right)


@lru_cache(maxsize=4_096)
def _same_target(left: str, right: str) -> bool:
    first, second = _folded(left), _folded(right)
    if _SPACES.sub("", first) == _SPACES.sub("", second):
        return True
    if "@" in first and "@" in second:
        return _address(first) == _address(second)
    words, others = set(_WORD.findall(first)), set(_WORD.findall(second))
    shared, apart = words & others, words ^ others
    if not (words <= others or others <= words):
        return False
    return _has_digit(shared) and not _has_digit(apart)


def _has_digit(words: set[str]) -> bool:
    return any(character.isdigit() for word in words for character in word)


def _address(text: str) -> str:
    """The e-mail address in `Ann <ann@shop.example>`."""
    for part in _PARTS.split(text):
        if "@" in part[1:-1]:
            return part
    return text


@lru_cache(maxsize=1_024)
def _folded(target: str) -> str:
    return plain(target).strip().casefold()
