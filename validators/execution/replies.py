"""What a user's turn says about an action that was proposed: yes, no, an order of its own, a condition, or nothing.

A turn is read clause by clause, and the last clause that says something decides: "Yes ... no, wait" is a no, "Not
that one. Go ahead with 40" is a yes. What cannot be told from words is `UNCLEAR`, never a yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Final

from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.verbs import stem


class Reply(StrEnum):
    """What a turn says."""

    YES = "yes"
    NO = "no"
    ORDER = "order"
    UNCLEAR = "unclear"
    NOTHING = "nothing"


_CLAUSE = re.compile(
    r"[.!;:\n\u2014\u2013]+(?=\s|$)|,|\s-\s|\bbut\b|\bhowever\b|\baber\b|\bpero\b|\bmais\b|\band then\b|(?<=\?)"
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_FILLER: Final = (
    r"(?:(?:well|oh|ah|hi|hello|hey|thanks|thank you|thx|great|perfect|good|and|so|then|now|also|"
    r"please|right|ok|okay|"
    r"fine|actually|sorry|alright|in that case|hm+|um+)\b[\s]*)*"
)
_HARMLESS = re.compile(
    r"\b(?:don't|do not|dont|no need to|need not)\s+(?:worry|wait|mind|hesitate|forget|bother|ask|"
    r"need|have to|see (?:any|a|no)|have any)\b"
    r"|\bno (?:problem|problems|worries|objections?|issues?|concerns?|rush|hurry|questions?|changes?|"
    r"need|doubt|more questions|further questions)\b"
    r"|\bwhy (?:not|don't we|wait)\b|\bnot (?:a problem|an issue|only|to worry)\b|\bcan't wait\b|"
    r"\bno,? that's (?:all|fine|it|correct|right|good)\b"
    r"|\bif you don't mind\b|\bkein problem\b"
)
_NO = re.compile(
    r"^"
    + _FILLER
    + r"(?:no|nope|nah|nein|non|n\u00e3o|nee|nej|\u043d\u0435\u0442|\u4e0d|never|negative|"
    r"n)(?:\s+(?:thanks|thank|please|way|sorry|not|don't|stop|wait|i|sir|madam|it)\b.*)?$"
    r"|^" + _FILLER + r"not\b(?! (?:only|just))"
    r"|\b(?:not|isn't|aren't|nothing is) (?:\w+ )?(?:approved|authori[sz]ed|confirmed|allowed|ok|"
    r"okay|yet|now|agreed|happy|sure|comfortable|convinced|going)\b"
    r"|\b(?:don't|do not) think so\b"
    r"|^"
    + _FILLER
    + r"(?:stop|wait|hold off|hold on|hang on|pause|halt|abort|cancel|nevermind|never mind|forget it|"
    r"forget that|scratch that|leave it|leave that|skip it|skip that|drop it|hold it|hold that|"
    r"let me (?:think|check|ask|see)|maybe|perhaps|later)\b"
    r"|\b(?:let you know|get back to you|decide (?:later|tomorrow)|thinking about it|think about it|"
    r"(?:haven't|have not|not) (?:yet )?(?:decided|made up)|"
    r"changed my mind|call it off|hold off|on second thoughts?|i refuse|i decline|i object|"
    r"i disagree|i withdraw|i revoke|rather not|under no circumstances|need to (?:think|check)|"
    r"let me think|no longer want|without my (?:ok|okay|consent|approval|permission)|put (?:it|that|"
    r"this) on hold|call you back|too (?:much|expensive)|please (?:stop|wait|hold|cancel|abort))\b"
    r"|\b(?:nicht|niemals|stopp|halt|warte|warten sie|lieber nicht|abbrechen|no lo hagas|espera|"
    r"detente|n'.{1,20} pas|attendez|arr\u00eatez|aspetta|non farlo)\b"
    r"|[\U0001f44e\u274c\u26d4]"
)
_CONDITION = re.compile(
    r"\b(?:only if|if|unless|provided|providing|as long as|once|until|till|when|after|before|"
    r"as soon as|subject to|on condition|assuming|falls|wenn|sobald|si|sofern|"
    r"\u0435\u0441\u043b\u0438)\b"
)
_LIMIT = re.compile(
    r"\b(?:more than|over|above|exceed(?:s|ing)?|mehr als|m\u00e1s de|plus de)\s+[^\d]{0,6}\d|"
    r"\b(?:under|below|less than|at most|up to|max(?:imum)?|no more than|within|"
    r"not exceed)\b[^\d]{0,12}\d"
)
_ASK_FIRST = re.compile(
    r"\bask(?:ing|ed)? (?:me |him |her |them |us )?(?:first|before|for (?:\w+ ){0,3}(?:confirmation|"
    r"approval|consent|permission|ok|okay))"
    r"|\b(?:check|confirm|clear it|agree)(?:ing)? (?:\w+ ){0,3}with (?:me|us|him|her|them|the \w+)\b|"
    r"\bask (?:me|us|the \w+|him|her|them) (?:\w+ ){0,4}(?:before|first|to confirm|for confirmation)"
    r"|\b(?:only )?(?:after|once|when|if) (?:the \w+|i|we|he|she|they|\w+)(?:'ve| have|"
    r" has)? (?:confirm|approve|agree|consent)"
    r"|\b(?:with|without|needs?|requires?|get|obtain|wait for|after) (?:\w+ ){0,3}(?:confirmation|"
    r"approval|consent|permission|go-ahead)\b"
    r"|\bbefore (?:you )?(?:pay|book|send|buy|order|transfer|delet|charg|refund)\w*,? (?:ask|check|confirm|let me)"
)
_ASKS = re.compile(
    r"\?|\b(?:please (?:confirm|approve|reply|say|let me know|authori[sz]e)|shall i|may i|should i|"
    r"do i have|let me know|awaiting your|need your|reply (?:with )?(?:yes|confirm|ok)|"
    r"waiting for your|if you (?:agree|confirm|approve)|say (?:yes|the word))\b"
)
_STRONG: Final = (
    r"yes|yep|yeah|yup|yea|aye|absolutely|certainly|definitely|of course|agreed|approved|confirmed|"
    r"confirm|confirming|"
    r"i confirm|i hereby confirm|i can confirm|i approve|i authori[sz]e|i agree|i accept|i consent|"
    r"go ahead|go for it|please do|"
    r"do it|do that|do so|do them|proceed|carry on|continue|make it so|let's do|let's go|you may|you can|you have my|"
    r"permission granted|green light|ship it|be my guest|by all means|affirmative|authori[sz]ed|accepted|granted|y|"
    r"ja|jawohl|oui|s\u00ed|claro|d'accord|einverstanden|best\u00e4tigt|ich best\u00e4tige|mach das|"
    r"machen sie das|gerne|bitte|vale|adelante|vas-y|allez-y|va bene|procedi|sim|pode|\u0434\u0430|"
    r"\u597d|\u306f\u3044|\u662f"
)
_WEAK: Final = (
    r"sure|ok|okay|alright|all right|fine|right|correct|exactly|sounds good|looks good|lgtm|"
    r"that's fine|that is fine|that works|works for me|"
    r"perfect|great|good|cool|deal|that's (?:right|correct|ok|okay|good)|that is (?:right|correct|ok|"
    r"okay)|happy with that|i'm happy|fine by me|fine with me|all good|no problem|no objections?|"
    r"please"
)
_YES_STRONG = re.compile(
    rf"^{_FILLER}(?:{_STRONG})(?![^\W_])|^i do$|[\U0001f44d\u2705]|"
    r"^(?!.*(?:\bnot\b|\bnever\b|n't\b)).*\b(?:yes|ja|oui)$|\b(?:go ahead|please proceed|"
    rf"you have my (?:ok|okay|consent|approval|permission|authori[sz]ation)|i (?:hereby )?(?:confirm|"
    rf"approve|authori[sz]e|agree|consent))\b"
)
_YES_WEAK = re.compile(
    rf"^{_FILLER}(?:{_WEAK})(?![^\W_])(?! (?:morning|evening|day|afternoon|night|question|point|idea)\b)"
)
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
_OBJECTS: Final = frozenset(
    {"it", "that", "this", "to", "you", "any", "them", "these", "anything"}
)


def reply(text: str, verbs: AbstractSet[str], *, asked: bool) -> Reply:
    """What a user's turn says about an action.

    Args:
        text: the turn.
        verbs: the stems of the verbs that name the action.
        asked: whether the turn before it asked for a yes; only then do words such as `fine` or `thanks` mean one.
    """
    said = Reply.NOTHING
    asks = False
    for clause in _clauses(text):
        asks = asks or (clause.endswith("?") and _DOUBTS.search(clause) is not None)
        found = _clause(clause, verbs, asked=asked)
        if found is not Reply.NOTHING:
            said = _then(said, found)
    if said is Reply.YES and asks:
        return Reply.UNCLEAR
    return said


def asks_first(text: str) -> bool:
    """Whether a text wants the user to be asked before something is done."""
    return _ASK_FIRST.search(plain(text).casefold()) is not None


def is_question(text: str) -> bool:
    """Whether the agent's text asks for a yes."""
    return _ASKS.search(plain(text).casefold()) is not None


_DOUBTS: Final = re.compile(
    r"^\w+\?$|\b(?:how much|cost|costs|price|fee|fees|total|why|are you sure|is (?:it|that|this|there)|"
    r"refundable|what if|cheaper|instead|other|another|different|which|who)\b"
)
"""Questions that leave a yes open, unlike `Yes. When is breakfast?`."""


def _then(said: Reply, found: Reply) -> Reply:
    """A later clause overrides an earlier one; a condition on a yes stays."""
    if said is Reply.UNCLEAR and found in (Reply.YES, Reply.ORDER):
        return Reply.UNCLEAR
    return found


def _clauses(text: str) -> Iterator[str]:
    shown = plain(text).replace("\u2019", "'").casefold()
    for clause in _CLAUSE.split(shown):
        stripped = clause.strip(" \t\"'*_()")
        if stripped:
            yield stripped


def _clause(clause: str, verbs: AbstractSet[str], *, asked: bool) -> Reply:
    cleaned = _HARMLESS.sub(" ", clause).strip()
    harmless = cleaned != clause.strip()
    if _LIMIT.search(cleaned):
        # A bound on an amount is compared where the amount is known.
        return Reply.NOTHING
    if _refuses(cleaned, verbs):
        return Reply.NO
    says = _agrees(cleaned, verbs, asked=asked or harmless)
    if says is not Reply.NOTHING and _CONDITION.search(cleaned):
        return Reply.UNCLEAR
    if says is Reply.NOTHING and _starts_with_condition(cleaned):
        return Reply.UNCLEAR if asked else Reply.NOTHING
    return says


def _starts_with_condition(clause: str) -> bool:
    return _CONDITION.match(clause) is not None


def _refuses(clause: str, verbs: AbstractSet[str]) -> bool:
    if _forbids(clause, verbs):
        return True
    found = _NO.search(clause)
    if found is None:
        return False
    # `stop the subscription` is an order where stopping is the action; `don't stop it` is none.
    first = _WORD.findall(found[0])
    return not (
        first
        and stem(first[-1]) in verbs
        and "not" not in found[0]
        and "n't" not in found[0]
    )


def _forbids(clause: str, verbs: AbstractSet[str]) -> bool:
    """Whether the clause says not to do it: a negated auxiliary with a verb of acting or agreeing soon behind it."""
    words = _WORD.findall(clause.replace("do not", "don't").replace("can not", "can't"))
    for position, word in enumerate(words):
        if (
            word not in _NEGATED
            and words[position : position + 2] not in _NEGATED_PAIRS
        ):
            continue
        behind = words[position + 1 : position + 5]
        if "want" in behind:
            return not _OBJECTS.isdisjoint(behind[behind.index("want") :])
        if not (verbs | _ACTING).isdisjoint(map(stem, behind)):
            return True
    return False


def _agrees(clause: str, verbs: AbstractSet[str], *, asked: bool) -> Reply:
    if _YES_STRONG.search(clause):
        return Reply.YES
    if _orders(clause, verbs):
        return Reply.ORDER
    if asked and _YES_WEAK.search(clause) and not clause.endswith("?"):
        return Reply.YES
    return Reply.NOTHING


def _orders(clause: str, verbs: AbstractSet[str]) -> bool:
    """Whether the clause tells to do it: the verb, with nothing but polite words before it."""
    words = _WORD.findall(clause)
    if words and words[0] in _QUESTION_FIRST - _ASKING_POLITELY:
        return False
    if clause.endswith("?") and _ASKING_POLITELY.isdisjoint(words[:3]):
        return False
    for word in words:
        if stem(word) in verbs:
            return True
        if word not in _POLITE:
            return False
    return False
