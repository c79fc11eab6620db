"""What a sentence without any telling word says of a tool's work: by its form, and by what it shares with the call.

`See you on Monday at 9`, `Fitting: Tuesday 14:30` and `The right aid is now at 12 dB` are what the work comes to.
`Mould cracked.` has nothing to do with what `cast_bell` was called with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Final

from judgemesh.contracts.text.word_sets import word_set
from judgemesh.validators._shared.trace.replaced_values import names_another
from judgemesh.validators._shared.trace.status import status_key
from judgemesh.validators._shared.trace.told_events import (
    does_the_role,
    is_about_another,
    tells_event,
)
from judgemesh.validators._shared.trace.verbs import (
    acts,
    bare_name,
    hands_over_text,
    kind_words,
    stem,
    stems_of,
    tests,
    undertakes,
    undoes,
)
from judgemesh.validators._shared.values import as_mapping, as_sequence

_MAX_VALUE_CHARS: Final = 200
_MAX_VALUES: Final = 40
_MIN_LETTERS: Final = 3
_MAX_NAME_WORDS: Final = 4
_WORD: Final = re.compile(r"[^\W_]+")
_ARTICLES: Final = """
    the a an your our my this that der die das den dem ein eine ihr ihre ihren le la les un une votre el los las su sus
"""
_PREPOSITIONS: Final = (
    "with to for from on in at by of into about up down out off over back"
)
_ANY_NAME: Final = stems_of(
    "name type kind date time day with from into for number code value values user text item items data list action"
)
"""Words that nearly every call has, so that sharing them is no relation."""
_TEXTS: Final = stems_of(
    "answer input output content text page result message note caption question query thought step plan rate table time"
    " price level schedule temperature summary report data score distance location address number code name date rating"
    " review direction route quote menu capacity availability stock inventory policy rule profile value definition"
    " recipe transcript title count total cost limit map image file code snippet context memory prompt screen element"
    " field agent"
)
"""Nouns at the end of a tool's name for what it hands over: `exchange_rate`, `tide_table`."""
_OUTPUTS: Final = _TEXTS | stems_of(
    "script sql shell bash job workflow pipeline program tool python cell notebook task analysis benchmark eval"
    " experiment suite build lint process function macro model simulation backtest"
)
"""What has an output when it is run."""
_PROGRAM: Final = re.compile(r".*(?:[^s]s|er|or|ing|ion|ity|ance|ence)$")
"""How the name of a program, a process or a list ends."""
_VERB: Final = re.compile(r".{3,}(?:[^lm]ate|ise|ize|ify)$")
_NO_VERBS: Final = "certificate candidate corporate private estimate delegate expertise enterprise exercise"
"""Nouns and adjectives with the ending of a verb."""


def leaves_open(text: str, tool: str, arguments: Mapping[str, object]) -> bool:
    """Whether a sentence that has no telling word leaves open whether the tool did its work.

    Args:
        text: the sentence, as `without_absent_faults` returns it.
        tool: the tool's name.
        arguments: what the tool was called with.
    """
    does = acts(tool)
    if not does and not _may_act(tool, frozenset(arguments)):
        return False
    key = status_key(text)
    shared = _shared(key, tool, arguments)
    if _tells_outcome(text, key, tool, arguments, shares=bool(shared)):
        return False
    if does or not shared or _adverse().search(key) is not None:
        return True
    return (
        is_about_another(key, shared)
        or tells_event(key, tool)
        or names_another(text, arguments)
    )


@lru_cache(maxsize=1_024)
def _may_act(tool: str, keys: frozenset[str]) -> bool:
    """Whether a tool whose verb no table knows is named after a work: `cast_bell`, `vaccinate`; not `exchange_rate`.

    The word behind a verb is its object, and often the name of an argument as well.
    """
    words = kind_words(bare_name(tool))
    if not words or hands_over_text(tool) or tests(tool):
        return False
    if undertakes(tool) and not _runs_a_thing(words, keys):
        return False
    if words[0] not in word_set(_NO_VERBS) and _VERB.match(words[0]):
        return True
    objects = frozenset(map(stem, words[1:]))
    if not objects or words[1] in word_set(_PREPOSITIONS) or _names_text(words[-1]):
        return False
    named = {stem(word) for key in keys for word in kind_words(key)}
    if not objects.isdisjoint(named):
        return True
    return len(words) <= _MAX_NAME_WORDS and _PROGRAM.match(words[-1]) is None


def _runs_a_thing(words: tuple[str, ...], keys: frozenset[str]) -> bool:
    """Whether a tool runs what one of its arguments names, and that is no program with an output: `run_show`."""
    if words[0] != "run" or not _OUTPUTS.isdisjoint(map(stem, words[1:])):
        return False
    return any(word in kind_words(key) for word in words[1:] for key in keys)


def _names_text(word: str) -> bool:
    """Whether a word is a noun for what a tool hands over, or ends in one: `timetable`."""
    endings = ("table", "time", "date", "list", "sheet", "base")
    return stem(word) in _TEXTS or word.endswith(endings)


def _shared(key: str, tool: str, arguments: Mapping[str, object]) -> frozenset[str]:
    """The stems that a sentence has in common with the tool's name and with what it was called with."""
    words = set(kind_words(bare_name(tool)))
    for part in _texts(arguments.values()):
        words.update(_WORD.findall(status_key(part)))
    telling = {
        word for word in words if len(word) >= _MIN_LETTERS or not word.isalpha()
    }
    stems = frozenset(map(stem, telling)) - _ANY_NAME - word_set(_ARTICLES)
    return stems & _stems(key)


def _stems(key: str) -> frozenset[str]:
    return frozenset(map(stem, _WORD.findall(key)))


def _texts(values: Iterable[object]) -> list[str]:
    """The short texts and numbers among some values, at any depth."""
    stack, found = list(values), list[str]()
    while stack and len(found) < _MAX_VALUES:
        value = stack.pop()
        mapping, sequence = as_mapping(value), as_sequence(value)
        if mapping is not None:
            stack.extend(mapping.values())
        elif sequence is not None:
            stack.extend(sequence)
        elif value is not None and not isinstance(value, bool):
            found.append(str(value)[:_MAX_VALUE_CHARS])
    return found


def _tells_outcome(
    text: str, key: str, tool: str, arguments: Mapping[str, object], *, shares: bool
) -> bool:
    """Whether a sentence is what the work comes to: a welcome, a value under the tool's noun, or the new state."""
    if _adverse().search(key):
        return False
    if _farewell().search(key) or (shares and _welcome().search(key)):
        return True
    if shares and (_hands_out(text, tool) or _is_state_of(key, tool)):
        return True
    if does_the_role(key, tool, arguments):
        return True
    moved = _now().search(key)
    if moved is None:
        return False
    behind = _stems(key[moved.end() :])
    parts = map(_stems, map(status_key, _texts(arguments.values())))
    return any(words and words <= behind for words in parts)


def _hands_out(text: str, tool: str) -> bool:
    """Whether a text is the tool's noun with a value behind a colon: `Here is your ticket: F-20881`."""
    label, colon, value = text.partition(": ")
    if not colon or not any(map(str.isdigit, value)):
        return False
    key = _opener().sub("", status_key(label))
    words = [word for word in key.split() if word not in word_set(_ARTICLES)]
    objects = frozenset(map(stem, kind_words(bare_name(tool))))
    if not words or stem(words[0]) not in objects:
        return False
    rest = words[1:]
    while rest and stem(rest[0]) in objects:
        rest = rest[1:]
    return not rest or _preposition().match(rest[0]) is not None


def _is_state_of(key: str, tool: str) -> bool:
    """Whether a sentence gives a thing the quality that the tool's verb names: `H1 is empty`, `The call is off`."""
    state = _predicate().search(key)
    if state is None:
        return False
    verb = kind_words(bare_name(tool))[0]
    qualities = {verb, verb.removesuffix("en")}
    return state[1] in qualities or (state[1] == "off" and undoes(tool))


# Few sentences come here: the patterns are compiled when the first does.


@cache
def _adverse() -> re.Pattern[str]:
    """Words that say that a state lasts, that there is too much or too little, or that another has it."""
    return re.compile(
        r"\b(?:lacks?|lacking|missing|misses|leaks?|leaking"
        r"|still|yet|stay(?:s|ed)?|remain(?:s|ed)?|too|only|but|beyond|without|out of|instead|else|elsewhere"
        r"|otherwise|first|next|earliest|alternative|by (?:the|a|an|another|some(?:one|body))"
        r"|noch|bleib[te]n?|stattdessen|anders|ohne|encore|toujours|reste(?:nt)?|trop|sans|ailleurs"
        r"|todavia|aun|sigue|demasiado|sin)\b"
    )


@cache
def _farewell() -> re.Pattern[str]:
    """How one parts until an appointment."""
    return re.compile(
        r"\bsee you(?: and \w+| all| both)? (?:on|at|in|there|then|soon|tomorrow|tonight|next)\b"
        r"|\blook(?:ing)? forward to (?:see|seeing|meet|meeting|welcom|having|hosting|your visit)"
        r"|\b(?:is|are) (?:all )?yours\b|\bgehort (?:ihnen|dir)\b|\best a vous\b|\bes (?:suy[oa]|tuy[oa])\b"
        r"|\bwir freuen uns auf (?:sie|dich|euch|ihren besuch)\b|^bis (?:dann|morgen|\w+tag)\b"
        r"|\bnous vous attendons\b|\bau plaisir de vous\b"
        r"|^a (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain)\b"
        r"|\b(?:le|te|os|les) esperamos\b|\bnos vemos (?:el|en|a)\b"
    )


@cache
def _welcome() -> re.Pattern[str]:
    return re.compile(
        r"^(?:welcome|willkommen|herzlich willkommen|bienvenue|bienvenid[oa]s?|benvenut[oaie]"
        r"|you'?re (?:on|in|down for)|you are (?:on|in|down for))\b"
    )


@cache
def _now() -> re.Pattern[str]:
    """That a state is new."""
    return re.compile(r"\w\s+(?:now|jetzt|nun|maintenant|desormais|ahora)\b")


@cache
def _predicate() -> re.Pattern[str]:
    """The quality that a sentence gives its subject."""
    return re.compile(
        r"\b(?:is|are|now) (?:now |all |again )?([a-z]+)(?= again| now| and|[.,;]| since| from| as of|$)"
    )


@cache
def _opener() -> re.Pattern[str]:
    return re.compile(
        r"^(?:(?:here|this|that)(?: is|'s| are) |(?:hier ist|voici|aqui esta) )?(?:new |neue[rs]? )?"
    )


@cache
def _preposition() -> re.Pattern[str]:
    return re.compile(
        r"(?:for|of|with|to|on|at|in|by|no|nr|id|code|number|fur|mit|am|von|pour|avec|du|de|para|con)$"
    )
