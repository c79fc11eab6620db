"""What turns a statement from far in front of it: `Nobody may ...`, `It is not true that ...`. Pure.

Words are in normal form. The languages are those of `limiting_words`, without Turkish, Japanese and Chinese, which turn
a statement at its end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.text.limiting_words import is_negation
from judgemesh.contracts.text.word_sets import word_set

_NO_ONE: Final = """
    nobody none nothing nowhere hardly rarely seldom
    niemand nichts nirgends keinerlei
    personne rien nul nulle nadie nada nessuno niente ninguém niets nergens nikt nic
"""
"""Subjects and adverbs that turn the clause which they begin, beside the negations."""
_BEFORE_NO: Final = (
    "under in at on by for unter in auf zu an dans en sous à sob em w på i til"
)
"""Words that may stand before them: `Under no circumstances may ...`."""
_HARMLESS_BEHIND: Final = """
    later less more fewer sooner earlier doubt matter wonder only just merely until before
    nur seulement solo solamente alleen kun bara bare
"""
"""Behind a negation, these make another sense of it: `No later than`."""
_THAT: Final = (
    r"(?:(?:not|never|isn't|wasn't|aren't|hardly) (?:\w+ )?(?:true|correct|right|the case|accurate|certain|proven"
    r"|guaranteed)|untrue|false|incorrect|inaccurate|wrong|misleading|an? (?:myth|misconception|mistake|rumou?r"
    r"|error|lie)"
    r"|(?:not|n't|cannot|never) (?:\w+ )?(?:believe|think|claim|say|mean|imply|state|guarantee|promise|confirm"
    r"|agree|accept"
    r"|assume|suggest|warrant))(?: to (?:say|claim|think|assume|believe))? that"
    r"|(?:den(?:y|ies|ied)|dispute[sd]?|doubt(?:s|ed)?|refute[sd]?|reject(?:s|ed)?(?: the (?:claim|idea|view))?) that"
    r"|(?:(?:stimmt|gilt|heisst|bedeutet|glauben?|behaupten?) nicht|trifft nicht zu|nicht (?:wahr|richtig|korrekt"
    r"|der fall"
    r"|zutreffend|sicher)|falsch|unwahr|unrichtig|ein (?:irrtum|gerücht)|bestreite[nt]?(?: wir)?|leugne[nt]?"
    r"|bezweifel\w+)"
    r" dass"
    r"|(?:faux|inexact|pas (?:vrai|exact|certain)|nie|nions|nient|contestons|conteste) que"
    r"|(?:no es (?:cierto|verdad)|es falso|niega|negamos|niegan) que"
    r"|(?:non è vero|è falso|nega|neghiamo|negano) che|(?:não é verdade|é falso|nega|negamos|negam) que"
    r"|(?:niet waar|onjuist|onwaar|ontkent|ontkennen) dat|(?:ikke (?:sandt|sant|rigtigt|riktig)|benægter|benekter) at"
    r"|(?:inte sant|falskt|förnekar) att|(?:nieprawdą?(?: jest)?|nie jest prawdą|zaprzecza\w*) że"
)
_TO: Final = (
    r"(?:forbidden|prohibited|banned|illegal|unlawful|impossible|unsafe|dangerous|unable|not (?:\w+ )?(?:allowed"
    r"|permitted"
    r"|possible|necessary|required|safe|legal|lawful|advisable|recommended|supposed|obliged|entitled|able|need|have|allow"
    r"|permit|want))(?: (?:for )?(?:\w+ ){0,2}\w+)? to"
    r"|(?:refuse|fail|decline|cease|neglect)(?:s|d|ed)? to|(?:forbid|prohibit|ban)s?(?: \w+){1,3} (?:to|from)"
    r"|instead of|rather than|without"
    r"|es ist (?:\w+ )?(?:verboten|untersagt|unzulässig|unmöglich|nicht (?:erlaubt|gestattet|zulässig|möglich|nötig"
    r"|notwendig|erforderlich))"
    r"|(?:interdit|défendu|impossible|pas (?:permis|possible|nécessaire))(?: \w+ \w+)? de"
    r"|(?:está|queda) (?:\w+ )?prohibido|è (?:vietato|proibito)|é proibido|verboden om|niet toegestaan om"
    r"|(?:forbudt|ikke (?:tilladt|tillatt|lov)) (?:at|å)|(?:förbjudet|inte tillåtet) att|zabrania się|nie wolno"
)
_IN_FRONT: Final = re.compile(
    rf"(?<![\w'])(?<!no )(?<!not )(?<!cannot )(?<!never )(?<!nicht )(?<!kein )(?:{_THAT}|{_TO})$"
)
"""A denial that is denied (`no doubt that`, `not forbidden to`) turns nothing."""


def begins_with_none(clause: Sequence[str], around: Sequence[str]) -> bool:
    """Whether a clause begins with what turns all of it: `Nobody`, `Neither keys`, `In no case`."""
    first, second, *_ = *clause[:3], "", ""
    if first in word_set(_BEFORE_NO) and second:
        first, second = second, (*clause, "", "")[2]
        if first in {"not", "never", "nothing", "nichts"}:
            return False
    if second in word_set(_HARMLESS_BEHIND):
        return False
    return first in word_set(_NO_ONE) or is_negation([first], around)


def is_reversed_by(before: Sequence[str]) -> bool:
    """Whether the words right before a statement say that it does not hold, or must not be done."""
    return _IN_FRONT.search(" ".join(before)) is not None
