"""What a user's turn takes back or changes: a stop, another number, another name, another option."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.validators._shared.numbers.numbers import readings
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.trace.verbs import (
    kind_words,
    stem,
    undoes,
)
from judgemesh.validators.execution.agreement import fields_of
from judgemesh.validators.execution.confirmation.binding import (
    names_target,
    numbers_in,
)
from judgemesh.validators.execution.confirmation.language.reply_words import LIMIT
from judgemesh.validators.execution.confirmation.language.said_numbers import (
    numbers_in_words,
)
from judgemesh.validators.execution.confirmation.language.tongues import HARMLESS_WORDS
from judgemesh.validators.execution.confirmation.language.wording import action_verbs

_STOPS = re.compile(
    r"(?:^|[.!,;:]\s*|\b(?:and|so|please|oh|then|no|yes|sorry)\s+)(?:stop|wait|hold (?:on|off|it|that|everything)|"
    r"hang on|halt|abort|pause|forget it|cancel (?:that|it|this|everything)|scratch that|"
    r"(?:hold|pause|halt|stop|freeze) (?:the|all|everything|my|our|his|her|any))\b"
    r"|\b(?:changed my mind|on second thoughts?|call (?:it|this|that) off|hold off|leave it)\b"
    r"|\b(?:don't|do not)[.!]*$|\bnot (?:doing|proceeding|going ahead|going through)\b"
    r"|\bnothing (?:should|must|may|is to|can) \w+"
    r"|\b(?:fermati|fermo|aspetta|basta|alto|espera|espere|esperen|detente|pare|arrête[zr]?|attends|attendez|"
    r"annule[zr]?|stopp|warte|warten sie|doch nicht|lieber nicht|noch nicht|vänta|wacht|toch niet|niet doen|"
    r"mejor no|meglio (?:di )?no|cambiato idea|cambié de (?:opinión|idea)|mudei de ideia|"
    r"changé d'avis|meinung geändert|abbrechen|nie rób|стоп|"
    r"подожд\w*)\b|やめて|待って|停|"
    r"等一下"
)
_KEEPS = re.compile(
    r"\b(?:keep|leave) (?:the |my |our |his |her |it|that|this|them|him)\b[^.!?]*"
)
_CLAUSE = re.compile(r"[.!?;:]+(?=\s|$)|\n|(?<!\d),|,(?!\d)|\s[-\u2013\u2014]\s")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_NAME = re.compile(r"\b[A-Z][^\W_]*")
_REPLACING: Final = frozenset(
    (
        "only", "just", "make", "it", "that", "please", "rather", "instead", "but", "to", "i", "meant", "mean",
        "change", "use", "actually", "no", "yes", "yeah", "ok", "okay", "sorry", "let's", "lets", "do", "go", "with",
        "not", "of", "the", "euros", "euro", "dollars", "dollar", "eur", "usd", "gbp", "chf", "pounds", "and", "then",
        "better", "should", "be", "say", "oh", "was", "is",
    )
)  # fmt: skip
_CORRECTS = re.compile(
    r"\b(?:i meant|i mean|make (?:it|that)|change (?:it|that) to|correction|instead|should (?:be|have been)|rather)\b"
)
_REASON = re.compile(
    r"(?<![^.!?;,])(?:[^.!?;,]{0,600}\b(?:don't|do not|doesn't|does not|can't|cannot|won't|not|never)\b"
    r"[^.!?;,]{0,600}\b(?:any ?more|any longer)\b"
    r"|[^.!?;,]{0,600}\bno longer (?:want|need|use|like)\b)[^.!?;,]*"
)
_DOING: Final = frozenset({"do", "proceed", "go", "continue"})
_FUNCTION_WORDS: Final = frozenset(
    (
        "a", "an", "the", "to", "for", "of", "on", "in", "at", "by", "or", "and", "i", "you", "we", "it", "is", "are",
        "be", "shall", "should", "would", "do", "want", "like", "rather", "please", "with", "from", "my", "your", "me",
        "go",
    )
)  # fmt: skip
_LABELLED = re.compile(
    r"\b(?:invoice|order|ticket|case|account|room|gate|line|page|flat|house|floor|booking|contract|rechnung|factura|"
    r"facture|"
    r"zimmer|phone|extension|version|ends in|ending in|po|no|number|nr)[.:#]{0,2} ?#?\d+\b"
)
"""Numbers that tell one thing from others, and count nothing."""
_ANY_MARK: Final = frozenset({"number", "no", "nr"})
"""Marks that any number may have."""
_JOINT = re.compile(r"[-_/#:]|(?<=[a-z])(?=\d)")
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")
_AGAINST = re.compile(r"\b(?:no|not|never|neither|nor)\b|n't\b")
_HOLD_ON = re.compile(r"\b(?:hold|hang) (?:on|off)\b", re.IGNORECASE)
_WHICH: Final = re.compile(
    r"\b(?:which|welche[nrs]?|lequel|laquelle|quel|quelle|cuál)\b[^.!?]*\?"
)
_UNITS: Final = 1


def stops(text: str, record: ExecutionRecord) -> bool:
    """Whether a turn tells to stop, whatever it answers. To stop may itself be the action of the record."""
    shown = plain(text).replace("\u2019", "'").casefold().strip()
    verbs = action_verbs(record.kind)
    for found in _STOPS.finditer(shown):
        waits = _HOLD_ON.search(found[0]) is not None
        if waits or verbs.isdisjoint(map(stem, _WORD.findall(found[0]))):
            return True
    nouns = set(kind_words(record.kind)[1:])
    return any(
        not nouns.isdisjoint(_WORD.findall(found[0]))
        or (record.target is not None and names_target(found[0], record.target))
        for found in _KEEPS.finditer(shown)
    )


def without_reasons(text: str, record: ExecutionRecord) -> str:
    """The turn without what speaks for ending a thing: `I don't use it any more`.

    `Hold on` is no order to hold something, and is shown as `wait`.
    """
    text = _HOLD_ON.sub("wait", text)
    if not undoes(record.kind):
        return text
    verbs = action_verbs(record.kind)

    def shown(found: re.Match[str]) -> str:
        words = _WORD.findall(found[0].casefold())
        speaks_against = not verbs.isdisjoint(map(stem, words)) or not (
            _DOING.isdisjoint(words[1:])
        )
        return found[0] if speaks_against else " "

    return _REASON.sub(shown, text.replace("\u2019", "'"))


def corrects(text: str) -> bool:
    """Whether a turn corrects what was said before."""
    return _CORRECTS.search(plain(text).casefold()) is not None


def another_value(text: str, proposal: str, record: ExecutionRecord) -> str | None:
    """The number, name or option that a turn puts in the place of the record's, in words; None where there is none."""
    replaced = _replaced(text, record)
    if " or " not in proposal:
        replaced -= numbers_in(proposal)
    own = _numbers_of(record)
    if replaced and own and replaced.isdisjoint(own):
        return "the user gave another number"
    if record.target is not None and (
        _other_name(text, record.target) or _other_option(text, proposal, record)
    ):
        return "the user named another one"
    return None


def stray_number(text: str, proposal: str, record: ExecutionRecord) -> Decimal | None:
    """A number of an answer that is neither proposed nor the record's, nor a bound, a date or a mark of something else.

    A date counts where the proposal names one in the same month, and a mark (`order 113`) where it is of the proposal.
    """
    told = _told(proposal, record)
    words = set(_WORD.findall(told))
    known = numbers_in(told) | numbers_in_words(told) | _numbers_of(record)
    target = plain(record.target or "").casefold() or "\0"
    said = plain(text).replace("\u2019", "'").casefold().replace(target, " ")
    for whole in _CLAUSE.split(said):
        clause = _LABELLED.sub(
            lambda found: (
                found[0]
                if not (words | _ANY_MARK).isdisjoint(_WORD.findall(found[0]))
                else " "
            ),
            whole,
        )
        dated = [
            word for word in _WORD.findall(clause) if _is_dated({word} - _ANY_MARK)
        ]
        if LIMIT.search(clause) or not words.issuperset(dated):
            continue
        strays = (numbers_in(clause) | numbers_in_words(clause)) - known
        if _is_dated(words):
            strays |= set(map(Decimal, _ORDINAL.findall(clause))) - known
        if strays:
            return min(strays)
    return None


def _told(proposal: str, record: ExecutionRecord) -> str:
    """Proposal and record as one text, in which the parts of ids stand apart."""
    values = (record.kind, record.target, *fields_of(record).values())
    shown = plain(" ".join([proposal, *map(str, values)])).casefold()
    if record.target and _numbers_of(record):
        # The digits of an id are no quantity.
        shown = shown.replace(plain(record.target).casefold(), " ")
    apart = _JOINT.sub(" ", shown)
    return f"{shown} {apart} {_ORDINAL.sub(lambda found: found[1], apart)}"


def fits_correction(text: str, record: ExecutionRecord) -> bool:
    """Whether a correction gives the record's own number."""
    return not _replaced(text, record).isdisjoint(_numbers_of(record))


def _numbers_of(record: ExecutionRecord) -> set[Decimal]:
    found: set[Decimal] = set()
    for value in record.parameters.values():
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            found.update(readings(value))
    return found


def _replaced(text: str, record: ExecutionRecord) -> set[Decimal]:
    """The numbers of the clauses that hold nothing but a number, its unit and words for a change."""
    known = _REPLACING | set(_WORD.findall(plain(record.target or "").casefold()))
    verbs = action_verbs(record.kind)
    found: set[Decimal] = set()
    for clause in _CLAUSE.split(plain(text).replace("\u2019", "'").casefold()):
        words = [word for word in _WORD.findall(clause) if not word[0].isdigit()]
        strange = [
            word for word in words if word not in known and stem(word) not in verbs
        ]
        if LIMIT.search(clause):
            # A bound on an amount is compared where the amount is known.
            continue
        if len(strange) <= _UNITS and not _is_dated(strange):
            found |= numbers_in(clause)
    return found


def _is_dated(words: Iterable[str]) -> bool:
    """Whether one of the words makes a number a date, a time or a mark of something else."""
    return any(word in _DATED or word[:3] in _MONTHS for word in words)


_DATED: Final = frozenset(
    (
        "am", "pm", "o'clock", "uhr", "at", "on", "number", "no", "nr", "id", "code", "centre", "center", "reference",
        "ref", "st", "nd", "rd", "th",
    )
)  # fmt: skip
_MONTHS: Final = frozenset(
    (
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    )
)  # fmt: skip


def _other_name(text: str, target: str) -> bool:
    """Whether a correction names something with a name that is not the target's: `I meant the Rowing Club`."""
    found = re.search(
        r"(?i:\bi meant|\bi mean|\bmake (?:it|that)|\binstead of)\s+(?P<rest>.*)",
        plain(text),
    )
    if found is None:
        return False
    named = {word.casefold() for word in _NAME.findall(found["rest"])} - {"i"}
    own = set(_WORD.findall(plain(target).casefold()))
    return bool(named - own) and not own <= named and not any(map(str.isdigit, target))


def chooses(text: str, proposal: str, record: ExecutionRecord) -> bool:
    """Whether the turn names the record's target out of the options of the question, and says nothing against it."""
    if "?" in text or _AGAINST.search(plain(text).replace("\u2019", "'").casefold()):
        return False
    if _WHICH.search(plain(proposal).casefold()):
        return _is_target_alone(text, record)
    return _choice(text, proposal, record) is True


def _is_target_alone(text: str, record: ExecutionRecord) -> bool:
    """Whether the turn is the name of the target, with courtesies: `Seed Bank North, please`."""
    said, own = _tokens(text) - HARMLESS_WORDS, _tokens(record.target or "")
    return bool(said) and own >= said


def _other_option(text: str, proposal: str, record: ExecutionRecord) -> bool:
    """Whether the turn chooses an option of the question that is not the target."""
    return _choice(text, proposal, record) is False


def _choice(text: str, proposal: str, record: ExecutionRecord) -> bool | None:
    """Whether the turn names the option of the target (True), another one (False), or none of a question's options."""
    own = _tokens(record.target or "")
    verbs = action_verbs(record.kind)
    said = {word for word in _tokens(text) if stem(word) not in verbs}
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", plain(proposal)):
        if " or " not in sentence:
            continue
        options = [_tokens(part) for part in re.split(r",|\bor\b", sentence)]
        mine = set[str]().union(*(option for option in options if own <= option))
        rest = set[str]().union(*(option for option in options if not own <= option))
        if not mine or not rest:
            continue
        if said & (own - rest):
            return None if said & (rest - mine) else True
        if said & (rest - mine):
            return False
    return None


def _tokens(text: str) -> set[str]:
    """The words of a text in small letters, without function words; a single capital letter is a name."""
    return {
        word.casefold()
        for word in _WORD.findall(plain(text))
        if word not in _FUNCTION_WORDS
        and word.casefold() not in _FUNCTION_WORDS - {"a"}
    }
