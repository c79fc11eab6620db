"""P(yes) from the log-probabilities of the first token. Pure.

    py = mass of the spellings of yes, pn of no, m = py + pn, rest = 1 - everything that was returned
    p = py / m, in the interval [py / (m + rest), (py + rest) / (m + rest)]

The rest might be spellings of either that the provider did not list, hence the interval. The probability is valid when
m >= 0.90 and the interval is at most 0.10 wide; otherwise the model was about to say something else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.opinions import Vote

_YES: Final = frozenset({"yes", "y", "true"})
_NO: Final = frozenset({"no", "n", "false"})
_STRIPPED: Final = " \t\r\n\"'`*_#>.,:;!()[]{}<\u2581\u0120\u010a"  # whitespace, quotes, markdown, brackets, BPE marks
_MIN_MASS: Final = 0.90
_MAX_WIDTH: Final = 0.10
_SATURATED_LOGIT: Final = 6.0
_SATURATED_SHARE: Final = 0.80
_ROUNDING: Final = 1e-3


@dataclass(frozen=True, slots=True)
class FirstToken:
    """The probability that the model says yes. All numbers lie in 0..1; `low <= p <= high`."""

    p: float
    low: float
    high: float
    mass: float

    @property
    def valid(self) -> bool:
        """Whether the first token really was the verdict."""
        return self.mass >= _MIN_MASS and self.high - self.low <= _MAX_WIDTH

    @property
    def vote(self) -> Vote:
        """The likelier answer; `cannot_assess` where neither is likelier."""
        if not self.valid or self.low <= 0.5 <= self.high:
            return Vote.CANNOT_ASSESS
        return Vote.YES if self.p > 0.5 else Vote.NO


def read_first_token(alternatives: Sequence[tuple[str, float]]) -> FirstToken | None:
    """P(yes) from the alternatives to the first token and their log-probabilities.

    None when these are no log-probabilities at all: none given, not finite, above 0, all the same, or of a mass above
    1; or when neither answer is among them.
    """
    logprobs = [logprob for _, logprob in alternatives]
    if not logprobs or not all(map(_is_logprob, logprobs)):
        return None
    if len(logprobs) > 1 and len(set(logprobs)) == 1:
        return None
    yes_mass = _mass(alternatives, _YES)
    mass = yes_mass + _mass(alternatives, _NO)
    returned = math.fsum(map(math.exp, logprobs))
    if mass <= 0 or returned > 1 + _ROUNDING:
        return None
    rest = max(0.0, 1.0 - returned)
    p = yes_mass / mass
    # Where next to nothing is hidden, rounding would put an end of the interval on the other side of p.
    return FirstToken(
        p=p,
        low=min(p, yes_mass / (mass + rest)),
        high=max(p, min(1.0, (yes_mass + rest) / (mass + rest))),
        mass=min(mass, 1.0),
    )


def _is_logprob(value: float) -> bool:
    return math.isfinite(value) and value <= 0


def _mass(alternatives: Iterable[tuple[str, float]], words: frozenset[str]) -> float:
    logprobs = [logprob for token, logprob in alternatives if normal(token) in words]
    return math.fsum(map(math.exp, logprobs))


def normal(token: str) -> str:
    """A token without what surrounds the word."""
    return token.strip(_STRIPPED).casefold()


def saturated(probabilities: Iterable[float]) -> bool:
    """Whether nearly all probabilities of a calibration set are extreme, so that they rank nothing."""
    extreme = [_is_extreme(probability) for probability in probabilities]
    return bool(extreme) and sum(extreme) >= _SATURATED_SHARE * len(extreme)


def _is_extreme(probability: float) -> bool:
    if not 0 < probability < 1:
        return True
    return abs(math.log(probability / (1 - probability))) > _SATURATED_LOGIT
