"""Do the answers of one call sway each other? Measured on calls whose questions were asked alone as well. Pure.

`excess` is the answer: how much more the answers of one call agree with each other than the answers to the same
questions given alone do, as a difference of correlations. Answers are coded 1, 0 ("cannot assess") and -1, less the
mean answer to their question, so that neither easy questions nor a judge that is milder in a long reply count as
agreement; that good results earn yes on everything is in both halves and cancels. The test swaps, call by call, the
answers given together with those given alone: without a halo they are draws of the same kind, so the p-value is exact.

The order of each call was drawn at random, so that over a run every question stands before and behind every other:
the effect of one question on the next is in the excess whatever the order of the contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from judgemesh.mesh.ledger.opinions import AuditedQuestion

    Floats = NDArray[np.float64]
    Indexes = NDArray[np.int64]
else:
    from judgemesh.mesh.judging.late import np

MIN_CALLS: Final = 20
"""Calls asked both together and alone below which nothing is said."""
ALPHA: Final = 0.025
_MAX_CALLS: Final = 2000  # more would only take longer
_RESAMPLES: Final = 400
_MIN_ASKED: Final = (
    5  # a question asked less often is compared with the mean over all questions
)
_CODES: Final[Mapping[str, float]] = {"yes": 1.0, "no": -1.0, "cannot_assess": 0.0}


@dataclass(frozen=True, slots=True)
class Answered:
    """One question of a call that was asked together and alone. position: where it stood in the call, from 0."""

    question: str
    position: int
    together: str
    alone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Halo:
    """What the calls show. Figures are None where there is nothing to compute them from.

    calls: how many were asked both together and alone, with `questions` in all.
    excess: correlation of the answers within a call less that of the answers given alone.
    interval: of `excess`, 95 %. p_value: one-sided.
    changed: share of the answers that differ alone from together.
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
        return self.calls >= MIN_CALLS and self.p_value is not None

    @property
    def alarm(self) -> bool:
        """Whether the answers of one call sway each other, beyond what chance explains (alpha .025, one-sided)."""
        return self.enough and self.p_value is not None and self.p_value <= ALPHA

    def sentence(self) -> str:
        """What the calls show, in words."""
        audited = f"{self.calls} calls asked both ways"
        if self.calls < MIN_CALLS:
            missing = "too few to tell whether their answers sway each other"
            return f"{audited}: {missing}; it takes {MIN_CALLS} (--batch-audit)"
        if not self.enough or self.excess is None or self.interval is None:
            return f"{audited}: their answers do not vary"
        low, high = self.interval
        figures = f"correlation {self.excess:+.2f}, 95 % interval {low:+.2f} to {high:+.2f}, {audited}"
        if self.alarm:
            return f"answers of one call sway each other: they agree more than the same answers given alone ({figures})"
        return f"answers of one call agree no more than the same answers given alone ({figures})"

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "calls": self.calls,
            "questions": self.questions,
            "excess": self.excess,
            "p_value": self.p_value,
            "changed": self.changed,
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
    """What the calls show; calls with a single question are left out.

    Args:
        calls: each with its answered questions.
        seed: of the swaps and of the resampling; the same calls and seed give the same figures.
        swaps: how often the test swaps; the least p-value is one over one more.
    """
    several: list[list[Answered]] = []
    for call in calls:
        if len(call) > 1:
            several.append(sorted(call, key=_position))
    several = several[:_MAX_CALLS]
    if not several:
        return Halo(calls=0, questions=0)
    answers = _Answers.of(several)
    changed = int(np.count_nonzero(answers.together != answers.alone))
    halo = Halo(
        calls=len(several),
        questions=len(answers.call),
        changed=changed / len(answers.call),
    )
    excess = _excess(answers)
    if excess is None or len(several) < MIN_CALLS:
        return halo
    random = np.random.default_rng(seed)
    return replace(
        halo,
        excess=excess,
        interval=_interval(answers, random),
        p_value=_p_value(answers, excess, random, swaps),
    )


def _position(answered: Answered) -> int:
    return answered.position


@dataclass(frozen=True, slots=True)
class _Answers:
    """All answers, call by call in the order asked: the numbers of call and question, and the two coded answers."""

    call: Indexes
    question: Indexes
    together: Floats
    alone: Floats

    @classmethod
    def of(cls, calls: Sequence[Sequence[Answered]]) -> _Answers:
        numbers: list[int] = []
        questions: dict[str, int] = {}
        question: list[int] = []
        together: list[float] = []
        alone: list[float] = []
        for number, call in enumerate(calls):
            for answered in call:
                numbers.append(number)
                question.append(questions.setdefault(answered.question, len(questions)))
                together.append(_CODES[answered.together])
                alone.append(_CODES[answered.alone])
        return cls(
            np.array(numbers), np.array(question), np.array(together), np.array(alone)
        )


def _centred(question: Indexes, answers: Floats) -> Floats:
    """Answers less the mean answer to their question, or to all where the question was asked a few times only."""
    times = np.bincount(question)
    sums = np.bincount(question, weights=answers)
    means = np.where(times >= _MIN_ASKED, sums / np.maximum(times, 1), answers.mean())
    centred: Floats = answers - means[question]
    return centred


def _correlation(call: Indexes, question: Indexes, answers: Floats) -> float | None:
    """Mean product of the pairs of a call over the mean square; None where the answers do not vary."""
    centred = _centred(question, answers)
    squares = float(centred @ centred)
    if squares <= 1e-12 * len(centred):
        return None
    sizes = np.bincount(call)
    sums = np.bincount(call, weights=centred)
    products = float(sums @ sums) - squares  # every pair of a call twice
    pairs = float(sizes @ (sizes - 1))
    return products / pairs / (squares / len(centred))


def _excess(answers: _Answers) -> float | None:
    together = _correlation(answers.call, answers.question, answers.together)
    alone = _correlation(answers.call, answers.question, answers.alone)
    if together is None and alone is None:
        return None
    return (together or 0.0) - (alone or 0.0)


def _p_value(
    answers: _Answers, excess: float, random: np.random.Generator, swaps: int
) -> float:
    """How often swapping the two halves of calls at random gives as much; the case itself counts as one."""
    calls = int(answers.call[-1]) + 1
    as_much = 1
    for _ in range(swaps):
        swapped = (random.random(calls) < 0.5)[answers.call]
        halves = replace(
            answers,
            together=np.where(swapped, answers.alone, answers.together),
            alone=np.where(swapped, answers.together, answers.alone),
        )
        as_much += (_excess(halves) or 0.0) >= excess - 1e-12
    return as_much / (swaps + 1)


def _interval(answers: _Answers, random: np.random.Generator) -> tuple[float, float]:
    """The 95 % percentile interval of `excess`, calls resampled with replacement."""
    calls = int(answers.call[-1]) + 1
    starts = np.searchsorted(answers.call, np.arange(calls + 1))
    members: list[Indexes] = np.split(np.arange(len(answers.call)), starts[1:-1])
    sizes = np.bincount(answers.call)
    resampled: list[float] = []
    for _ in range(_RESAMPLES):
        numbers: list[int] = random.integers(0, calls, calls).tolist()
        rows: Indexes = np.concatenate([members[number] for number in numbers])
        sample = _Answers(
            np.repeat(np.arange(calls), sizes[numbers]),
            answers.question[rows],
            answers.together[rows],
            answers.alone[rows],
        )
        resampled.append(_excess(sample) or 0.0)
    low, high = np.quantile(resampled, (0.025, 0.975))
    return float(low), float(high)
