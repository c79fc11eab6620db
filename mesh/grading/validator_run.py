"""One validator at work on one case: started, sent answers, and run again to see what it would say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from judgemesh.contracts.results import answer_is_unread
from judgemesh.contracts.validator import Case, Form, Judgement
from judgemesh.contracts.verdicts import Verdict, unread_answer
from judgemesh.mesh.grading.plan import PlannedValidator
from judgemesh.mesh.grading.verdicts import error_verdict, verdicts_of
from judgemesh.mesh.isolation.faults import is_own

if TYPE_CHECKING:
    from judgemesh.contracts.needs import Answer, Need


@dataclass(slots=True, eq=False, repr=False)
class ValidatorRun:
    """One validator at work on one case.

    index: its position in the plan. rounds: the answers that it was sent.
    answered: of a validator in the sample, the checks that have a verdict without it.
    """

    index: int
    planned: PlannedValidator
    case: Case
    started: float
    generator: Judgement | None = None
    needs: Mapping[str, Need] = field(default_factory=dict[str, "Need"])
    model: str | None = None
    asked_judge: bool = False
    asked_source: bool = False
    rounds: list[Mapping[str, Answer]] = field(
        default_factory=list["Mapping[str, Answer]"]
    )
    audited: bool = False
    answered: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name of the validator."""
        return self.planned.validator.name

    @property
    def is_quick(self) -> bool:
        """Whether it runs on the event loop: one of ours, on a result that is not long."""
        return not self.case.long and is_own(self.planned.validator.run)


def run_inline(run: ValidatorRun) -> list[Verdict] | None:
    """The verdicts of a validator that needs nothing; None for one that has to wait.

    A generator is started, and its first needs are kept in `run`.
    """
    validator = run.planned.validator
    if validator.needs_answer and answer_is_unread(run.case.result):
        return [unread_answer(validator.name)]
    try:
        if validator.pure:
            return verdicts_of(validator.run(run.case))
        if validator.form is not Form.GENERATOR:
            return None
        return advance(run, None)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (an exception becomes data)
        return [error_verdict(error, validator)]


def advance(
    run: ValidatorRun, answers: Mapping[str, Answer] | None
) -> list[Verdict] | None:
    """Start a generator, or send it the answers: its verdicts if it returns, else None and its needs are in `run`."""
    try:
        if run.generator is None or answers is None:
            run.generator = cast("Judgement", run.planned.validator.run(run.case))
            needs = next(run.generator)
        else:
            needs = run.generator.send(answers)
    except StopIteration as stop:
        return verdicts_of(stop.value)
    # Most contracts ask nothing.
    from judgemesh.mesh.grading.needs import checked_needs

    run.needs = checked_needs(needs)
    return None


def guards(planned: PlannedValidator) -> bool | None:
    """Whether all questions of a validator are gating; None if each question says that itself."""
    if planned.gate is not None:
        return planned.gate
    return None if planned.validator.gate else False


def close_generator(generator: Judgement) -> None:
    """Close a generator that missed its deadline; an exception it raises meanwhile changes nothing."""
    try:
        generator.close()
    except BaseException:  # noqa: BLE001 (its deadline verdict stands)
        return
