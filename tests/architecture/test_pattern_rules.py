"""No pattern that reads an agent's text tries every letter of a long word as a start and reads on to the word's end.

Runs of blanks and of one sign are shortened before a validator reads a result (`mesh/grading/case/long_runs.py`); words are
not. A search for `\\w+:` in a word of 40,000 letters takes 800 million steps. So a pattern may not begin with an
unbounded repeat of letters or digits, unless something in front of it stops all starts but one (`\\b`, a look-behind,
an anchor). What is only matched at one place (`match`, `fullmatch`), or on texts that are short, is in a table.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, Final, TypeGuard, cast

import pytest

_parser = cast("Any", importlib.import_module("re._parser"))
_words = cast("Any", importlib.import_module("re._constants"))

PACKAGES: Final = (
    "judgemesh.contracts",
    "judgemesh.validators",
    "judgemesh.mesh.judging.prompting",
    "judgemesh.mesh.grading",
)
_LETTERS: Final = "aZ5"
_LONG: Final = 200
_CHECKS: Final = (_words.AT, _words.ASSERT, _words.ASSERT_NOT)
MATCHED_AT_ONE_PLACE: Final[Mapping[str, str]] = {
    "validators.permissions.arguments._WORDS": "a look-ahead gives back one letter",
    "validators._shared.answer.statements._WORDS": "a look-ahead gives back one letter",
    "validators._shared.answer.announced._FORMS": "whole texts (`fullmatch`)",
    "validators._shared.numbers.numbers._FORMS": "whole texts (`fullmatch`)",
}


def _patterns(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """The patterns of a module's value: itself, or in tuples, lists, sets and tables."""
    if isinstance(value, re.Pattern):
        pattern = cast("re.Pattern[Any]", value)
        if isinstance(pattern.pattern, str):
            yield pattern
    elif _makes_patterns(value):
        yield from _patterns(value(), depth + 1)
    elif depth < 4 and isinstance(value, Mapping):
        for pair in cast("Mapping[object, object]", value).items():
            yield from _patterns(pair, depth + 1)
    elif depth < 4 and isinstance(value, tuple | list | set | frozenset):
        for item in cast("tuple[object, ...]", value):
            yield from _patterns(item, depth + 1)


def _makes_patterns(value: object) -> TypeGuard[Callable[[], object]]:
    """Whether it is a function that compiles patterns when they are first needed."""
    function = getattr(value, "__wrapped__", None)
    if not inspect.isfunction(function) or function.__code__.co_argcount:
        return False
    return "re.Pattern" in str(function.__annotations__.get("return"))


def _modules() -> Iterator[ModuleType]:
    for name in PACKAGES:
        package = importlib.import_module(name)
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            yield importlib.import_module(found.name)


def _repeats_letters(items: Any, *, more: bool = False) -> bool:
    """Whether a search may begin anywhere in a word with a long repeat, and then need something else.

    `more`: something that has to follow stands behind the sequence. A repeat that is enough by itself always matches.
    """
    for index, (operation, value) in enumerate(items):
        if operation in (_words.AT, _words.ASSERT, _words.ASSERT_NOT):
            if _stops(operation, value):
                return False
            continue
        rest = items[index + 1 :]
        follows = more or _width(rest) > 0 or any(one[0] in _CHECKS for one in rest)
        begins, may_be_empty = _begins(operation, value, more=follows)
        if begins:
            return True
        if not may_be_empty:
            return False
    return False


def _stops(operation: Any, value: Any) -> bool:
    """Whether an assertion lets a search start at few places of a word only."""
    if operation is _words.AT:
        return value is not _words.AT_NON_BOUNDARY
    direction, _ = value
    return bool(direction < 0)


def _begins(operation: Any, value: Any, *, more: bool) -> tuple[bool, bool]:
    """Whether one element begins with a long repeat of letters, and whether it may match nothing."""
    if operation in (_words.MAX_REPEAT, _words.MIN_REPEAT, _words.POSSESSIVE_REPEAT):
        least, most, inside = value
        long_run = most > _LONG and len(inside) == 1 and _holds_letters(inside[0])
        return (long_run and more) or _repeats_letters(inside, more=more), least == 0
    if operation is _words.SUBPATTERN:
        return _repeats_letters(value[3], more=more), _width(value[3]) == 0
    if operation is _words.ATOMIC_GROUP:
        return _repeats_letters(value, more=more), _width(value) == 0
    if operation is _words.BRANCH:
        choices = value[1]
        begins = any(_repeats_letters(choice, more=more) for choice in choices)
        return begins, 0 in map(_width, choices)
    return False, False


def _width(items: Any) -> int:
    """The fewest characters that a sequence matches."""
    return int(items.getwidth()[0])


def _holds_letters(item: Any) -> bool:
    """Whether a single element stands for any letter or digit of a word."""
    state = _parser.parse("a")
    state.data = [item]
    compiled = cast("Any", importlib.import_module("re._compiler")).compile(state)
    return any(compiled.fullmatch(letter) is not None for letter in _LETTERS)


def _matched_at_one_place(module: ModuleType, name: str) -> bool:
    """Whether its module only uses the pattern with `match` and `fullmatch`."""
    uses = set(re.findall(rf"\b{name}(?:\(\))?\.([a-z]+)\b", inspect.getsource(module)))
    return bool(uses) and uses <= {"match", "fullmatch"}


def _offending() -> dict[str, str]:
    found: dict[str, str] = {}
    for module in _modules():
        for name, value in vars(module).items():
            for pattern in _patterns(value):
                tree = _parser.parse(pattern.pattern, pattern.flags)
                if _repeats_letters(tree) and not _matched_at_one_place(module, name):
                    where = f"{module.__name__.removeprefix('judgemesh.')}.{name}"
                    found.setdefault(where, pattern.pattern)
    return found


def test_no_search_starts_at_every_letter_of_a_word() -> None:
    found = _offending()
    new = {where: found[where] for where in found.keys() - MATCHED_AT_ONE_PLACE.keys()}
    assert not new, "\n".join(f"{where}: {text[:90]}" for where, text in new.items())


def test_the_table_names_no_pattern_that_keeps_the_rule() -> None:
    assert MATCHED_AT_ONE_PLACE.keys() <= _offending().keys()


@pytest.mark.parametrize(
    ("pattern", "offends"),
    [
        (r"\w+:", True),
        (r"(?:the )?[a-z-]*x", True),
        (r"a|[0-9]+%", True),
        (r"\b\w+:", False),
        (r"(?<!\w)\w+:", False),
        (r"\w{1,40}:", False),
        (r"\s*:", False),
        (r"x\w+", False),
        (r"\w+", False),
        (r"\w+$", True),
    ],
)
def test_the_rule_notices(pattern: str, offends: bool) -> None:
    assert _repeats_letters(_parser.parse(pattern)) is offends
