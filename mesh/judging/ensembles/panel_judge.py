"""Several judges as one: every question goes to all of them at once, and what they say is added up.

Each judge keeps its own rules: its votes, the question turned round, the look at its reason and quote. What it leaves
open is nobody's vote, and so is a judge that broke. What the panel says is a verdict by the ways of
`panel_weights.py`: a majority of those who took a side until people's labels say better.

Judges make the same mistakes. So the panel's stability counts its votes as the effective ones that they are worth, and
its correctness comes from labels of the panel alone, never from multiplying what single judges claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, cast

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered
from judgemesh.contracts.opinions import PANEL, Opinion, PanelSum, Part, Role, Vote
from judgemesh.contracts.verdicts import Confidence, Reason
from judgemesh.mesh.judging.client.attempts import one_line
from judgemesh.mesh.judging.concurrency import run_all
from judgemesh.mesh.judging.confidence.panel_weights import (
    MAJORITY,
    METHOD_NAMES,
    PanelCalibration,
    Weights,
    majority_of,
    panel_identity,
    panel_name,
)
from judgemesh.mesh.judging.costs import sum_known, sum_of
from judgemesh.mesh.judging.families import family_of
from judgemesh.mesh.judging.opinion import (
    as_other,
    no_opinion,
    recorded,
    with_signals,
)
from judgemesh.mesh.judging.protocols import Identity, Judge
from judgemesh.mesh.judging.replies.review import SUSPECTED
from judgemesh.mesh.judging.signals import (
    Signals,
    criterion_digest,
    signals_of,
)
from judgemesh.mesh.metrics.beta import beta_cdf

AUTO: Final = "auto"
ASSUMED_CORRELATION: Final = 0.57
"""How alike judges err while no label says so: the mean correlation of three recorded public judges' errors."""

LEAST_SOFT, LEAST_GATE = 0.75, 0.90
"""The least calibrated correctness of a verdict, as for one judge."""

_FEWEST: Final = 2
_TIE: Final = 0.5
_BELOW_ONE: Final = 1 - 2.0**-53


def assumed_votes(judges: int) -> float:
    """The effective votes of so many judges while nothing is known about them."""
    return judges / (1.0 + (judges - 1) * ASSUMED_CORRELATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """One judge's part: `chance` is P(yes) before any label, None where it took no side or broke."""

    judge: Judge
    answer: Judged | Unanswered
    opinion: Opinion
    chance: float | None = None

    @property
    def broken(self) -> bool:
        return isinstance(self.answer, Unanswered)


class PanelJudge:
    """Two judges or more as one, which it closes.

    Args:
        judges: who is asked; models of different families err less alike.
        calibrations: what people's labels say about panels; those of other judges or prompts say nothing.
        method: `auto` (what the labels speak for, else the majority), `majority`, `log_odds` or `stacking`.
        abstains: whether a verdict that the calibration holds for too unsure is none.

    Raises:
        ConfigError: fewer than two judges, one of them twice, no such method, or one that lacks its labels.
    """

    def __init__(
        self,
        judges: Sequence[Judge],
        *,
        calibrations: Sequence[PanelCalibration] = (),
        method: str = AUTO,
        abstains: bool = True,
    ) -> None:
        if len(judges) < _FEWEST:
            raise ConfigError(
                "a panel has two judges or more",
                where="--judge",
                hint="give --judge again",
            )
        self._judges = tuple(judges)
        self._judge_ids = tuple(judge.identity for judge in judges)
        models = [model for model, _ in self._judge_ids]
        twice = next((model for model in models if models.count(model) > 1), None)
        if twice is not None:
            raise ConfigError(
                f"{twice} is in the panel twice: it would only repeat itself",
                where="--judge",
                hint="name different models; one judge asks a question several times by itself (--votes lead)",
            )
        self._known = next(
            (one for one in calibrations if one.judges == self._judge_ids), None
        )
        self._method = _method_of(method, self._known)
        self._abstains = abstains

    @property
    def model(self) -> str:
        """All models, with plus signs."""
        return panel_name(self._judge_ids)

    @property
    def weights(self) -> Weights:
        """How the judges are added up."""
        return self._known.methods[self._method].weights if self._known else MAJORITY

    @property
    def identity(self) -> Identity:
        """The models, and a digest of their prompts and of how they are added up."""
        return panel_identity(self._judge_ids, self.weights)

    @property
    def n_eff(self) -> float:
        """How many independent votes the judges are worth: from labels, else from what judges are usually like."""
        return self._known.n_eff if self._known else assumed_votes(len(self._judges))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What deserves a look about the panel."""
        return same_families([model for model, _ in self._judge_ids])

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings of all, and of how they are added up, JSON-ready."""
        return {
            "model": self.model,
            PANEL: [dict(judge.settings) for judge in self._judges],
            "method": self._method,
            **(
                {}
                if self._known is None
                else {"panel_calibration": self._known.to_json()}
            ),
            **({} if self._abstains else {"abstains": False}),
        }

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[Judged | Unanswered]:
        """What the judges come to on each question."""
        by_judge = await self._hear(questions, context)
        answers: list[Judged | Unanswered] = []
        for question, members in zip(
            questions, zip(*by_judge, strict=True), strict=True
        ):
            heard = [
                _heard(question, judge, answer)
                for judge, answer in zip(self._judges, members, strict=True)
            ]
            answers.append(self._answer(question, heard))
        return answers

    async def _hear(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[Sequence[Judged | Unanswered]]:
        """The answers of each judge to all questions."""
        # A prior is one judge's own; the members of a panel find out theirs.
        asked = replace(context, priors={})
        answers: dict[int, Sequence[Judged | Unanswered]] = {}

        async def ask(at: int) -> None:
            try:
                answers[at] = await self._judges[at].ask_many(questions, asked)
            except Exception as error:  # noqa: BLE001 (a judge that crashes is one that broke; the others count)
                fault = Unanswered(error_type=Reason.EXCEPTION, message=one_line(error))
                answers[at] = [fault] * len(questions)

        await run_all([partial(ask, at) for at in range(len(self._judges))])
        return [answers[at] for at in range(len(self._judges))]

    def _answer(self, need: Ask, heard: Sequence[_Heard]) -> Judged | Unanswered:
        """The answer of the panel; `Unanswered` if no judge could answer."""
        faults = [one.answer for one in heard if isinstance(one.answer, Unanswered)]
        spent = next(
            (fault for fault in faults if fault.error_type == Reason.BUDGET), None
        )
        if spent is not None:
            return spent  # what the missing judge would have said may not hang on money
        if len(faults) == len(heard):
            said = "; ".join(
                f"{one.judge.model}: {fault.message}"
                for one, fault in zip(heard, faults, strict=True)
            )
            return Unanswered(
                error_type=faults[0].error_type,
                message=f"every judge of the panel broke: {said}",
            )
        return self._added_up(need, heard, faults)

    def _added_up(
        self, need: Ask, heard: Sequence[_Heard], faults: Sequence[Unanswered]
    ) -> Judged | Unanswered:
        chances = [one.chance for one in heard]
        known = self._known_for(need, heard)
        weights = known.methods[self._method].weights if known else MAJORITY
        chance = weights.chance(chances)
        side = _side(chance)
        if (
            need.gating
            and faults
            and side is not Vote.CANNOT_ASSESS
            and not _stands(weights, heard, side)
        ):
            return Unanswered(
                error_type=faults[0].error_type,
                message=f"a judge of the panel broke, and might have turned a hard gate: {faults[0].message}",
            )
        correctness = self._correctness(known, chances, side)
        doubt = self._doubt(need, heard, known, side, correctness)
        speaker = _speaker(heard, side)
        said = "" if speaker is None else speaker.reason
        score = _score(heard)
        reason = (
            f"{f'{doubt} ({score})' if doubt else score}{f': {said}' if said else ''}"
        )
        answers = [one.answer for one in heard if isinstance(one.answer, Judged)]
        details = _facts(answers, speaker)
        confidence = Confidence(
            stability=self._stability(chances, side), correctness=correctness
        )
        opinion = self._opinion(need, heard, known, weights, chance)
        return Judged(
            vote=Vote.CANNOT_ASSESS if doubt else side,
            reason=reason,
            confidence=confidence,
            model=self.model,
            cost=sum_of(*(answer.cost for answer in answers)),
            cost_avoided=sum_known(*(answer.cost_avoided for answer in answers)),
            details=details,
            opinion=replace(
                opinion,
                leader=side,
                verdict=side,
                stability=confidence.stability,
                correctness=confidence.correctness,
                reason=reason,
                injection_suspected=SUSPECTED in details,
            ),
        )

    def _known_for(self, need: Ask, heard: Sequence[_Heard]) -> PanelCalibration | None:
        """The calibration, where it speaks for this criterion and the models that really answered."""
        known = self._known
        if known is None or criterion_digest(need.question) not in known.criteria:
            return None
        same = all(
            not names or set(one.opinion.served) <= set(names)
            for names, one in zip(known.served, heard, strict=True)
        )
        return known if same else None

    def _correctness(
        self,
        known: PanelCalibration | None,
        chances: Sequence[float | None],
        side: Vote,
    ) -> float | None:
        if known is None or side is Vote.CANNOT_ASSESS:
            return None
        p_yes = known.p_yes(self._method, chances)
        return None if p_yes is None else p_yes if side is Vote.YES else 1.0 - p_yes

    def _doubt(
        self,
        need: Ask,
        heard: Sequence[_Heard],
        known: PanelCalibration | None,
        side: Vote,
        correctness: float | None,
    ) -> str:
        """Why there is no verdict; empty where there is one."""
        if side is Vote.CANNOT_ASSESS:
            took = sum(one.chance is not None for one in heard)
            return (
                "the judges do not agree"
                if took
                else "no judge of the panel took a side"
            )
        suspected = sorted(
            {str(kind) for one in heard for kind in _suspicions(one.answer)}
        )
        if need.gating and suspected and side.value == need.expected:
            kinds = ", ".join(suspected)
            return f"the judged text speaks to the evaluator ({kinds}): a person should look at it"
        if not self._abstains or known is None:
            return ""
        if known.threshold is not None and self._method == MAJORITY.method:
            sure = _laplace(heard)
            return (
                ""
                if sure >= known.threshold
                else (
                    f"confidence {sure:.2f} is below the certified {known.threshold:.2f}"
                )
            )
        least = LEAST_GATE if need.gating else LEAST_SOFT
        if correctness is not None and correctness < least:
            return f"it is right with probability {correctness:.2f} only, {least:.2f} is asked for"
        return ""

    def _stability(self, chances: Sequence[float | None], side: Vote) -> float | None:
        """Would the panel say it again? P(Beta(for+1, against+1) > 1/2), its votes counted as effective ones."""
        yes, no = majority_of(chances)
        if not yes + no:
            return None
        worth = self.n_eff / len(self._judges)
        ahead, behind = (no, yes) if side is Vote.NO else (yes, no)
        return min(
            1.0 - beta_cdf(_TIE, ahead * worth + 1.0, behind * worth + 1.0), _BELOW_ONE
        )

    def _opinion(
        self,
        need: Ask,
        heard: Sequence[_Heard],
        known: PanelCalibration | None,
        weights: Weights,
        chance: float | None,
    ) -> Opinion:
        """The panel as one judge, and its members."""
        yes, no = majority_of([one.chance for one in heard])
        p_yes = None
        if chance is not None and weights.method != MAJORITY.method:
            p_yes = min(max(chance, 1e-6), 1 - 1e-6)
        broken = sum(one.broken for one in heard)
        judge = panel_identity(self._judge_ids, weights)
        opinion = with_signals(
            no_opinion(need, judge, backend=PANEL), Signals(yes=yes, no=no, p_yes=p_yes)
        )
        served = {name for one in heard for name in one.opinion.served}
        return replace(
            opinion,
            served=tuple(sorted(served)),
            votes_unsure=len(heard) - yes - no - broken,
            votes_broken=broken,
            same_family=any(one.opinion.same_family for one in heard),
            chance=chance,
            panel=PanelSum(
                method=weights.method,
                n_eff=round(self.n_eff, 4),
                n_eff_source="assumed" if self._known is None else "labels",
                labels=known.labels if known else None,
            ),
            others=tuple(one.opinion for one in heard),
        )

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """JSON data that fits the schema of the need: of the first judge, or of the first that has any."""
        found = await self._judges[0].extract(need, context)
        for judge in self._judges[1:]:
            if not isinstance(found, Unanswered) or found.error_type == Reason.BUDGET:
                break
            found = await judge.extract(need, context)
        return found

    async def aclose(self) -> None:
        """Close all."""
        async with AsyncExitStack() as stack:
            for judge in self._judges:
                stack.push_async_callback(judge.aclose)


def same_families(models: Sequence[str]) -> tuple[str, ...]:
    """A warning for each family that several of the models belong to; models nobody knows belong to none."""
    families: dict[str, list[str]] = {}
    for model in models:
        family = family_of(model)
        if family is not None:
            families.setdefault(family, []).append(model)
    return tuple(
        f"{', '.join(found)} are all of the {family} family: what one of them gets wrong, the others tend to get "
        "wrong too"
        for family, found in families.items()
        if len(found) > 1
    )


def _method_of(method: str, known: PanelCalibration | None) -> str:
    if method == AUTO:
        return known.chosen if known else MAJORITY.method
    if method not in METHOD_NAMES:
        expected = ", ".join((AUTO, *METHOD_NAMES))
        raise ConfigError(
            f"no way to add judges up is called {method!r}",
            where="--panel",
            hint=f"one of {expected}",
        )
    if method == MAJORITY.method or (known is not None and method in known.methods):
        return method
    labels = 0 if known is None else known.labels
    raise ConfigError(
        f"{method} needs labels of this very panel (30 for log_odds, 100 for stacking) and a `judgemesh calibrate`; "
        f"the ledger's calibration of it has {labels}",
        where="--panel",
        hint="auto takes what the labels allow",
    )


def _heard(need: Ask, judge: Judge, answer: Judged | Unanswered) -> _Heard:
    chance = None
    if isinstance(answer, Judged) and answer.opinion is not None:
        chance = _chance(answer.opinion)
    model, prompts = judge.identity
    opinion = replace(
        recorded(answer, no_opinion(need, judge.identity)),
        part=Part(model=model, prompts=prompts),
        chance=chance,
    )
    return _Heard(
        judge=judge,
        answer=answer,
        opinion=as_other(opinion, Role.MEMBER),
        chance=chance,
    )


def _chance(opinion: Opinion) -> float | None:
    """P(yes) of one judge before any label; None where it took no side."""
    if opinion.verdict is Vote.CANNOT_ASSESS:
        return None
    sure = max(signals_of(opinion).confidence, _TIE + 1e-6)
    return sure if opinion.verdict is Vote.YES else 1.0 - sure


def _side(chance: float | None) -> Vote:
    if chance is None or chance == _TIE:
        return Vote.CANNOT_ASSESS
    return Vote.YES if chance > _TIE else Vote.NO


def _stands(weights: Weights, heard: Sequence[_Heard], side: Vote) -> bool:
    """Whether the verdict would be the same had every judge that broke said the opposite with two votes."""
    against = 0.25 if side is Vote.YES else 0.75
    worst = [against if one.broken else one.chance for one in heard]
    return _side(weights.chance(worst)) is side


def _laplace(heard: Sequence[_Heard]) -> float:
    """The share of the larger side, shrunk: (n+1) / (n+m+2)."""
    yes, no = majority_of([one.chance for one in heard])
    return (max(yes, no) + 1) / (yes + no + 2)


def _speaker(heard: Sequence[_Heard], side: Vote) -> Judged | None:
    """The first judge on the side of the verdict; of judges who contradict each other none speaks for all."""
    if side is Vote.CANNOT_ASSESS and any(one.chance is not None for one in heard):
        return None
    for one in heard:
        if isinstance(one.answer, Judged) and _side(one.chance) is side:
            return one.answer
    return None


def _score(heard: Sequence[_Heard]) -> str:
    """The judges in words (`2 judges yes, 1 no`)."""
    yes, no = majority_of([one.chance for one in heard])
    broken = sum(one.broken for one in heard)
    parts = (
        (yes, "yes"),
        (no, "no"),
        (len(heard) - yes - no - broken, "open"),
        (broken, "broken"),
    )
    return "judges: " + ", ".join(
        f"{number} {what}" for number, what in parts if number
    )


def _suspicions(answer: Judged | Unanswered) -> Sequence[object]:
    return (
        ()
        if isinstance(answer, Unanswered)
        else cast("Sequence[object]", answer.details.get(SUSPECTED, ()))
    )


def _facts(answers: Sequence[Judged], speaker: Judged | None) -> dict[str, object]:
    """Facts about the question itself: the speaker's, and every suspicion and self-preference that any judge has."""
    own = (
        {}
        if speaker is None
        else {k: v for k, v in speaker.details.items() if k not in _OF_ONE_JUDGE}
    )
    suspected = sorted(
        {str(kind) for answer in answers for kind in _suspicions(answer)}
    )
    liked = [
        str(fact)
        for answer in answers
        if (fact := answer.details.get("self_preference"))
    ]
    covered = next(
        (fact for answer in answers if (fact := answer.details.get("coverage"))), None
    )
    facts: dict[str, object] = {
        SUSPECTED: suspected,
        "self_preference": "; ".join(dict.fromkeys(liked)),
        "coverage": covered,
    }
    return {**own, **{name: fact for name, fact in facts.items() if fact}}


_OF_ONE_JUDGE: Final = frozenset({"p_yes", "backend", "self_preference"})
