"""A certificate for two judges, one after the other, and what it is made from: questions that both were asked. Pure.

The pair settles a question where the first judge is sure enough, else where the second is; what neither settles is
open. How often what it settles is wrong can only be told from questions of which both answers are known. A run asks the
second judge only what the first leaves open, so its questions are no sample: the hard ones are all there, the easy ones
lack the second answer. `--escalate-audit SHARE` draws a seeded share of all questions beforehand and asks both judges
about these; the certificate is made from the drawn ones alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Final

from judgemesh.contracts.needs import Ask
from judgemesh.contracts.opinions import Opinion, Part, Role, Vote
from judgemesh.mesh.judging.confidence.thresholds import (
    Cascade,
    NotCertified,
    Said,
    certify_cascade,
    labels_needed,
)
from judgemesh.mesh.judging.signals import signals_of

Stage = tuple[str, str, str]
"""Whom a stage is about: model, digest of what it is asked with, and the way of asking."""

STAGES: Final = 2
_OF_PAIR: Final = (Role.FIRST, Role.SECOND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Thresholds of two judges, certified together: of what the pair settles at most alpha is wrong.

    thresholds: least `Signals.confidence` of each; infinite where a judge settles nothing. served: for each judge the
    models that really answered; another one ends the certificate.
    """

    stages: tuple[Stage, Stage]
    thresholds: tuple[float, float]
    coverage: float
    labels: int
    errors: int
    alpha: float
    delta: float
    served: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    def settles(self, stage: int, opinion: Opinion | None) -> bool | None:
        """Whether the opinion of a stage (0 or 1) settles its question; None where another model answered than the
        certificate is about."""
        served = set() if opinion is None else set(opinion.served)
        if self.served[stage] and not served <= set(self.served[stage]):
            return None
        confidence = None if opinion is None else confidence_of(opinion, stage)
        return confidence is not None and confidence >= self.thresholds[stage]

    def to_json(self) -> dict[str, object]:
        """JSON-ready; `pair_from_json` is the inverse. An infinite threshold is null."""
        return {
            **asdict(self),
            "stages": [list(stage) for stage in self.stages],
            "thresholds": [None if math.isinf(one) else one for one in self.thresholds],
            "served": [list(names) for names in self.served],
        }


def pair_from_json(data: Mapping[str, Any]) -> Pair:
    """The certificate that `to_json` wrote.

    Raises:
        ValueError: it cannot be read.
    """
    try:
        stages = [
            (str(model), str(prompts), str(way))
            for model, prompts, way in data["stages"]
        ]
        thresholds = [
            math.inf if one is None else float(one) for one in data["thresholds"]
        ]
        served = [tuple(str(name) for name in names) for names in data["served"]]
        first, second = stages
        one, other = thresholds
        these, those = served
        return Pair(
            stages=(first, second),
            thresholds=(one, other),
            coverage=float(data["coverage"]),
            labels=int(data["labels"]),
            errors=int(data["errors"]),
            alpha=float(data["alpha"]),
            delta=float(data["delta"]),
            served=(these, those),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"no certificate of a pair of judges: {error}") from error


def drawn(need: Ask, *, share: float, seed: int) -> bool:
    """Whether a question is in the sample that both judges are asked; it follows from the seed and the texts alone."""
    if share <= 0:
        return False
    texts = "\x1f".join(
        [need.question, *(f"{part.name}\x1e{part.text}" for part in need.materials)]
    )
    return Random(f"{seed}:audit:{texts}").random() < share  # noqa: S311 (a sample)


def confidence_of(opinion: Opinion, stage: int) -> float | None:
    """How sure a stage is of its answer by its own rules; None where it may not settle the question.

    A text that speaks to the evaluator is never settled by the first judge, nor a gate on it by the second.
    """
    if opinion.verdict not in (Vote.YES, Vote.NO):
        return None
    if opinion.injection_suspected and (stage == 0 or opinion.gating):
        return None
    return signals_of(opinion).confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnQuestion:
    """One question that both judges were asked. `opinions`: the first judge's and the second's."""

    result_id: str
    question_id: str
    stages: tuple[Stage, Stage]
    opinions: tuple[Opinion, Opinion]


def drawn_question(result_id: str, opinion: Opinion) -> DrawnQuestion | None:
    """The drawn question that a final opinion is about; None for a question that was not drawn."""
    pair = [other for other in opinion.others if other.role in _OF_PAIR]
    if opinion.audit_share is None or not pair:
        return None
    first, second = opinion, pair[0]
    if second.role is Role.FIRST:
        first, second = second, first
    return DrawnQuestion(
        result_id=result_id,
        question_id=opinion.question_id,
        stages=(_stage(first), _stage(second)),
        opinions=(first, second),
    )


def _stage(opinion: Opinion) -> Stage:
    own = Part(model=opinion.model, prompts=opinion.prompts, backend=opinion.backend)
    part = opinion.part or own
    return part.model, part.prompts, part.backend


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """What the labels say about one pair of judges.

    stages: whom it is about; None where nothing was drawn. drawn: questions drawn so that both judges were asked.
    audited: those of them with a label. labels: labelled questions of the pair, drawn or not. certified: the
    certificate, or why there is none. needed: the fewest labels of drawn questions that certify anything.
    """

    models: tuple[str, str]
    stages: tuple[Stage, Stage] | None
    drawn: int
    labels: int
    audited: int
    certified: Pair | NotCertified
    needed: int

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        certified = isinstance(self.certified, Pair)
        found = (
            self.certified.to_json()
            if isinstance(self.certified, Pair)
            else asdict(self.certified)
        )
        return {
            "models": list(self.models),
            "way": None if self.stages is None else self.stages[0][2],
            "labels": self.labels,
            "drawn": self.drawn,
            "audited": self.audited,
            "needed": self.needed,
            "certificate": {"certified": certified, **found},
        }


def compare_pairs(
    rows: Iterable[DrawnQuestion],
    truth: Mapping[tuple[str, str], bool],
    *,
    labels: Mapping[tuple[str, str], int],
    alpha: float,
    delta: float,
) -> list[PairComparison]:
    """The certificate of each pair from its drawn questions; of a question judged again the last judgement counts.

    Args:
        rows: drawn questions, the oldest first.
        truth: what people say, by result and question.
        labels: by the two models, how many labelled questions the pair was asked, drawn or not.
        alpha: the share of settled questions that may be wrong.
        delta: the chance that the promise does not hold.

    Raises:
        ValueError: alpha or delta does not lie strictly between 0 and 1.
    """
    needed = labels_needed(alpha, delta)
    groups: dict[tuple[Stage, Stage], dict[tuple[str, str], DrawnQuestion]] = {}
    asked: dict[tuple[Stage, Stage], set[tuple[str, str]]] = {}
    for row in rows:
        asked.setdefault(row.stages, set()).add((row.result_id, row.question_id))
        if (row.result_id, row.question_id) in truth:
            groups.setdefault(row.stages, {})[row.result_id, row.question_id] = row
    found = [
        PairComparison(
            models=(stages[0][0], stages[1][0]),
            stages=stages,
            labels=max(labels.get((stages[0][0], stages[1][0]), 0), len(group)),
            drawn=len(asked[stages]),
            audited=len(group),
            certified=_certified(
                [(row, truth[key]) for key, row in sorted(group.items())],
                stages,
                alpha=alpha,
                delta=delta,
            ),
            needed=needed,
        )
        for stages, group in sorted(groups.items())
    ]
    seen = {one.models for one in found}
    return found + [
        PairComparison(
            models=models,
            stages=None,
            drawn=0,
            labels=count,
            audited=0,
            certified=_none_drawn(count, needed),
            needed=needed,
        )
        for models, count in sorted(labels.items())
        if models not in seen
    ]


def _none_drawn(labels: int, needed: int) -> NotCertified:
    asked = (
        f"the second judge was asked only what the first left open, and none of the {labels} labelled questions was "
        f"drawn beforehand to be asked of both"
    )
    return NotCertified(
        labels=0,
        missing=needed,
        reason=f"{asked}: {needed} are missing (grade --escalate-audit SHARE)",
    )


def _certified(
    items: Sequence[tuple[DrawnQuestion, bool]],
    named: tuple[Stage, Stage],
    *,
    alpha: float,
    delta: float,
) -> Pair | NotCertified:
    said = [
        [_said(row.opinions[at], at, truth=truth) for row, truth in items]
        for at in range(STAGES)
    ]
    found = certify_cascade(said, alpha=alpha, delta=delta)
    if not isinstance(found, Cascade):
        if not found.missing:
            return found
        text = f"{found.reason}; questions count that were drawn to be asked of both judges (--escalate-audit)"
        return NotCertified(labels=found.labels, missing=found.missing, reason=text)
    first, second = found.thresholds
    these, those = (
        sorted({name for row, _ in items for name in row.opinions[at].served})
        for at in range(STAGES)
    )
    return Pair(
        stages=named,
        thresholds=(first, second),
        coverage=found.coverage,
        labels=found.labels,
        errors=found.errors,
        alpha=found.alpha,
        delta=found.delta,
        served=(tuple(these), tuple(those)),
    )


def _said(opinion: Opinion, stage: int, *, truth: bool) -> Said | None:
    confidence = confidence_of(opinion, stage)
    if confidence is None:
        return None
    return confidence, (opinion.verdict is Vote.YES) == truth
