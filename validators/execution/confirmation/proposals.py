"""What a question of the agent proposes: the recorded action, another one, or to leave things as they are."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.trace.verbs import (
    CHANGING,
    ENDING,
    kind_words,
    stem,
    stems_of,
)
from judgemesh.validators.execution.confirmation.language.offer_words import (
    with_single_verbs,
)
from judgemesh.validators.execution.confirmation.language.wording import (
    action_verbs,
    with_english_verbs,
)

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_ASKED_VERB = re.compile(
    r"\b(?:(?:shall|should|may|can|could|must) (?:i|we)|(?:want|like|prefer|wish|need|rather)(?: (?:me|us))? to|"
    r"(?:would|do) you (?:also |still )?rather|want me to)\s+"
    r"(?:(?:also|now|then|just|still|already|please|instead|\w+ly|go ahead and|first) )*(?P<verb>[^\W\d_]+)"
    r"(?: (?P<object>[^\W_]+))?"
)
_ASKED_THING = re.compile(
    r"\b(?:would you|do you)(?: also| still)? (?:want|like|need|prefer)\s+(?:also )?(?:an?|the|some|another|your|any|"
    r"more)\s+(?P<words>[^?]*)"
)
_DOCUMENTS: Final = frozenset(
    (
        "receipt", "copy", "copies", "summary", "invoice", "pdf", "list", "statement", "link", "details",
        "confirmation", "log", "report", "overview", "screenshot", "file", "transcript", "survey", "newsletter",
        "reminder", "email", "mail", "message", "calendar", "note", "notes",
        "complaint", "letter", "query", "objection",
    )
)  # fmt: skip
_SENDING: Final = stems_of("send email mail forward message text post")
_PRONOUNS: Final = frozenset({"it", "them", "this", "that", "these", "those"})
_TELLING: Final = stems_of(
    "show see tell explain describe summarise summarize list look check read view review know hear compare search find"
    " print remind inform translate calculate estimate draft prepare simulate preview test verify fill"
)
_OTHERS: Final = stems_of(
    "restart reset extend renew upgrade downgrade rename reboot reinstall resend reopen restore duplicate clone copy"
    " archive backup call invite"
)
_KEEPING: Final = stems_of(
    "keep leave retain stay wait remain continue postpone defer hold"
)


def proposes(proposal: str, record: ExecutionRecord) -> bool:
    """Whether a yes to what the agent said can be one to the action of the record.

    A question with a verb of another action proposes that one. A question without a verb of its own (`OK?`) is about
    what was said before it.
    """
    asked = [one for one in _sentences(proposal) if "?" in one]
    return not asked or any(_may_propose(one, record) for one in asked)


def proposes_to_keep(proposal: str, record: ExecutionRecord) -> bool:
    """Whether the last question proposes to leave things as they are, and not the action."""
    asked = [one for one in _sentences(proposal) if "?" in one]
    found = _ASKED_VERB.search(asked[-1]) if asked else None
    if found is None or stem(found["verb"]) not in _KEEPING:
        return False
    return _own(record).isdisjoint(map(stem, _WORD.findall(asked[-1])))


def asks_other(proposal: str, record: ExecutionRecord) -> bool:
    """Whether the agent's last words ask about something else than the action."""
    asked = [one for one in _sentences(proposal) if "?" in one]
    if not asked:
        return False
    return not _own(record) & set(map(stem, _WORD.findall(asked[-1]))) or not (
        _may_propose(asked[-1], record)
    )


def _sentences(text: str) -> list[str]:
    shown = plain(text).replace("\u2019", "'").casefold()
    return _SENTENCE.split(with_single_verbs(with_english_verbs(shown)))


def _own(record: ExecutionRecord) -> frozenset[str]:
    own = action_verbs(record.kind)
    return own | ENDING if not own.isdisjoint(ENDING) else own


def _names_address(question: str, record: ExecutionRecord) -> bool:
    target = (record.target or "").casefold()
    return "@" in target and target in question


def _may_propose(question: str, record: ExecutionRecord) -> bool:
    words = _WORD.findall(question)
    own = _own(record) | set(map(stem, kind_words(record.kind)[:1]))
    thing = _ASKED_THING.search(question)
    if thing is not None:
        asked = _WORD.findall(thing["words"])
        return _DOCUMENTS.isdisjoint(asked[:3]) and not own.isdisjoint(map(stem, asked))
    found = _ASKED_VERB.search(question)
    if found is None:
        return True
    verb = stem(found["verb"])
    if verb in _SENDING:
        return found["object"] in _PRONOUNS or (
            verb in own
            and (
                _names_address(question, record)
                or _DOCUMENTS.isdisjoint(set(words) - set(kind_words(record.kind)))
            )
        )
    if verb in own or not own.isdisjoint(map(stem, words)):
        return True
    return verb not in _TELLING | _OTHERS | _KEEPING | CHANGING
