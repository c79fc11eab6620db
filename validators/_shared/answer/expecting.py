"""Whether a value that an agent wrote is the one that a contract expects.

The value may be JSON or a piece of text: `42`, `"$42.00"`, `42 km (26 miles)`, `Paris.`. White space, quotes, Markdown
and a final full stop never count; letter case does, unless `fold` is set. Outcomes are as for matchers: it holds, it
does not, or nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.sections.section import Conditions, Matcher
from judgemesh.validators._shared.answer.expected_numbers import keeps_bound
from judgemesh.validators._shared.answer.measured import measured
from judgemesh.validators._shared.answer.same_value import same_value
from judgemesh.validators._shared.answer.stated import Stated, tidy
from judgemesh.validators._shared.equality import Truth, fold_prose
from judgemesh.validators._shared.json_answers import json_values
from judgemesh.validators._shared.matching import BOUNDS, matches
from judgemesh.validators._shared.regex import search
from judgemesh.validators._shared.schemas import schema_of
from judgemesh.validators._shared.text import typed
from judgemesh.validators._shared.values import json_text

_EMPHASIS: Final = re.compile(
    r"`+|\*\*|(?<!\w)[*_]{1,3}(?=[^\s*_])|(?<=[^\s*_])[*_]{1,3}(?!\w)"
)
_MAX_PHRASE_WORDS: Final = 4


def fulfils(conditions: Conditions, stated: Stated, units: Sequence[str] = ()) -> Truth:
    """Whether a stated value fulfils all conditions.

    Raises:
        ValueError: a pattern or schema of the contract is none.
    """
    stated = measured(conditions, stated)
    certain = True
    for name in conditions.model_fields_set:
        check = _CHECKS.get(name)
        if check is None:
            continue
        holds = check(conditions, stated, units)
        if holds is False:
            return False
        certain = certain and holds is True
    return True if certain else None


_Check = Callable[[Conditions, Stated, Sequence[str]], Truth]


def _equals(conditions: Conditions, stated: Stated, units: Sequence[str]) -> Truth:
    return same_value(conditions, conditions.equals, stated, units)


def _not_equals(conditions: Conditions, stated: Stated, units: Sequence[str]) -> Truth:
    return _negated(same_value(conditions, conditions.not_equals, stated, units))


def _one_of(conditions: Conditions, stated: Stated, units: Sequence[str]) -> Truth:
    outcomes = {
        same_value(conditions, choice, stated, units)
        for choice in conditions.one_of or ()
    }
    if True in outcomes:
        return True
    return None if None in outcomes else False


def _not(conditions: Conditions, stated: Stated, units: Sequence[str]) -> Truth:
    if conditions.not_ is None:
        return True
    return _negated(fulfils(conditions.not_, stated, units))


def _negated(holds: Truth) -> Truth:
    return None if holds is None else not holds


def _pattern(conditions: Conditions, stated: Stated, _units: Sequence[str]) -> Truth:
    pattern: str | None = getattr(conditions, "pattern", None)
    return pattern is None or search(pattern, _text_of(stated.value)) is not None


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else json_text(value)


def _contains(conditions: Conditions, stated: Stated, _units: Sequence[str]) -> Truth:
    return conditions.contains is None or _holds_part(
        conditions, conditions.contains, stated.searched
    )


def _contains_all(
    conditions: Conditions, stated: Stated, _units: Sequence[str]
) -> Truth:
    return all(
        _holds_part(conditions, part, stated.searched)
        for part in conditions.contains_all or ()
    )


def _contains_any(
    conditions: Conditions, stated: Stated, _units: Sequence[str]
) -> Truth:
    if conditions.contains_any is None:
        return True
    return any(
        _holds_part(conditions, part, stated.value) for part in conditions.contains_any
    )


def _holds_part(conditions: Conditions, part: object, value: object) -> bool:
    """Whether a text holds a part (its digits whole), or JSON an element or key."""
    if not isinstance(value, str):
        single = Matcher.model_validate(
            {"contains_all": [part], "fold": conditions.fold}
        )
        return matches(single, value)
    wanted = _spaced(_text_of(part))
    if conditions.fold:
        return any(
            _has_phrase(fold_prose(wanted), fold_prose(text))
            for text in _renderings(value)
        )
    return any(_digits_whole(wanted, text) for text in _renderings(value))


def _spaced(text: str) -> str:
    return " ".join(typed(text).split())


def _renderings(text: str) -> Iterator[str]:
    """A text as it is written, and as a reader sees it."""
    yield _spaced(text)
    yield _spaced(_EMPHASIS.sub("", text))


def _has_phrase(phrase: str, text: str) -> bool:
    """Whether folded text holds a phrase; one of several words is met in whole words."""
    if " " not in phrase:
        return _digits_whole(phrase, text)
    before = r"(?<!\w)" if phrase[:1].isalnum() else ""
    after = r"(?:e?s)?(?!\w)" if phrase[-1:].isalnum() else ""
    return re.search(before + re.escape(phrase) + after, text) is not None


def _digits_whole(part: str, text: str) -> bool:
    """Whether the part occurs without cutting a number: `42` is not in `142`, `42.5` or `1,420`."""
    before = r"(?<!\d)(?<!\d[.,])" if part[:1].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if part[-1:].isdigit() else ""
    return re.search(before + re.escape(part) + after, text) is not None


def _schema(conditions: Conditions, stated: Stated, _units: Sequence[str]) -> Truth:
    if conditions.json_schema is None:
        return True
    compiled = schema_of(conditions.json_schema)
    if not isinstance(stated.value, str):
        return compiled.is_valid(stated.value)
    values = json_values(stated.value)
    if values:
        return compiled.is_valid(values[-1])
    return compiled.is_valid(tidy(stated.value))


def _bound(name: str) -> _Check:
    def check(conditions: Conditions, stated: Stated, units: Sequence[str]) -> Truth:
        limit = getattr(conditions, name)
        return limit is None or keeps_bound(name, limit, stated, units)

    return check


_CHECKS: Final[Mapping[str, _Check]] = MappingProxyType(
    {
        "equals": _equals,
        "not_equals": _not_equals,
        "one_of": _one_of,
        "not_": _not,
        "pattern": _pattern,
        "contains": _contains,
        "contains_all": _contains_all,
        "contains_any": _contains_any,
        "json_schema": _schema,
        **{name: _bound(name) for name in BOUNDS},
    }
)


def is_short_phrase(value: object) -> bool:
    """Whether a text is a few words without figures, so that another such text says something else."""
    if not isinstance(value, str) or any(map(str.isdigit, value)):
        return False
    return 0 < len(tidy(value).split()) <= _MAX_PHRASE_WORDS


def all_hold(outcomes: Iterable[Truth]) -> Truth:
    """True where all hold, False where one does not, else unknown."""
    found = set(outcomes)
    if False in found:
        return False
    return None if None in found else True
