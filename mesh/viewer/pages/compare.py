"""`/compare?a=&b=`: two runs, the gates that flipped, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.report import Gate
from judgemesh.mesh.viewer.pages.runs import RUNS_A_PAGE
from judgemesh.mesh.viewer.queries import figures, lists
from judgemesh.mesh.viewer.queries.flips import Comparison, Pair, compare_runs
from judgemesh.mesh.viewer.rendering import address
from judgemesh.mesh.viewer.viewer import page, parameter, problem, viewer_of

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.requests import Request
    from starlette.responses import Response

    from judgemesh.mesh.metrics.intervals import Interval

FLIPS_A_PAGE: Final = 100
_DIRECTIONS: Final[tuple[tuple[str, Sequence[Pair]], ...]] = (
    ("worse", (("pass", "fail"),)),
    ("better", (("fail", "pass"),)),
    ("newly undecided", (("pass", "undecided"), ("fail", "undecided"))),
    ("newly decided", (("undecided", "pass"), ("undecided", "fail"))),
)
"""Undecided is neither better nor worse than another gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipList:
    """Flips of one direction. ids: a page of them, with the gates before and after."""

    name: str
    count: int
    ids: Sequence[tuple[str, str, str]]
    start: int
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RateChange:
    """Passes among results that both runs decided. p: mid-p value of McNemar's test on the flips between them."""

    decided: int
    before: float
    after: float
    interval: Interval
    p: float


async def compare(request: Request) -> Response:
    """The comparison, or a form that asks for the two runs."""
    a, b = parameter(request, "a"), parameter(request, "b")
    viewer = viewer_of(request)

    def read(connection: Connection) -> tuple[Any, Any, Any, Any]:
        known = lists.runs_page(connection, None, RUNS_A_PAGE).rows
        pair = [lists.listed_run(connection, name) if name else None for name in (a, b)]
        return (
            known,
            pair[0],
            pair[1],
            figures.gates_by_run(connection, [a or "", b or ""]),
        )

    known, before, after, gates = await viewer.ledger.ask(read)
    for name, found in ((a, before), (b, after)):
        if name and found is None:
            return problem(request, 404, f"the ledger has no run {name!r}")
    answer = None
    if before is not None and after is not None:
        # A run in progress has other counts the next time, and is compared again.
        key = ("compare", a, b, *(gates.get(name) for name in (a, b)))
        work = partial(compare_runs, before=before.run_id, after=after.run_id)
        answer = await viewer.jobs.answer(key, lambda: viewer.ledger.ask(work))
    return page(
        request,
        "compare_part.html" if parameter(request, "part") else "compare.html",
        runs=known,
        before=before,
        after=after,
        comparison=answer,
        change=None if answer is None else _change(answer),
        gates=lists.GATES,
        flips=[] if answer is None else _flips(request, answer),
        part_address=address("/compare", a=a, b=b, part="1"),
    )


def _change(comparison: Comparison) -> RateChange | None:
    from judgemesh.mesh.metrics.gates import mcnemar_mid_p
    from judgemesh.mesh.metrics.shares import newcombe

    both = comparison.count(Gate.PASS, Gate.PASS)
    lost = comparison.count(Gate.PASS, Gate.FAIL)
    won = comparison.count(Gate.FAIL, Gate.PASS)
    decided = both + lost + won + comparison.count(Gate.FAIL, Gate.FAIL)
    if not decided:
        return None
    return RateChange(
        decided=decided,
        before=(both + lost) / decided,
        after=(both + won) / decided,
        interval=newcombe(both + lost, decided, both + won, decided),
        p=mcnemar_mid_p(lost, won),
    )


def _flips(request: Request, comparison: Comparison) -> list[FlipList]:
    chosen = parameter(request, "flips")
    start = _number(parameter(request, "start"))
    return [
        _flip_list(request, comparison, name, pairs, start if name == chosen else 0)
        for name, pairs in _DIRECTIONS
    ]


def _flip_list(
    request: Request,
    comparison: Comparison,
    name: str,
    pairs: Sequence[Pair],
    start: int,
) -> FlipList:
    ids = [
        (result_id, *pair)
        for pair in pairs
        for result_id in comparison.flips.get(pair, ())
    ]
    following = None
    if start + FLIPS_A_PAGE < len(ids):
        following = address(
            "/compare",
            a=parameter(request, "a"),
            b=parameter(request, "b"),
            flips=name,
            start=str(start + FLIPS_A_PAGE),
        )
    return FlipList(
        name=name,
        count=sum(comparison.counts.get(pair, 0) for pair in pairs),
        ids=ids[start : start + FLIPS_A_PAGE],
        start=start,
        next=following,
    )


def _number(text: str | None) -> int:
    return (
        int(text)
        if text is not None and text.isascii() and text.isdigit() and len(text) < 9
        else 0
    )
