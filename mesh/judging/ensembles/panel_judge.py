"""Several judges as one: every question goes to all of them, and their opinions are combined.

Each judge keeps its own rules: its votes, the negated question, the review of reason and
quote. A judge that abstains or breaks has no vote. The answer of the panel follows from
`panel_weights.py`: a majority of those that took a side, until labels say better.

Judges make the same mistakes. So the panel's stability counts its votes as the effective
votes that they are worth, and its correctness comes from labels of the panel alone,
never from multiplying what single judges claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Final

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered
from judgemesh.contracts.opinions import PANEL, Vote
from judgemesh.contracts.verdicts import Reason
from judgemesh.mesh.judging.client.attempts import one_line
from judgemesh.mesh.judging.concurrency import run_all
from judgemesh.mesh.judging.confidence.panel_weights import (
    MAJORITY,
    METHOD_NAMES,
    PanelCalibration,
    Weights,
    panel_identity,
    panel_name,
)
from judgemesh.mesh.judging.ensembles.panel_answer import (
    MemberVote,
    PanelVotes,
    member_vote,
)
from judgemesh.mesh.judging.families import family_of
from judgemesh.mesh.judging.protocols import Identity, Judge
from judgemesh.mesh.judging.signals import criterion_digest

AUTO: Final = "auto"
ASSUMED_CORRELATION: Final = 0.57
"""How alike judges err while no label tells: the mean correlation of the errors of three
recorded public judges."""

_MIN_JUDGES: Final = 2


def assumed_votes(judges: int) -> float:
    """The effective votes of so many judges while nothing is known about them."""
    return judges / (1.0 + (judges - 1) * ASSUMED_CORRELATION)


class PanelJudge:
    """Two judges or more as one, which it closes.

    Args:
        judges: who is asked; models of different families err less alike.
        calibrations: what labels say about panels; those of other judges or prompts are
            ignored.
        method: `auto` (the best that the labels allow, else the majority), `majority`,
            `log_odds` or `stacking`.
        abstains: whether a verdict that the calibration holds for too unsure is an
            abstention.

    Raises:
        ConfigError: fewer than two judges, one of them twice, no such method, or one
            that lacks its labels.
    """

    def __init__(
        self,
        judges: Sequence[Judge],
        *,
        calibrations: Sequence[PanelCalibration] = (),
        method: str = AUTO,
        abstains: bool = True,
    ) -> None:
        if len(judges) < _MIN_JUDGES:
            raise ConfigError(
                "a panel has two judges or more",
                where="--judge",
                hint="give --judge again",
            )
        self._judges = tuple(judges)
        self._identities = tuple(judge.identity for judge in judges)
        _check_distinct([model for model, _ in self._identities])
        fitting = (known for known in calibrations if known.judges == self._identities)
        self._known = next(fitting, None)
        self._method = _method_of(method, self._known)
        self._abstains = abstains

    @property
    def model(self) -> str:
        """All models, joined by plus signs."""
        return panel_name(self._identities)

    @property
    def weights(self) -> Weights:
        """How the judges are combined."""
        return self._known.methods[self._method].weights if self._known else MAJORITY

    @property
    def identity(self) -> Identity:
        """The models, and a digest of their prompts and of how they are combined."""
        return panel_identity(self._identities, self.weights)

    @property
    def n_eff(self) -> float:
        """How many independent votes the judges are worth: from labels, else assumed."""
        return self._known.n_eff if self._known else assumed_votes(len(self._judges))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the choice of judges."""
        return same_families([model for model, _ in self._identities])

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings of all judges, and how they are combined, JSON-ready."""
        settings: dict[str, object] = {
            "model": self.model,
            PANEL: [dict(judge.settings) for judge in self._judges],
            "method": self._method,
        }
        if self._known is not None:
            settings["panel_calibration"] = self._known.to_json()
        if not self._abstains:
            settings["abstains"] = False
        return settings

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[Judged | Unanswered]:
        """What the judges come to on each question."""
        # A prior is that of one judge; the members find out their own.
        asked = replace(context, priors={})
        by_judge: dict[int, Sequence[Judged | Unanswered]] = {}

        async def ask(at: int) -> None:
            try:
                by_judge[at] = await self._judges[at].ask_many(questions, asked)
            except Exception as error:  # noqa: BLE001 - a judge that crashes is a broken one
                fault = Unanswered(error_type=Reason.EXCEPTION, message=one_line(error))
                by_judge[at] = [fault] * len(questions)

        await run_all([partial(ask, at) for at in range(len(self._judges))])
        answers: list[Judged | Unanswered] = []
        for position, question in enumerate(questions):
            votes = [
                member_vote(question, judge, by_judge[at][position])
                for at, judge in enumerate(self._identities)
            ]
            answers.append(self._answer(question, votes))
        return answers

    def _answer(self, need: Ask, votes: Sequence[MemberVote]) -> Judged | Unanswered:
        """The answer of the panel to one question."""
        fault = _fault(votes)
        if fault is not None:
            return fault
        known = self._known_for(need, votes)
        weights = known.methods[self._method].weights if known else MAJORITY
        panel = PanelVotes(
            need=need,
            votes=votes,
            weights=weights,
            n_eff=self.n_eff,
            known=known,
            calibrated=self._known is not None,
        )
        decides = need.gating and panel.leader is not Vote.CANNOT_ASSESS
        if decides and panel.broken and not panel.survives_faults():
            return Unanswered(
                error_type=_faults(votes)[0].error_type,
                message="judges of the panel that broke might have turned a hard gate:"
                f" {_told(votes)}",
            )
        judge = panel_identity(self._identities, weights)
        return panel.answer(judge, self._method, abstains=self._abstains)

    def _known_for(
        self, need: Ask, votes: Sequence[MemberVote]
    ) -> PanelCalibration | None:
        """The calibration, if it covers the criterion and the models that answered."""
        known = self._known
        if known is None or criterion_digest(need.question) not in known.criteria:
            return None
        for labelled, vote in zip(known.served, votes, strict=True):
            if labelled and not set(vote.opinion.served) <= set(labelled):
                return None
        return known

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """JSON data that fits the schema of the need, of the first judge that has any."""
        answer = await self._judges[0].extract(need, context)
        for judge in self._judges[1:]:
            if not isinstance(answer, Unanswered) or answer.error_type == Reason.BUDGET:
                break
            answer = await judge.extract(need, context)
        return answer

    async def aclose(self) -> None:
        """Close all judges."""
        async with AsyncExitStack() as stack:
            for judge in self._judges:
                stack.push_async_callback(judge.aclose)


def _faults(votes: Sequence[MemberVote]) -> list[Unanswered]:
    return [vote.answer for vote in votes if isinstance(vote.answer, Unanswered)]


def _fault(votes: Sequence[MemberVote]) -> Unanswered | None:
    """The fault that leaves the panel without an answer: all members broke, or one without budget.

    The answer may not depend on which member the budget covered.
    """
    faults = _faults(votes)
    for fault in faults:
        if fault.error_type == Reason.BUDGET:
            return fault
    if len(faults) < len(votes):
        return None
    return Unanswered(
        error_type=faults[0].error_type,
        message=f"every judge of the panel broke: {_told(votes)}",
    )


def _told(votes: Sequence[MemberVote]) -> str:
    """What broke, of which member."""
    messages: list[str] = []
    for vote in votes:
        if isinstance(vote.answer, Unanswered):
            messages.append(f"{vote.model}: {vote.answer.message}")
    return "; ".join(messages)


def _check_distinct(models: Sequence[str]) -> None:
    """Check that no model is in the panel twice.

    Raises:
        ConfigError: one is.
    """
    for model in models:
        if models.count(model) > 1:
            raise ConfigError(
                f"{model} is in the panel twice: it would only repeat itself",
                where="--judge",
                hint="name different models; one judge asks a question several times by "
                "itself (--votes lead)",
            )


def same_families(models: Sequence[str]) -> tuple[str, ...]:
    """A warning for each family that several of the models belong to."""
    families: dict[str, list[str]] = {}
    for model in models:
        family = family_of(model)
        if family is not None:
            families.setdefault(family, []).append(model)
    return tuple(
        f"{', '.join(members)} are all of the {family} family: what one of them gets "
        "wrong, the others tend to get wrong too"
        for family, members in families.items()
        if len(members) > 1
    )


def _method_of(method: str, known: PanelCalibration | None) -> str:
    """The method by its name, or the one that the labels allow.

    Raises:
        ConfigError: there is no such method, or the labels do not allow it.
    """
    if method == AUTO:
        return known.chosen if known else MAJORITY.method
    if method not in METHOD_NAMES:
        raise ConfigError(
            f"there is no method {method!r}",
            where="--panel",
            hint=f"one of {', '.join((AUTO, *METHOD_NAMES))}",
        )
    if method == MAJORITY.method or (known is not None and method in known.methods):
        return method
    labels = 0 if known is None else known.labels
    raise ConfigError(
        f"{method} needs labels of this panel (30 for log_odds, 100 for stacking) and a "
        f"`judgemesh calibrate`; the ledger's calibration of it has {labels}",
        where="--panel",
        hint="auto takes what the labels allow",
    )
