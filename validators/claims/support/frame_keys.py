"""Which sentences can have a frame of a claim, told by their words alone: no other sentence is taken apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from judgemesh.validators.claims.language.frame_words import (
    DIMENSION_NAMES,
    GENERIC_AGENTS,
    MEASURES,
    SAME_PROPERTY,
)
from judgemesh.validators.claims.language.tokens import Kind, Token
from judgemesh.validators.claims.language.vocabulary import PREPOSITIONS
from judgemesh.validators.claims.support.frames import Frame, iter_tokens
from judgemesh.validators.claims.support.naming import Names

_WORKED_OUT: Final = frozenset(
    {"of", "be", *GENERIC_AGENTS, *MEASURES.values(), *DIMENSION_NAMES.values()}
    | {*SAME_PROPERTY, *SAME_PROPERTY.values(), *PREPOSITIONS}
)
"""Words that a frame may have though its sentence does not; of prepositions, some say the same as others."""


def needed_keys(frames: Iterable[Frame]) -> set[frozenset[str]]:
    """For each frame of a claim, the words without which no sentence has that frame."""
    return {
        frozenset(_plain(token.key) for token in iter_tokens(frame) if _is_said(token))
        - _WORKED_OUT
        for frame in frames
    }


def stated_keys(keys: Iterable[str], names: Names) -> frozenset[str]:
    """The words that the frames of a sentence can have: its own, and the full names of what it speaks of."""
    found = {_plain(key) for key in keys}
    for noun in found & names.keys():
        found.update(_plain(token.key) for token in names[noun])
    return frozenset(found)


def may_have(needed: Iterable[frozenset[str]], keys: frozenset[str]) -> bool:
    """Whether a sentence with these words can have one of the frames."""
    return any(one <= keys for one in needed)


def _is_said(token: Token) -> bool:
    return token.kind is Kind.WORD and token.quantity is None and not token.is_time


def _plain(key: str) -> str:
    return key.removesuffix("'s").removesuffix("+ed")
