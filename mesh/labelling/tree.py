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
                "Yes: the run ended with something for whoever asked: an answer, or named outputs. A refusal that "
                "gives its reasons, a question back to the user and an unfinished answer are output too; so is an "
                "answer of a run that timed out after it."
            ),
            (
                "No: nothing came out. The run timed out, crashed, ran into its limit of steps or retries or "
                "turned in circles, and left no final answer, whatever scraps of work lie about; or all it left "
                "is empty text, an error message, a promise to go on or an apology that it got nowhere."
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
                "Yes: it states as a fact what nothing in the run bears out. A reference that does not exist, a "
                "tool result that the trace does not have, an action or a confirmation number that nobody "
                "executed, something about the user or the system that nobody reported. One such item is enough, "
                "however good the rest is."
            ),
            (
                "No: all of it goes back to something real, even if it was misread, miscounted or drawn from a "
                "wrong row: mistakes are for the next questions. What the answer itself calls a guess, an example "
                "or a gap is not invented."
            ),
            "Look it up in the trace and in the sources of the task before you answer; sounding sure proves nothing.",
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
                "nothing that matters to whoever asked is wrong."
            ),
            (
                "No: a sub-goal is missing, half done or wrong, something was done that was forbidden, or a "
                "constraint of the task was broken."
            ),
            (
                "Neither cost nor time counts here (a task above its ceiling has its own penalty), nor that you "
                "would have written it in another way."
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
                "Yes: whoever asked could use it as it is and would only add what is missing. It is the kind of "
                "answer that was asked for, the parts that are there are right, and at least half of the "
                "sub-goals hold (or the share that the contract names)."
            ),
            (
                "No: something that matters is wrong, such as a false figure, the wrong person or file, or a "
                "change that nobody wanted; or it answers another question; or so little is there that one would "
                "begin anew."
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
        OutcomeClass.PARTIAL_PLUS: "the right kind of answer, and right as far as it goes, with sub-goals missing; "
        "0.4 credit",
        OutcomeClass.PARTIAL_MINUS: "the task was attempted, and the output is wrong in something that matters; "
        "no credit",
        OutcomeClass.HALLUCINATED: "something invented is presented as real; no credit, and a flag on model or "
        "retrieval",
        OutcomeClass.ABANDONED: "no output came; no credit, and a flag on the infrastructure",
    }
)
"""The classes in one line each."""
