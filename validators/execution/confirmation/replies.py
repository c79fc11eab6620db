"""What a user's turn says about an action that was proposed: yes, no, an order of its own, a condition, or nothing.

The first word answers the proposal. After a leading no, only a yes in a sentence of its own, or an order that names
the target, says otherwise. After a yes, a later negation counts only where it is about the action itself. What
cannot be told from words is `UNCLEAR`, never a yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.trace.verbs import stem
from judgemesh.validators.execution.confirmation.language.reply_words import (
    CONDITION,
    DOUBTS,
    HARMLESS,
    HESITATES,
    LIMIT,
    NO,
    NO_TROUBLE,
    OTHERWISE,
    PART,
    TAKES_BACK,
    YES_STRONG,
    YES_WEAK,
)
from judgemesh.validators.execution.confirmation.language.terse import is_terse
from judgemesh.validators.execution.confirmation.language.tongues import (
    AGREES,
    REFUSES,
    is_english,
)
from judgemesh.validators.execution.confirmation.language.wording import (
    with_english_verbs,
)
from judgemesh.validators.execution.confirmation.orders import (
    About,
    forbids,
    forbids_itself,
    is_later,
    orders,
    words_of,
)


class Reply(StrEnum):
    """What a turn says. UNREAD: nothing that the rules understand, and not in English or a few words."""

    YES = "yes"
    NO = "no"
    ORDER = "order"
    UNCLEAR = "unclear"
    UNREAD = "unread"
    NOTHING = "nothing"


_AGREED: Final = frozenset({Reply.YES, Reply.ORDER, Reply.UNCLEAR})
_SENTENCE = re.compile(r"[.!;:]+(?=\s|$)|\n|(?<=\?)")
_CLAUSE = re.compile(
    r"(?<!\d),|,(?!\d)|[\u2014\u2013]|\s-\s|\bbut\b|\bhowever\b|\baber\b|\bpero\b|\bmais\b|\band then\b"
)
_ONLY_IF = re.compile(r"(?:only|just|but|even|and) ")


def reply(text: str, about: About, *, asked: bool, proposal: str = "") -> Reply:
    """What a user's turn says about an action.

    Args:
        text: the turn.
        about: the verbs of the action, and the words of its target.
        asked: whether the turn before it asked for a yes; only then do words such as `fine` or `thanks` mean one.
        proposal: what the agent said before; a later time than the one in it leaves a yes open.
    """
    said = Reply.NOTHING
    asks = False
    shown = plain(text).replace("\u2019", "'").casefold()
    for sentence in _parts(_SENTENCE, with_english_verbs(shown)):
        asks = asks or (sentence.endswith("?") and DOUBTS.search(sentence) is not None)
        said = _Sentence(sentence, about, asked=asked, proposal=proposal).after(said)
    if said is Reply.YES and asks:
        return Reply.UNCLEAR
    if said is Reply.NOTHING and (
        not is_english(shown)
        or (asked and is_terse(shown, words_of(plain(proposal).casefold())))
    ):
        return Reply.UNREAD
    return said


def _parts(mark: re.Pattern[str], text: str) -> Iterator[str]:
    for part in mark.split(text):
        stripped = part.strip(" \t\"'*_()")
        if stripped:
            yield stripped


class _Sentence:
    """One sentence of a turn, read clause by clause."""

    def __init__(self, text: str, about: About, *, asked: bool, proposal: str) -> None:
        self._clauses = list(_parts(_CLAUSE, text))
        self._about = about
        self._asked = asked
        self._proposed = frozenset(words_of(plain(proposal).casefold()))

    def after(self, said: Reply) -> Reply:
        """What the turn says with this sentence, after sentences that said something already."""
        refused = said is Reply.NO
        own = Reply.NOTHING if refused else said
        conditional = False
        for index, clause in enumerate(self._clauses):
            if self._is_condition(clause):
                conditional = conditional or self._belongs(index, own)
                continue
            found = self._clause(clause, own, leading=index == 0)
            if own is Reply.NO and found is not Reply.NO:
                # The first word answers.
                continue
            if found is not Reply.NOTHING:
                own = (
                    Reply.UNCLEAR
                    if own is Reply.UNCLEAR and found is not Reply.NO
                    else found
                )
        if conditional and (own in _AGREED or self._asked):
            own = Reply.NO if own is Reply.NO else Reply.UNCLEAR
        if refused and not self._overrules(own):
            return said
        return said if own is Reply.NOTHING else own

    def _is_condition(self, clause: str) -> bool:
        cleaned = _ONLY_IF.sub("", HARMLESS.sub(" ", clause).strip(), count=1)
        return (
            CONDITION.match(cleaned) is not None
            and not clause.endswith("?")
            and LIMIT.search(clause) is None
        )

    def _belongs(self, index: int, own: Reply) -> bool:
        """Whether a condition is one on the yes: behind it, before it, or as a sentence of its own."""
        if own in _AGREED and index > 0:
            return True
        if len(self._clauses) == 1:
            return True
        return any(
            self._agrees(other, leading=False) is not Reply.NOTHING
            for other in self._clauses[index + 1 :]
        )

    def _overrules(self, own: Reply) -> bool:
        """Whether the sentence says yes after a no: with a word for yes, or an order that names the target."""
        if own is Reply.ORDER:
            words = [word for clause in self._clauses for word in words_of(clause)]
            return self._about.named_in(words)
        return own is Reply.YES

    def _clause(self, clause: str, said: Reply, *, leading: bool) -> Reply:
        cleaned = HARMLESS.sub(" ", clause).strip()
        if LIMIT.search(cleaned):
            # A bound on an amount is compared where the amount is known.
            return Reply.NOTHING
        if said in _AGREED:
            return self._later_clause(cleaned, leading=leading)
        if leading and self._asked and NO_TROUBLE.match(clause):
            return Reply.YES
        if self._refuses(cleaned):
            return Reply.NO
        return self._open_or(self._agrees(cleaned, leading=leading), cleaned)

    def _later_clause(self, clause: str, *, leading: bool) -> Reply:
        """A clause behind a yes."""
        taken_back = TAKES_BACK.search(clause)
        if taken_back is not None and not self._names_action(taken_back[0]):
            return Reply.NO
        if REFUSES.search(clause):
            return Reply.NO
        if forbids_itself(clause, self._about) or self._keeps(clause):
            return Reply.NO
        says = self._agrees(clause, leading=leading)
        if self._leaves_open(clause) or HESITATES.search(clause):
            return Reply.UNCLEAR
        return self._open_or(says, clause)

    def _open_or(self, says: Reply, clause: str) -> Reply:
        if says is Reply.NOTHING:
            return says
        if CONDITION.search(clause) or self._leaves_open(clause):
            return Reply.UNCLEAR
        return says

    def _leaves_open(self, clause: str) -> bool:
        """Whether the clause asks for a part, for another thing or for another time."""
        words = words_of(clause)
        if self._about.named_in(words):
            return False
        if PART.search(clause) or OTHERWISE.search(clause):
            return True
        return is_later(words, self._about, self._proposed)

    def _refuses(self, clause: str) -> bool:
        if forbids(clause, self._about.verbs) or self._keeps(clause):
            return True
        if REFUSES.search(clause):
            return True
        found = NO.search(clause)
        return found is not None and not self._names_action(found[0])

    def _names_action(self, words: str) -> bool:
        """`stop the subscription` is an order where stopping is the action; `don't stop it` is none."""
        if "not" in words or "n't" in words:
            return False
        return any(stem(word) in self._about.verbs for word in words_of(words)[:2])

    def _keeps(self, clause: str) -> bool:
        """Whether the clause says to leave the thing as it is, or that the user does it."""
        words = words_of(clause)
        if "myself" in words or "ourselves" in words:
            return True
        for verb in ("keep", "leave"):
            if verb not in words[:3] or stem(verb) in self._about.verbs:
                continue
            behind = words[words.index(verb) + 1 :]
            kept = behind[:1] and (behind[0] in _THINGS or self._about.named_in(behind))
            if kept and behind[1:2] != ["to"] and behind[1:2] != ["with"]:
                return True
        return False

    def _agrees(self, clause: str, *, leading: bool) -> Reply:
        if YES_STRONG.search(clause):
            return Reply.YES
        if orders(clause, self._about, self._proposed):
            return Reply.ORDER
        if (
            leading
            and self._asked
            and (YES_WEAK.search(clause) or AGREES.search(clause))
            and not clause.endswith("?")
        ):
            return Reply.YES
        return Reply.NOTHING


_THINGS: Final = frozenset({"it", "them", "that", "this", "everything", "things"})
