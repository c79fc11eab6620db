"""Patterns of forms that nobody filled in: masked codes, and units beside a blank.

Few texts need them, and compiling them takes longer than grading a result, so that they are loaded when a text does.
"""

from __future__ import annotations

import re
from functools import cache

from judgemesh.validators._shared.answer.placeholders.words import PER, SIGNS, UNITS


def is_masked_code(shown: str) -> bool:
    """Whether a folded text is a code of which a part is masked."""
    return _open_end().fullmatch(shown) is not None or _has_masked_groups(shown)


def without_unit(shown: str) -> str | None:
    """A folded text without the unit before or behind it; None where it has none."""
    measured = _measured().fullmatch(shown)
    if measured is None or not (measured["before"] or measured["after"]):
        return None
    return measured["rest"].strip()


def is_blank(shown: str) -> bool:
    """Whether a text is a blank to fill in: `____`, `...`."""
    return _blanks().fullmatch(shown) is not None


def _has_masked_groups(shown: str) -> bool:
    """Whether several groups of a code are masked, and nothing behind the first of them is known: `978-X-XXXX-X`."""
    groups = re.split(r"[-/.:# ]+", shown)
    masked = [set(group) == {"x"} for group in groups]
    return masked.count(True) > 1 and all(masked[masked.index(True) :])


@cache
def _open_end() -> re.Pattern[str]:
    """A code of which the part that tells it from others is masked: `INV-XXXX`, `LOT-####`, `TKT____`."""
    return re.compile(
        r"(?:[\w/.:#-]*[-_/.:#\d])?(?:x{3,}|#{2,})|[\w/.:#-]*(?:_{3,}|\?{2,})",
        re.IGNORECASE,
    )


@cache
def _measured() -> re.Pattern[str]:
    """A unit before or behind the rest."""
    sign = rf"[{SIGNS}]"
    unit = rf"(?:{'|'.join(sorted(UNITS))}|{PER} \w+)"
    return re.compile(
        rf"(?P<before>(?:{sign}|{unit}(?![^\W_]))\s*)?(?P<rest>.*?)"
        rf"(?P<after>\s*(?:{sign}|(?<![^\W_]){unit}))?"
    )


@cache
def _blanks() -> re.Pattern[str]:
    """Nothing but signs, with one of a blank among them."""
    return re.compile(r"(?=.*(?:[_?*\u2026#\u2010-\u2015-]|\.\.))[\W_]+")
