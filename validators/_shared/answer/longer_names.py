"""Names that begin like a placeholder: `To Be Determined: Essays on Free Will`, `See Below Diving Centre`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.result_parts.call_results import states_error
from judgemesh.contracts.text.word_sets import word_set
from judgemesh.validators._shared.answer.placeholders import is_placeholder

_MAX_HEAD_WORDS: Final = 5
_CODED: Final = re.compile(r"(?:[A-Z][a-z]+ )?Error #?\d{2,} (?=[A-Z][a-z])")
"""The number of an error, and then no punctuation but a word with a capital letter: `Error 404 Club`."""
_WORD: Final = re.compile(r"[^\W\d_][\w'\u2019-]*")
_GOES_ON: Final = """
    at in by to from until till pending due because as when once after before within on for if unless without based with
    yet currently so here now later soon shortly anywhere tomorrow separately upon per via through or and but then
    determined decided defined announced confirmed added completed provided filled advised agreed assigned updated
    supplied specified scheduled verified established issued calculated clarified discussed available applicable known
    given stated found mentioned disclosed listed recorded set reported obtained identified retrieved located received
    shown shared sent included published computed resolved extracted finalised finalized entered present generated
    information data detail details value values field response reply answer record records
    contact please see ask check refer consult call awaiting waiting client customer user team staff office department
    document documents source sources text file files table section page attachment attachments notes remarks comments
    invoice invoices quote quotation report letter email mail message list schedule contract
    form statement annex appendix
"""
"""Words with which a placeholder goes on, and no name."""


_MINOR: Final = "a an the of to in on at for and be le la les der die das den"
"""Words that a title writes without a capital letter."""


def may_be_name(text: str, names: frozenset[str] = frozenset()) -> bool:
    """Whether a text is written as a name and only begins with a placeholder or an error, so that nobody can tell.

    That beginning is several words with capital letters, and what follows begins with one and is no placeholder.
    names: folded names of the field.
    """
    coded = _CODED.match(text)
    if coded is not None:
        rest = text[coded.end() :]
        words = list(_WORD.finditer(rest))
        return _is_title(words) and not states_error(f"404 {rest}")
    words = list(_WORD.finditer(text))
    for count in range(2, min(len(words), _MAX_HEAD_WORDS + 1)):
        if not _is_title(words[: count + 1]):
            return False
        if is_placeholder(text[: words[count - 1].end()], names=names):
            rest = text[words[count].start() :]
            follows = words[count][0].casefold()
            return follows not in word_set(_GOES_ON) and not is_placeholder(rest)
    return False


def _is_title(words: Sequence[re.Match[str]]) -> bool:
    first, *others = (word[0] for word in words)
    if not first[0].isupper() or first.isupper():
        return False
    return all(word[0].isupper() or word in word_set(_MINOR) for word in others)
