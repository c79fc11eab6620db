"""Whether a clause tells to do an action, or forbids it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from judgemesh.validators._shared.trace.verbs import stem
from judgemesh.validators.execution.confirmation.language.reply_words import TIMES

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_QUESTION_FIRST: Final = frozenset(
    {
        "what",
        "how",
        "when",
        "where",
        "who",
        "why",
        "which",
        "is",
        "are",
        "does",
        "do",
        "did",
        "was",
        "will",
        "would",
        "should",
    }
)
_ASKING_POLITELY: Final = frozenset({"can", "could", "would", "will", "please"})
_POLITE: Final = frozenset(
    {"please", "can", "could", "would", "will", "you", "kindly", "i", "want", "need", "like", "to", "id", "i'd", "just",
     "now", "then", "and", "so", "go", "ahead", "lets", "let's", "us", "ok", "okay", "hi", "hello", "hey", "yes",
     "also", "first", "have", "me", "my", "the", "bitte", "instead", "immediately", "asking", "am", "i'm", "authorise",
     "authorize", "instruct", "request", "you're", "authorised", "authorized", "a", "an"}
)  # fmt: skip


_NEGATED: Final = frozenset(
    {"don't", "dont", "never", "mustn't", "shouldn't", "cannot", "can't", "won't", "wouldn't", "didn't", "haven't",
     "nobody", "no-one"}
)  # fmt: skip
_NEGATED_PAIRS: Final = tuple(
    [auxiliary, "not"]
    for auxiliary in (
        "must",
        "should",
        "shall",
        "may",
        "will",
        "would",
        "did",
        "have",
        "could",
        "am",
        "please",
    )
)
_ACTING: Final = frozenset(
    map(
        stem,
        (
            "do", "proceed", "go", "pay", "send", "agree", "approve", "authorize", "authorise", "consent", "confirm",
            "continue", "execute", "process", "submit", "touch", "make", "start", "dare", "wish", "accept", "allow",
            "carry", "move", "spend", "charge", "transfer", "afford", "permit", "sign", "act",
        ),
    )
)  # fmt: skip
_CONSENT: Final = frozenset(
    map(
        stem,
        ("agree", "approve", "authorize", "authorise", "consent", "confirm", "accept"),
    )
)
_ENDS: Final = frozenset(
    {
        "yet",
        "now",
        "today",
        "please",
        "before",
        "until",
        "unless",
        "after",
        "anymore",
        "at",
        "ahead",
    }
)
"""Words that come where an object could stand."""
_AROUND_TIMES: Final = frozenset(
    {
        "in",
        "on",
        "at",
        "by",
        "the",
        "this",
        "it",
        "that",
        "them",
        "morning",
        "evening",
        "afternoon",
        "night",
        "noon",
        "week",
        "month",
        "year",
        "of",
        "early",
        "better",
        "rather",
        "only",
        "sometime",
    }
)
_RECEIVERS: Final = frozenset({"me", "us", "him", "her", "them"})
_DETERMINERS: Final = frozenset(
    {
        "a",
        "an",
        "another",
        "some",
        "more",
        "my",
        "the",
        "our",
        "ein",
        "eine",
        "un",
        "una",
        "une",
    }
)
_BEHIND_THINGS: Final = frozenset(
    {
        "to",
        "for",
        "from",
        "at",
        "in",
        "on",
        "with",
        "by",
        "now",
        "please",
        "instead",
        "first",
        "and",
        "of",
    }
)
_OBJECTS: Final = frozenset(
    {"it", "that", "this", "to", "you", "any", "them", "these", "anything"}
)


@dataclass(frozen=True, slots=True)
class About:
    """What a turn may be about: the stems of the verbs that name the action, and the words of its target and kind."""

    verbs: AbstractSet[str]
    names: AbstractSet[tuple[str, ...]] = frozenset()
    kind: AbstractSet[str] = frozenset()

    def named_in(self, words: Sequence[str]) -> bool:
        """Whether the words name the target."""
        said = set(words)
        return any(said.issuperset(parts) for parts in self.names)


def forbids(clause: str, verbs: AbstractSet[str]) -> bool:
    """Whether the clause says not to do it: a negated auxiliary with a verb of acting or agreeing soon behind it."""
    words = words_of(clause)
    for position in _negations(words):
        behind = words[position + 1 : position + 5]
        if "want" in behind:
            return not _OBJECTS.isdisjoint(behind[behind.index("want") :])
        if not (verbs | _ACTING).isdisjoint(map(stem, behind)):
            return True
    return False


def forbids_itself(clause: str, about: About) -> bool:
    """Whether the clause forbids the action itself: its verb or `do`, negated, with the action's object or none."""
    words = words_of(clause)
    for position in _negations(words):
        before, behind = words[:position], words[position + 1 : position + 6]
        if "i" in before:
            # `I don't want it` is about the user, `I don't want you to pay` about the action.
            if "you" in behind or not _CONSENT.isdisjoint(map(stem, behind)):
                return True
        elif _POLITE.issuperset(before) and _is_about(behind, about):
            return True
    return False


def _is_about(behind: Sequence[str], about: About) -> bool:
    for position, word in enumerate(behind):
        if stem(word) not in about.verbs | _ACTING:
            continue
        rest = behind[position + 1 :]
        return not rest or rest[0] in _OBJECTS | _ENDS or about.named_in(rest)
    return False


def orders(clause: str, about: About, proposed: AbstractSet[str]) -> bool:
    """Whether the clause tells to do it: the verb, with nothing but polite words before it.

    Args:
        clause: the clause.
        about: the action.
        proposed: the words of the proposal that is answered; an order of a thing that is not in it is another order.
    """
    words = words_of(clause)
    if words and words[0] in _QUESTION_FIRST - _ASKING_POLITELY:
        return False
    if clause.endswith("?") and _ASKING_POLITELY.isdisjoint(words[:3]):
        return False
    for position, word in enumerate(words):
        if stem(word) in about.verbs:
            behind = words[position + 1 :]
            return not (
                _is_told(words[:position])
                or (proposed and _of_another(behind, about, proposed))
            )
        if word not in _POLITE:
            return False
    return False


def _of_another(
    behind: Sequence[str], about: About, proposed: AbstractSet[str]
) -> bool:
    """Whether the verb has an object that nobody proposed: `send a voucher`, `book me a taxi`."""
    rest = list(behind)
    if rest[:1] and rest[0] in _RECEIVERS:
        rest = rest[1:]
    if not rest or rest[0] not in _DETERMINERS:
        return False
    thing = set(itertools.takewhile(lambda word: word not in _BEHIND_THINGS, rest[1:]))
    known = proposed | about.kind | {"one"}
    return known.isdisjoint(thing) and not any(map(str.isdigit, "".join(thing)))


def _is_told(before: Sequence[str]) -> bool:
    """Whether the user tells what they did or will do: `I will pay`, `I have paid it`."""
    return any(
        pair in (("i", "will"), ("i", "have")) for pair in itertools.pairwise(before)
    )


def words_of(clause: str) -> list[str]:
    """The words of a clause, negated auxiliaries in their short form."""
    short = clause.replace("do not", "don't").replace("can not", "can't")
    return _WORD.findall(short)


def _negations(words: Sequence[str]) -> list[int]:
    return [
        position
        for position, word in enumerate(words)
        if word in _NEGATED or list(words[position : position + 2]) in _NEGATED_PAIRS
    ]


def is_later(words: Sequence[str], about: About, proposed: AbstractSet[str]) -> bool:
    """Whether a clause says nothing but a later time than the proposed one."""
    later = {word for word in words if word in TIMES and word not in proposed}
    others = [
        word
        for word in words
        if word not in TIMES | _AROUND_TIMES | _POLITE
        and stem(word) not in about.verbs | _ACTING
        and not word[0].isdigit()
    ]
    return bool(later) and not others
