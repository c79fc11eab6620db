"""The decision tree behind the five outcome classes (article 000, section 3): yes/no questions that end in one class.

The tree is data: a reviewer walks it with one key a step, the screen shows the rubric of the step, and a label keeps
the answers that led to it. `OUTCOME_TREE` is the one tree of judgemesh.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.report import OutcomeClass

Next = str | OutcomeClass
"""Where an answer leads: to the step of that id, or to a class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeStep:
    """One question. `rubric` says, a paragraph a line, what yes and no mean."""

    id: str
    question: str
    rubric: tuple[str, ...]
    yes: Next
    no: Next

    def after(self, answer: bool) -> Next:  # noqa: FBT001 (an answer is yes or no)
        """Where the answer leads."""
        return self.yes if answer else self.no


@dataclass(frozen=True, slots=True)
class Place:
    """Where some answers lead: to the next `step`, or to an `outcome`; the other is None."""

    step: TreeStep | None
    outcome: OutcomeClass | None


@dataclass(frozen=True, slots=True)
class Parting:
    """The step where two paths through the tree part, and the answer of each."""

    step: TreeStep
    given: bool
    expected: bool


@dataclass(frozen=True, slots=True)
class DecisionTree:
    """Steps by id; the walk begins at `root`."""

    root: str
    steps: Mapping[str, TreeStep]

    def walk(self, answers: Sequence[bool]) -> Place:
        """Where the answers lead from the root.

        Raises:
            ValueError: there are answers left after a class was reached.
        """
        here: Next = self.root
        for answer in answers:
            if isinstance(here, OutcomeClass):
                raise ValueError(f"{len(answers)} answers, and {here} needs fewer")  # noqa: TRY004 (not of its type)
            here = self.steps[here].after(answer)
        if isinstance(here, OutcomeClass):
            return Place(None, here)
        return Place(self.steps[here], None)

    def asked(self, answers: Sequence[bool]) -> tuple[tuple[TreeStep, bool], ...]:
        """The steps that the answers belong to, in their order.

        Raises:
            ValueError: as `walk`.
        """
        asked: list[tuple[TreeStep, bool]] = []
        for count, answer in enumerate(answers):
            step = self.walk(answers[:count]).step
            if step is None:
                raise ValueError("more answers than questions")
            asked.append((step, answer))
        return tuple(asked)

    def paths(self) -> Iterator[tuple[tuple[bool, ...], OutcomeClass]]:
        """Every path through the tree, with the class it ends in."""
        pending: list[tuple[bool, ...]] = [()]
        while pending:
            answers = pending.pop()
            outcome = self.walk(answers).outcome
            if outcome is not None:
                yield answers, outcome
            else:
                pending += [(*answers, False), (*answers, True)]

    def parting(
        self, answers: Sequence[bool], expected: OutcomeClass
    ) -> Parting | None:
        """Where the answers left the paths to the expected class; None if they reached it.

        Of several paths to the class the one counts that the answers followed longest.

        Raises:
            ValueError: no path leads to the class, or the answers end in no class.
        """
        reached = self.walk(answers).outcome
        if reached is None:
            raise ValueError("the answers end in no class yet")
        if reached is expected:
            return None
        paths = [path for path, outcome in self.paths() if outcome is expected]
        if not paths:
            raise ValueError(f"no path leads to {expected.value}")
        followed = max(_common_length(answers, path) for path in paths)
        step, answer = self.asked(answers)[followed]
        return Parting(step, answer, not answer)


def _common_length(first: Sequence[bool], second: Sequence[bool]) -> int:
    """How many answers are the same before the first that differs."""
    length = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        length += 1
    return length


_STEPS: Final = (
    TreeStep(
        id="output",
        question="Is there any output to judge?",
        rubric=(
            (
                "Yes: the run produced an answer or named outputs. A refusal with reasons, a question to the user "
                "and an unfinished answer are also output, and so is an answer that was given before a time-out."
            ),
            (
                "No: the run timed out, crashed, reached its limit of steps or retries or looped, and left no "
                "final answer, even if it left intermediate work; or the only output is empty text, an error "
                "message, an announcement of further work or an apology for having no result."
            ),
        ),
        yes="fabricated",
        no=OutcomeClass.ABANDONED,
    ),
    TreeStep(
        id="fabricated",
        question="Does the output present anything invented as real?",
        rubric=(
            (
                "Yes: it states something as a fact that nothing in the run supports. Examples are a reference "
                "that does not exist, a tool result that is not in the trace, an action that was not executed, an "
                "invented confirmation number, or a fact about the user or the system that was never reported. "
                "One such item is enough, however good the rest is."
            ),
            (
                "No: everything is based on something real, even if it was misread, miscounted or taken from a "
                "wrong row; the next questions are about mistakes. A statement that the answer itself calls a "
                "guess, an example or a gap is not invented."
            ),
            "Check the trace and the sources of the task before you answer; a confident tone is no evidence.",
        ),
        yes=OutcomeClass.HALLUCINATED,
        no="sub_goals",
    ),
    TreeStep(
        id="sub_goals",
        question="Are all sub-goals met, as a competent reviewer would accept them?",
        rubric=(
            (
                "Yes: go through the list of sub-goals; each one is met, in the form that was asked for, and "
                "nothing that matters to the user is wrong."
            ),
            (
                "No: a sub-goal is missing, partly met or wrong, something forbidden was done, or a constraint of "
                "the task was broken."
            ),
            (
                "Cost, time and style do not count here. A task above its cost ceiling has a separate penalty."
            ),
        ),
        yes=OutcomeClass.COMPLETE,
        no="shape",
    ),
    TreeStep(
        id="shape",
        question="Is it the right shape of answer, with parts missing but nothing that matters wrong?",
        rubric=(
            (
                "Yes: the user could use it as it is and would only add the missing parts. It is the kind of "
                "answer that was asked for, the existing parts are right, and at least half of the sub-goals are "
                "met (or the share that the contract names)."
            ),
            (
                "No: something that matters is wrong, such as a false figure, the wrong person or file, or an "
                "unwanted change; or it answers another question; or so little exists that the user would start "
                "again."
            ),
        ),
        yes=OutcomeClass.PARTIAL_PLUS,
        no=OutcomeClass.PARTIAL_MINUS,
    ),
)

OUTCOME_TREE: Final = DecisionTree(
    "output", MappingProxyType({step.id: step for step in _STEPS})
)

DEFINITIONS: Final[Mapping[OutcomeClass, str]] = MappingProxyType(
    {
        OutcomeClass.COMPLETE: "every sub-goal is met and the output is what was asked for; full credit",
        OutcomeClass.PARTIAL_PLUS: "the right kind of answer without errors that matter, but with sub-goals missing; "
        "0.4 credit",
        OutcomeClass.PARTIAL_MINUS: "the task was attempted, but something that matters is wrong in the output; "
        "no credit",
        OutcomeClass.HALLUCINATED: "something invented is presented as real; no credit, and a flag on model or "
        "retrieval",
        OutcomeClass.ABANDONED: "there is no output; no credit, and a flag on the infrastructure",
    }
)
"""The classes in one line each."""
