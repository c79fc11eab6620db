"""Whether two spellings of a name can mean one person."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from judgemesh.contracts.identifiers import fold, person

_MIN_TYPO_CHARS: Final = 5
_MIN_TYPO_RATIO: Final = 90.0
_MIN_SHORT_FORM_CHARS: Final = 3


@lru_cache(maxsize=65_536)
def same_person(left: str, right: str) -> bool:
    """Whether two names can mean one person: initials, order, accents and a middle name left out are forgiven."""
    (family, given_names), (other_family, other_given) = person(left), person(right)
    if not family or not other_family:
        return False
    if family == other_family:
        return _given_names_fit(given_names, other_given)
    if {*family.split(), *given_names} == {*other_family.split(), *other_given}:
        return True
    if fold(left).replace(" ", "") == fold(right).replace(" ", ""):
        return True
    if (
        _is_part_of(family, other_family)
        or _is_part_of(other_family, family)
        or family in other_given[1:]
        or other_family in given_names[1:]
    ):
        # "Garcia" for "Garcia Marquez", whichever part was read as the family name.
        return _given_names_fit(given_names[:1], other_given[:1])
    long_enough = min(len(family), len(other_family)) >= _MIN_TYPO_CHARS
    alike = long_enough and fuzz.ratio(family, other_family) >= _MIN_TYPO_RATIO
    return alike and _given_names_fit(given_names, other_given)


def _is_part_of(short: str, long: str) -> bool:
    return f" {short} " in f" {long} "


def _given_names_fit(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    if not left or not right or _given_name_fits(left[0], right[0]):
        return True
    if "".join(left) == "".join(right):
        return True  # "Jun Yan" and "Junyan"
    return any(len(name) > 1 and name in right for name in left)


def _given_name_fits(left: str, right: str) -> bool:
    """The same name, its initial, or a short form of three letters or more."""
    if len(left) == 1 or len(right) == 1:
        return left[0] == right[0]
    if left == right:
        return True
    if min(len(left), len(right)) < _MIN_SHORT_FORM_CHARS:
        return False
    return left.startswith(right) or right.startswith(left)
