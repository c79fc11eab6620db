"""How sure a set of yes/no votes is of itself. Pure."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Final

_BELOW_ONE: Final = 1 - 2.0**-53
"""The largest result: with many votes the nearest double would be 1, which is never true."""


@lru_cache(maxsize=256)  # votes are few
def stability(yes: int, no: int) -> float:
    """Would the judge say it again? P(Beta(lead+1, trail+1) > 1/2) for the side that leads, in [0.5, 1).

    With a uniform prior on the judge's own rate of saying yes this is the chance that its long-run majority is the
    side that leads now. It says nothing about being right: a judge can be consistently wrong.

    Votes of "cannot_assess" do not count and are not passed in. A tie gives 0.5.

    Raises:
        ValueError: a negative count, or no vote at all.
    """
    if yes < 0 or no < 0 or yes + no == 0:
        raise ValueError(f"stability needs at least one vote, got yes={yes}, no={no}")
    lead, trail = max(yes, no), min(yes, no)
    trials = lead + trail + 1
    # The complement, summed over the short tail: exact in whole numbers, one rounding at the end.
    tail = sum(comb(trials, j) for j in range(trail + 1))
    whole: int = 2**trials
    return min((whole - tail) / whole, _BELOW_ONE)
