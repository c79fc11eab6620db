"""Do the answers of one call sway each other? Measured on the calls whose questions were asked alone as well. Pure.

`excess` is the question: how much more the answers of one call agree with each other than the same questions' answers
given alone do, as a difference of correlations. Answers are coded 1, 0 ("cannot assess") and -1, less the mean answer
to their question, so that neither easy questions nor a judge that is milder in a long reply count as agreement; that
good results earn yes on everything is in both halves and cancels. The test swaps, call by call, the answers given
together with those given alone: without a halo they are draws of the same kind, so the p-value is exact.

The order of each call was drawn at random, so that over a run every question stands before and behind every other:
what one does to the next is in the excess whichever way round the contract lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from judgemesh.mesh.ledger.opinions import AuditedQuestion

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

LEAST_CALLS: Final = 20
"""Calls asked both ways below which nothing is said."""
ALPHA: Final = 0.025
_MOST_CALLS: Final = 2000  # more would only take longer
_RESAMPLES: Final = 400
_OFTEN: Final = (
    5  # a question asked less often is compared with the mean over all questions
)
_CODES: Final[Mapping[str, float]] = {"yes": 1.0, "no": -1.0, "cannot_assess": 0.0}


@dataclass(frozen=True, slots=True)
class Answered:
    """One question of a call that was asked both ways. place: where it stood in the call, from 0."""

    question: str
    place: int
    together: str
    alone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Halo:
    """What the calls show.

    calls: how many were asked both ways. excess: correlation of the answers within a call less that of the answers
    given alone, with its 95 % interval, and the one-sided p-value. changed: share of answers that are others alone than
    together. None where there is nothing to compute it from.
    """

    calls: int
    questions: int
    excess: float | None = None
    interval: tuple[float, float] | None = None
    p_value: float | None = None
    changed: float | None = None

    @property
    def enough(self) -> bool:
        """Whether there are enough calls to say anything."""
        return self.calls >= LEAST_CALLS and self.p_value is not None

    @property
    def alarm(self) -> bool:
        """Whether the answers of one call sway each other, beyond what chance explains (alpha .025, one-sided)."""
        return self.enough and self.p_value is not None and self.p_value <= ALPHA

    def sentence(self) -> str:
        """What the calls show, in words."""
        asked = f"{self.calls} calls asked both ways"
        if not self.enough or self.excess is None or self.interval is None:
            why = "their answers do not vary"
            if self.calls < LEAST_CALLS:
                why = f"too few to tell whether their answers sway each other; it takes {LEAST_CALLS} (--batch-audit)"
            return f"{asked}: {why}"
        low, high = self.interval
        figures = f"correlation {self.excess:+.2f}, 95 % interval {low:+.2f} to {high:+.2f}, {asked}"
        if self.alarm:
            return f"answers of one call sway each other: they agree more than the same answers given alone ({figures})"
        return f"answers of one call agree no more than the same answers given alone ({figures})"

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        names = ("calls", "questions", "excess", "p_value", "changed")
        row: dict[str, object] = {name: getattr(self, name) for name in names}
        return {
            **row,
            "interval": None if self.interval is None else list(self.interval),
            "alarm": self.alarm,
        }


def calls_by_model(
    audits: Iterable[AuditedQuestion],
) -> dict[str, list[list[Answered]]]:
    """The calls that were asked both together and alone, by model."""
    calls: dict[tuple[str, str], list[Answered]] = {}
    for audit in audits:
        answered = Answered(
            audit.criterion, audit.position, audit.together, audit.alone
        )
        calls.setdefault((audit.model, audit.call), []).append(answered)
    by_model: dict[str, list[list[Answered]]] = {}
    for model, call in sorted(calls):
        by_model.setdefault(model, []).append(calls[model, call])
    return by_model


def measure(
    calls: Sequence[Sequence[Answered]], *, seed: int = 0, swaps: int = 999
) -> Halo:
    """What the calls show. Same calls and seed, same figures; calls with a single question are left out.

    Args:
        calls: each with its answered questions.
        seed: of the swaps and of the interval's draws.
        swaps: how often the test swaps; the least p-value is one over one more.
    """
    import numpy as np

    kept = [sorted(call, key=_place) for call in calls if len(call) > 1][:_MOST_CALLS]
    flat = [(number, one) for number, call in enumerate(kept) for one in call]
    if not flat:
        return Halo(calls=0, questions=0)
    names = {
        name: number
        for number, name in enumerate(dict.fromkeys(one.question for _, one in flat))
    }
    data = _Data(
        call=np.array([number for number, _ in flat]),
        question=np.array([names[one.question] for _, one in flat]),
        together=np.array([_CODES[one.together] for _, one in flat]),
        alone=np.array([_CODES[one.alone] for _, one in flat]),
    )
    changed = sum(one.together != one.alone for _, one in flat) / len(flat)
    excess = _excess(data, data.together, data.alone)
    found = Halo(calls=len(kept), questions=len(flat), changed=changed)
    if excess is None or len(kept) < LEAST_CALLS:
        return found
    draws = np.random.default_rng(seed)
    return Halo(
        calls=len(kept),
        questions=len(flat),
        changed=changed,
        excess=excess,
        interval=_interval(data, draws),
        p_value=_swapped(data, excess, draws, swaps),
    )


def _place(one: Answered) -> int:
    return one.place


@dataclass(frozen=True, slots=True)
class _Data:
    """All answers, call by call in the order asked: which call and question, and the two answers."""

    call: Places
    question: Places
    together: Floats
    alone: Floats


def _centred(question: Places, answers: Floats) -> Floats:
    """Answers less the mean answer to their question, or to all where the question was asked a few times only."""
    import numpy as np

    times = np.bincount(question)
    sums = np.bincount(question, weights=answers)
    means = np.where(times >= _OFTEN, sums / np.maximum(times, 1), answers.mean())
    centred: Floats = answers - means[question]
    return centred


def _correlation(data: _Data, answers: Floats) -> float | None:
    """Mean product of the pairs of a call over the mean square; None where the answers do not vary."""
    import numpy as np

    x = _centred(data.question, answers)
    squares = float(x @ x)
    if squares <= 1e-12 * len(x):
        return None
    sizes = np.bincount(data.call)
    sums = np.bincount(data.call, weights=x)
    products = float(sums @ sums) - squares  # every pair of a call twice
    pairs = float(sizes @ (sizes - 1))
    return products / pairs / (squares / len(x))


def _excess(data: _Data, together: Floats, alone: Floats) -> float | None:
    one, other = _correlation(data, together), _correlation(data, alone)
    return None if one is None and other is None else (one or 0.0) - (other or 0.0)


def _swapped(
    data: _Data, excess: float, draws: np.random.Generator, swaps: int
) -> float:
    """How often swapping the two halves of calls at random gives as much; the case itself counts as one."""
    import numpy as np

    count = int(data.call[-1]) + 1
    as_much = 1
    for _ in range(swaps):
        swap = (draws.random(count) < 0.5)[data.call]
        found = _excess(
            data,
            np.where(swap, data.alone, data.together),
            np.where(swap, data.together, data.alone),
        )
        as_much += (found or 0.0) >= excess - 1e-12
    return as_much / (swaps + 1)


def _interval(data: _Data, draws: np.random.Generator) -> tuple[float, float]:
    """The 95 % percentile interval of `excess`, calls drawn anew."""
    import numpy as np

    count = int(data.call[-1]) + 1
    ends: list[int] = np.searchsorted(data.call, np.arange(count + 1)).tolist()
    found: list[float] = []
    for _ in range(_RESAMPLES):
        chosen: list[int] = draws.integers(0, count, count).tolist()
        places = np.array(
            [place for one in chosen for place in range(ends[one], ends[one + 1])]
        )
        sizes = np.array([ends[one + 1] - ends[one] for one in chosen])
        drawn = _Data(
            np.repeat(np.arange(count), sizes),
            data.question[places],
            data.together[places],
            data.alone[places],
        )
        one = _excess(drawn, drawn.together, drawn.alone)
        found.append(0.0 if one is None else one)
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)
