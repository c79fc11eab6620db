"""Two judges against people: the certificate of a pair, from questions that both judges were asked. Pure.

How often a pair is wrong can only be told from questions of which both answers are known. A run asks the second judge
only what the first leaves open, so its questions are no sample: the hard ones are all there, the easy ones lack the
second answer. `--escalate-audit SHARE` draws a seeded share of all questions beforehand and asks both judges about
these; the certificate is made from the drawn questions alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from judgemesh.contracts.opinions import Opinion, Part, Role, Vote
from judgemesh.mesh.calibration.thresholds import (
    Cascade,
    JudgedItem,
    NotCertified,
    certify_cascade,
    labels_needed,
)
from judgemesh.mesh.judging.confidence.pairs import Pair, Stage, confidence_of

Stages = tuple[Stage, Stage]
Question = tuple[str, str]
"""Result id and question id."""

_OTHER_OF_PAIR: Final = (Role.FIRST, Role.SECOND)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnQuestion:
    """One question that both judges were asked. `opinions`: the first judge's and the second's."""

    result_id: str
    question_id: str
    stages: Stages
    opinions: tuple[Opinion, Opinion]


def drawn_question(result_id: str, opinion: Opinion) -> DrawnQuestion | None:
    """The drawn question that a final opinion is about; None for a question that was not drawn."""
    others = [other for other in opinion.others if other.role in _OTHER_OF_PAIR]
    if opinion.audit_share is None or not others:
        return None
    first, second = opinion, others[0]
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

    stages: the two judges; None where no question was drawn.
    labels: labelled questions of the pair, drawn or not. drawn: questions drawn to be asked of both judges.
    audited: drawn questions with a label.
    certified: the certificate, or why there is none.
    needed: the fewest labels of drawn questions that certify anything.
    """

    models: tuple[str, str]
    stages: Stages | None
    drawn: int
    labels: int
    audited: int
    certified: Pair | NotCertified
    needed: int

    def to_json(self) -> dict[str, object]:
        """JSON-ready."""
        if isinstance(self.certified, Pair):
            certificate = {"certified": True, **self.certified.to_json()}
        else:
            certificate = {"certified": False, **asdict(self.certified)}
        return {
            "models": list(self.models),
            "way": None if self.stages is None else self.stages[0][2],
            "labels": self.labels,
            "drawn": self.drawn,
            "audited": self.audited,
            "needed": self.needed,
            "certificate": certificate,
        }


def compare_pairs(
    questions: Iterable[DrawnQuestion],
    truth: Mapping[Question, bool],
    *,
    labels: Mapping[tuple[str, str], int],
    alpha: float,
    delta: float,
) -> list[PairComparison]:
    """The certificate of each pair from its drawn questions; of a question judged again the last opinions count.

    Args:
        questions: drawn questions, the oldest first.
        truth: what people say, by result and question.
        labels: by the two models, how many labelled questions the pair was asked, drawn or not.
        alpha: the share of settled questions that may be wrong.
        delta: the probability that the guarantee does not hold.

    Raises:
        ValueError: alpha or delta does not lie strictly between 0 and 1.
    """
    needed = labels_needed(alpha, delta)
    drawn: dict[Stages, set[Question]] = {}
    labelled: dict[Stages, dict[Question, DrawnQuestion]] = {}
    for question in questions:
        key = (question.result_id, question.question_id)
        drawn.setdefault(question.stages, set()).add(key)
        if key in truth:
            labelled.setdefault(question.stages, {})[key] = question
    comparisons: list[PairComparison] = []
    for stages, group in sorted(labelled.items()):
        models = (stages[0][0], stages[1][0])
        items = [(question, truth[key]) for key, question in sorted(group.items())]
        comparison = PairComparison(
            models=models,
            stages=stages,
            labels=max(labels.get(models, 0), len(group)),
            drawn=len(drawn[stages]),
            audited=len(group),
            certified=_certified(items, stages, alpha=alpha, delta=delta),
            needed=needed,
        )
        comparisons.append(comparison)
    compared = {comparison.models for comparison in comparisons}
    for models, count in sorted(labels.items()):
        if models not in compared:
            comparisons.append(_without_drawn(models, count, needed))
    return comparisons


def _without_drawn(models: tuple[str, str], labels: int, needed: int) -> PairComparison:
    reason = (
        f"the second judge was asked only what the first left open, and none of the {labels} labelled questions was "
        f"drawn beforehand to be asked of both: {needed} are missing (grade --escalate-audit SHARE)"
    )
    return PairComparison(
        models=models,
        stages=None,
        drawn=0,
        labels=labels,
        audited=0,
        certified=NotCertified(labels=0, missing=needed, reason=reason),
        needed=needed,
    )


def _certified(
    items: Sequence[tuple[DrawnQuestion, bool]],
    stages: Stages,
    *,
    alpha: float,
    delta: float,
) -> Pair | NotCertified:
    judged = [_judged(items, stage) for stage in (0, 1)]
    cascade = certify_cascade(judged, alpha=alpha, delta=delta)
    if isinstance(cascade, Cascade):
        return Pair(
            stages=stages,
            thresholds=(cascade.thresholds[0], cascade.thresholds[1]),
            coverage=cascade.coverage,
            labels=cascade.labels,
            errors=cascade.errors,
            alpha=cascade.alpha,
            delta=cascade.delta,
            served=(_served(items, 0), _served(items, 1)),
        )
    if not cascade.missing:
        return cascade
    reason = f"{cascade.reason}; questions count that were drawn to be asked of both judges (--escalate-audit)"
    return NotCertified(labels=cascade.labels, missing=cascade.missing, reason=reason)


def _judged(
    items: Sequence[tuple[DrawnQuestion, bool]], stage: int
) -> list[JudgedItem | None]:
    """Of each question how sure the stage is, and whether people agree; None where it may not settle it."""
    judged: list[JudgedItem | None] = []
    for question, truth in items:
        opinion = question.opinions[stage]
        confidence = confidence_of(opinion, stage)
        right = (opinion.verdict is Vote.YES) == truth
        judged.append(None if confidence is None else (confidence, right))
    return judged


def _served(items: Sequence[tuple[DrawnQuestion, bool]], stage: int) -> tuple[str, ...]:
    served: set[str] = set()
    for question, _ in items:
        served.update(question.opinions[stage].served)
    return tuple(sorted(served))
