"""Short answers in English that no list knows."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from judgemesh.contracts.text.word_sets import word_set

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_TERSE: Final = 3
_MAX_TERSE: Final = 10
_PLAIN: Final = """
    a about all and any anything are as at be but by can can't cannot could couldn't did do does doesn't don't either
    enough ever for from go good got guess had has have he here how i i'd i'll i'm i've if in is isn't it it's just know
    let like may me might mind more much must my need no not nothing now object objection of oh on one or other our out
    put reason rest right see she should so some something suppose sure take than that that's the their them then there
    these they thing things think this those to too try up us want was way we we're well were what whatever when where
    which who why will with won't would wouldn't you you're you've your
"""
"""Words by which an answer answers and that name nothing of their own."""


def is_terse(text: str, proposed: Collection[str]) -> bool:
    """Whether an English text in small letters is so short, or so empty of names of things, that it may be an idiom.

    `Knock yourself out` and `I can't think of a reason not to` agree, and no list has all of their kind. A question, a
    text with a figure, and one that names something of the proposal (`Ward A, please`) are none.
    """
    words = _WORD.findall(text.replace("\u2019", "'"))
    if "?" in text or any(map(str.isdigit, text)) or not words:
        return False
    named = set(words) - word_set(_PLAIN)
    if not named.isdisjoint(proposed):
        return False
    return len(words) <= _TERSE or (len(words) <= _MAX_TERSE and not named)
