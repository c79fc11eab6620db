"""Whether a tool call reads or writes: by the trace, by its state, by the verb of its name.

Pure. A name is cut into words at underscores, dots, dashes and capitals. The first word
that is a verb decides: `get_order_update` reads. Where nothing decides, the access is
unknown, which is neither.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

from judgemesh.contracts.tracing import Access, StateType, Step, ToolEvent

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NAMESPACES: Final = re.compile(r"^(?:mcp__[^_]+(?:_[^_]+)*__|functions\.)")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_READS: Final = _words(
    """
    ask browse calculate check compare compute describe detect diff download estimate
    evaluate explain extract fetch filter find get glob grep inspect is list load look
    lookup ls match peek poll preview query read recall retrieve scan search select show
    tail test think validate verify view wait watch
    """
)
_WRITES: Final = _words(
    """
    accept add append apply approve archive assign authorise authorize buy cancel clear
    close commit confirm create decline deduct delete deploy disable dispatch drop edit
    enable enroll erase forward grant hire insert install invite kill launch merge modify
    move notify overwrite pay place provision publish purge push put redeem register
    reject remove rename renew reply reschedule reserve reset restart resume revoke
    rollback save sell send set ship sign start stop submit subscribe suspend terminate
    trigger truncate unsubscribe update upgrade upload upsert wipe wire withdraw write
    """
)
_WRITE_OR_NOUN: Final = _words(
    """
    award block book capture change charge checkout comment copy credit debit deposit
    email exchange invoice issue log mail message order patch pause post purchase record
    refund release remember report return schedule store tag transfer
    """
)
"""A write where a noun follows or they begin the name, and nothing in it reads."""
_READ_NOUNS: Final = _words(
    """
    availability balance calculator count details finder history hours id info
    information locator name number price prices quote rate rates reader status summary
    type viewer
    """
)
_SETS: Final = _words(
    """
    archive block cancel close commit delete disable drop edit enable erase overwrite
    patch put remove rename revoke save set stop store suspend terminate truncate
    unsubscribe update upsert wipe write
    """
)
"""Writes that leave the same when they are made twice."""
_NOUNS_THAT_WRITE: Final = frozenset({"payment", "refund", "transfer", "booking"})
"""A tool that is named by such a noun alone, as `stripe.payment`, does it."""
_BY_STATE: Final[Mapping[StateType, Access]] = {
    StateType.RETRIEVE: "read",
    StateType.FILE_READ: "read",
    StateType.MEMORY_READ: "read",
    StateType.FILE_WRITE: "write",
    StateType.MEMORY_WRITE: "write",
}
_PAIRS: Final[Mapping[tuple[str, str], Access]] = {
    ("check", "in"): "write",
    ("check", "out"): "write",
    ("sign", "in"): "read",
    ("log", "in"): "read",
    ("look", "up"): "read",
}
"""Two words that together mean something else."""
_HANDS_OVER: Final = _words("transfer handoff hand delegate escalate route")
_TO_WHOM: Final = _words(
    "agent agents assistant expert human humans specialist support"
)
"""A hand-over to another agent is neither a read nor a write."""
_QUERY_KEYS: Final = (
    "query_type",
    "operation",
    "db.operation",
    "db.operation.name",
    "db.statement",
    "db.query.text",
    "sql",
    "query",
)
_SQL_READS: Final = frozenset({"select", "show", "explain", "describe", "with", "read"})
_SQL_WRITES: Final = frozenset(
    {
        "insert",
        "update",
        "delete",
        "merge",
        "upsert",
        "create",
        "drop",
        "alter",
        "write",
    }
)


def access_of(step: Step, tool: ToolEvent) -> Access | None:
    """Whether a step's call reads or writes; None: nothing says."""
    if tool.access is not None:
        return tool.access
    if step.state_type is StateType.DB_QUERY:
        by_query = _access_of_query(step)
        if by_query is not None:
            return by_query
    # The verb is more precise than a state, which readers take from a noun of the name.
    return access_of_name(tool.tool_name) or _BY_STATE.get(step.state_type)


def _access_of_query(step: Step) -> Access | None:
    """By the first word of the query, or what the trace says that it does."""
    for key in _QUERY_KEYS:
        value = step.details.get(key)
        word = next(iter(value.lower().split()), "") if isinstance(value, str) else ""
        if word in _SQL_READS:
            return "read"
        if word in _SQL_WRITES:
            return "write"
    return None


@lru_cache(maxsize=4096)
def access_of_name(name: str) -> Access | None:
    """What the verb of a tool's name says; None where it has none that is known."""
    words = _words_of(name)
    if not _HANDS_OVER.isdisjoint(words[:1]) and not _TO_WHOM.isdisjoint(words):
        return None
    for pair in pairwise(words):
        if pair in _PAIRS:
            return _PAIRS[pair]
    for word in words:
        if word in _READS:
            return "read"
        if word in _WRITES:
            return "write"
    if _READ_NOUNS.intersection(words):
        return "read"
    before_noun = {*words[:1], *words[:-1]}
    is_verb = not _WRITE_OR_NOUN.isdisjoint(before_noun)
    return "write" if is_verb or _NOUNS_THAT_WRITE.intersection(words[-1:]) else None


def _words_of(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(_NAMESPACES.sub("", name))]


def may_repeat(name: str) -> bool:
    """Whether a write that is made twice leaves what one leaves: it sets or removes."""
    return not _SETS.isdisjoint(_words_of(name))
