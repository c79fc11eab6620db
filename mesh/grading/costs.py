"""Which verdict of a validator each judge call was made for, and so what each verdict cost. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.money import FREE, Money, total
from judgemesh.contracts.verdicts import Verdict

if TYPE_CHECKING:
    from judgemesh.contracts.attempts import JudgeAttempt

_QUANTUM: Final = Decimal("1e-12")


def costs_of(
    verdicts: Sequence[Verdict], attempts: Sequence[JudgeAttempt]
) -> list[Money | None]:
    """What each verdict of one validator cost: the calls that asked its question.

    A call that asked several questions is shared evenly among them. What was asked for no verdict in particular, such
    as the list of all claims, is on the first verdict. The shares add up to the cost of the calls exactly. None: the
    cost of a call is unknown.
    """
    if not attempts:
        return [FREE] * len(verdicts)
    places = _places(verdicts)
    paid: list[list[Money | None]] = [[] for _ in verdicts]
    for attempt in attempts:
        targets = [places.get(one, 0) for one in attempt.question_id.split(",")]
        shares = _shares(attempt.cost, len(targets))
        for place, share in zip(targets, shares, strict=True):
            paid[place].append(share)
    return [total(each) if each else FREE for each in paid]


def _places(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """The verdict of each question, by the id of the question; a check is named `kind:id` or by the id alone."""
    places: dict[str, int] = {}
    for place, verdict in enumerate(verdicts):
        names = [verdict.check, verdict.check.partition(":")[2]]
        if verdict.opinion is not None:
            names.append(verdict.opinion.question_id)
        for name in names:
            if name:
                places.setdefault(name, place)
    return places


def _shares(cost: Money | None, count: int) -> list[Money | None]:
    """A cost in equal parts that add up to it; the first takes the remainder."""
    if cost is None or count == 1:
        return [cost] * count
    part = (cost.amount / count).quantize(_QUANTUM)
    first = cost.amount - part * (count - 1)
    return [Money(first, cost.currency), *[Money(part, cost.currency)] * (count - 1)]
