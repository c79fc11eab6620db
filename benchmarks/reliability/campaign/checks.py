"""What must hold after each case, by promise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from reliability.campaign.case import Case
from reliability.campaign.facts import Facts
from reliability.campaign.processes import Ended

PROMISES: Final = (
    "no fault becomes a pass or a fail",
    "committed results stay",
    "every request is an attempt in the ledger",
    "the ledger's cost is the provider's bill, or says that it is unknown",
    "the same command completes, and equals the run without a fault",
    "nothing is left open",
    "the exit code is honest, and no traceback is printed",
    "the run ends in time",
)
GRADE, COMMITTED, ATTEMPTS, COST, RESUME, OPEN, EXIT, TIME = PROMISES
_DECIDED: Final = ("pass", "fail")
_DOCUMENTED: Final = frozenset({0, 1, 2, 3, 4, 70, 130})
_BEFORE_ITS_HANDLER: Final = -15
"""SIGTERM before the command has begun to grade ends it as it ends any program."""
_ONLY_COMPLETE: Final = frozenset({0, 1})
_OF_PLUGINS: Final = "thread judgemesh-plugins"
"""Plug-ins share an event loop that lives as long as the process."""
_HUNG: Final = "thread judgemesh-offload"
_SIGNS: Final = (
    "Traceback",
    "never awaited",
    "was destroyed but",
    "ResourceWarning",
    "Exception ignored",
    "never retrieved",
)


@dataclass(frozen=True, kw_only=True)
class Observed:
    """What happened: the run with the fault, the same command again without it, and the ledger after both.

    expected: the gates without a fault. requests, bill: of the provider, over both runs.
    """

    first: Ended
    second: Ended
    after_first: Facts
    after_second: Facts
    expected: Mapping[str, str]
    requests: int
    bill: Decimal
    struck: int


def violations(case: Case, seen: Observed) -> Iterator[tuple[str, str]]:
    """The promises that the case breaks, each with what was seen."""
    yield from _grades(seen.after_first, seen.expected)
    yield from _grades(seen.after_second, seen.expected)
    yield from _committed(seen)
    yield from _spent(case, seen)
    yield from _completed(seen)
    yield from _closed(case, seen)
    yield from _exit(case, seen)
    for ended in (seen.first, seen.second):
        if not ended.in_time:
            yield TIME, f"killed after {ended.seconds:.0f} s"
    if case.strikes and not seen.struck and seen.first.code >= 0:
        yield TIME, "the fault did not happen"


def _grades(facts: Facts, expected: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for result_id, gate in facts.gates.items():
        if gate in _DECIDED and gate != expected.get(result_id):
            yield GRADE, f"{result_id} is {gate}, not {expected.get(result_id)}"


def _committed(seen: Observed) -> Iterator[tuple[str, str]]:
    for fault in (*seen.after_first.faults, *seen.after_second.faults):
        yield COMMITTED, f"the ledger is damaged: {fault}"
    if seen.after_first.run_id != seen.after_second.run_id:
        return
    for result_id, gate in seen.after_first.gates.items():
        later = seen.after_second.gates.get(result_id)
        if gate in _DECIDED and later != gate:
            yield COMMITTED, f"{result_id} was {gate}, then {later}"


def _spent(case: Case, seen: Observed) -> Iterator[tuple[str, str]]:
    missing = seen.requests - seen.after_second.attempts
    # An attempt that was ended before it reached the server is an attempt, too.
    surplus = 0 if case.wire and case.kind != "refused" else seen.after_second.failed
    if not -surplus <= missing <= 0:
        yield (
            ATTEMPTS,
            f"{seen.after_second.attempts} attempts, {seen.requests} requests",
        )
    unbilled = seen.bill - seen.after_second.cost
    is_explained = unbilled == 0 or (
        unbilled > 0 and (missing > 0 or seen.after_second.unknown > 0)
    )
    if not is_explained:
        yield COST, f"cost {seen.after_second.cost}, bill {seen.bill}"
    if case.kind == "no_usage" and seen.after_second.unpriced != seen.struck:
        yield COST, f"{seen.after_second.unpriced} unknown costs for {seen.struck}"


def _completed(seen: Observed) -> Iterator[tuple[str, str]]:
    if seen.after_second.gates != seen.expected:
        wrong = {
            result_id: (gate, seen.after_second.gates.get(result_id))
            for result_id, gate in seen.expected.items()
            if seen.after_second.gates.get(result_id) != gate
        }
        yield (
            RESUME,
            f"expected and found: {wrong}; exit {seen.second.code}: {_said(seen.second)}",
        )
    elif seen.second.code != 1:
        yield RESUME, f"exit {seen.second.code}: {_said(seen.second)}"


def _closed(case: Case, seen: Observed) -> Iterator[tuple[str, str]]:
    for ended in (seen.first, seen.second):
        shared = _shared(ended) if case.contracts else ()
        for line in ended.left:
            if not line.endswith(shared):
                yield OPEN, line
    for ended in (seen.first, seen.second):
        for process in ended.survivors:
            yield OPEN, f"process {process} outlives the command"


def _shared(ended: Ended) -> tuple[str, ...]:
    """The ends of the lines about what plug-ins keep.

    The thread of their event loop and the two sockets that wake it, and a thread that a function never returned from.
    """
    if not any(line.endswith(_OF_PLUGINS) for line in ended.left):
        return (_HUNG,)
    sockets = [line for line in ended.left if "socket:" in line]
    return (_HUNG, _OF_PLUGINS, *(line.partition(": ")[2] for line in sockets[:2]))


def _exit(case: Case, seen: Observed) -> Iterator[tuple[str, str]]:
    for ended in (seen.first, seen.second):
        for sign in _SIGNS:
            if sign in ended.stderr:
                yield EXIT, f"stderr has {sign!r}: {_said(ended)}"
                break
    code = seen.first.code
    if code in case.codes or (case.kind == "terminate" and code == _BEFORE_ITS_HANDLER):
        return
    if code not in _DOCUMENTED:
        yield EXIT, f"exit {code}: {_said(seen.first)}"
    is_whole = seen.after_first.gates.keys() == seen.expected.keys()
    if code in _ONLY_COMPLETE and not is_whole:
        yield (
            EXIT,
            f"exit {code} with {len(seen.after_first.gates)} of {len(seen.expected)} results",
        )
    if code == 0 and set(seen.after_first.gates.values()) != {"pass"}:
        yield EXIT, "exit 0 although not every gate is passed"
    if code == 70:
        yield EXIT, f"exit 70: {_said(seen.first)}"


def _said(ended: Ended) -> str:
    lines: list[Any] = ended.stderr.strip().splitlines()
    return " | ".join(lines[-2:])[:300]
