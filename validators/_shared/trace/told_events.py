"""What a sentence tells of a tool whose verb no table knows: a state of the thing named, or what happened to it.

`Bed 3 is wet` is about what `water_bed` was called with. `Bella bit the vet.` tells what happened instead of the work,
and `Wind is at 8 m/s in row 7.` is about something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from judgemesh.contracts.text.word_sets import word_set
from judgemesh.validators._shared.trace.status import status_key
from judgemesh.validators._shared.trace.verbs import (
    bare_name,
    brought_about,
    kind_words,
    stem,
)
from judgemesh.validators._shared.values import is_number

_WORD: Final = re.compile(r"[^\W_]+")
_PAST: Final = re.compile(r"(?:[^\We]|e)+ed")
_MIN_PAST: Final = 5
_IRREGULAR: Final = """
    bit broke burst blew bled fell fled flew froze lost sank shrank slid snapped spat split stole tore threw wept woke
    came forgot hid rose sprang stank stuck stung swore slept sat leapt crept hung swung rang ate bent choked died drew
    withdrew went left quit shut spilt burnt shook slipped
"""
"""Past tenses of English verbs that have no ending; a closed class."""
_ACHIEVED: Final = """
    reached ended received arrived succeeded returned started opened ordered moved placed passed used named called
    signed marked based painted coloured needed connected attached linked installed fitted
"""
"""Past tenses with which a sentence says what came of the work, or what a thing is called."""
_UNTOLD: Final = """
    the a an your our my this that der die das den dem ein eine ihr ihre le la les un une votre el los las su sus all
    both new neue nouveau nueva of for
"""
_ROLE: Final = re.compile(r"(\w{4,})(?:er|or)")
_MIN_VALUES: Final = 2
_MIN_LETTERS: Final = 3


def is_about_another(key: str, shared: frozenset[str]) -> bool:
    """Whether what a sentence begins with is neither a figure nor in common with the call.

    Args:
        key: the sentence in the form of `status_key`.
        shared: the stems that it has in common with the call.
    """
    words = [word for word in _WORD.findall(key) if word not in word_set(_UNTOLD)]
    while len(words) > 1 and len(words[0]) < _MIN_LETTERS and words[0].isalpha():
        words = words[1:]
    if not words or words[0][0].isdigit():
        return False
    return stem(words[0]) not in shared


def tells_event(key: str, tool: str) -> bool:
    """Whether a sentence has a past tense of another verb than the tool's: `jammed`, `fell`."""
    own = brought_about(tool)
    told = word_set(_IRREGULAR)
    plain = word_set(_ACHIEVED)
    return any(
        word in told
        or (len(word) >= _MIN_PAST and word not in plain and _PAST.fullmatch(word))
        for word in re.sub(r",\s*\w+ed\b", "", key).split()
        for word in _WORD.findall(word)
        if stem(word) not in own
    )


def does_the_role(key: str, tool: str, arguments: Mapping[str, object]) -> bool:
    """Whether somebody does what the role is named after, and all values of the call are named: `Ann drives run 12`."""
    words = _WORD.findall(key)
    stems = set(map(stem, words))
    values = [_stems_of(value) for value in arguments.values()]
    if len(values) < _MIN_VALUES or not all(
        value and value <= stems for value in values
    ):
        return False
    return any(
        word.startswith(role) and word not in nouns and len(word) <= len(role) + 2
        for role, nouns in _roles((tool, *arguments))
        for word in words
    )


def _stems_of(value: object) -> frozenset[str]:
    """The stems of a short text or a number; none of anything else."""
    is_read = isinstance(value, str) or is_number(value)
    return (
        frozenset(map(stem, _WORD.findall(status_key(str(value)))))
        if is_read
        else frozenset()
    )


def _roles(names: Iterable[str]) -> list[tuple[str, frozenset[str]]]:
    """The verbs that nouns among some names are made of, each with the noun: `driv` of `driver`."""
    found: list[tuple[str, frozenset[str]]] = []
    for word in (word for name in names for word in kind_words(bare_name(name))):
        noun = word.removesuffix("s")
        role = _ROLE.fullmatch(noun)
        if role is not None:
            found.append((role[1], frozenset({noun, f"{noun}s"})))
    return found
