"""How a validator is written and how it presents itself.

The main form is a generator without I/O: it yields needs, is sent answers, returns verdicts.

    @validator(name="required_fields", version="1", metric=Metric.COMPLETENESS, codes=(...), applies=...)
    def required_fields(case: Case) -> Judgement:
        answers = yield [Ask(...)]
        return [Pass(...)]

A plain function `(case) -> Verdict | list[Verdict] | bool` and an `async def` are welcome at the same door; a bare
function registered as an entry point becomes a validator of that name, run where a contract asks for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from typing import Any

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Answer, Need
from judgemesh.contracts.results import AgentResult, StateChange
from judgemesh.contracts.verdicts import Metric, Verdict

Judgement = Generator[list[Need], list[Answer], list[Verdict]]
"""What a generator validator is."""

Outcome = Verdict | Sequence[Verdict] | bool
"""What a plain or async validator may return."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All a validator may look at.

    `changes` is the difference of state, ready or computed from before/after documents; None when the result has no
    state evidence. `args` are the contract's arguments for this validator. `judge` says whether an `Ask` can be
    answered at all. `problems` names evidence that could not be read (`state`, `trace`) and why: a validator that needs
    it abstains with that message.
    """

    result: AgentResult
    contract: EvalContract
    changes: tuple[StateChange, ...] | None = None
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    judge: bool = False
    problems: Mapping[str, str] = field(default_factory=dict[str, str])


class Form(StrEnum):
    """The three forms of a validator."""

    GENERATOR = "generator"
    PLAIN = "plain"
    ASYNC = "async"


class Stage(StrEnum):
    """What a validator costs: cheap ones run first."""

    DETERMINISTIC = "deterministic"
    SOURCE = "source"
    MODEL = "model"


Run = Callable[[Case], Judgement | Outcome | Awaitable[Outcome]]


def never(_contract: EvalContract) -> bool:
    """Runs only where a contract names the validator."""
    return False


def always(_contract: EvalContract) -> bool:
    """Runs for every contract."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Validator:
    """A validator as the registry knows it.

    codes: every failure code it may emit (documentation, and the check that a code named in `must_not_include` is
        looked at by somebody).
    applies: whether a contract selects it without naming it.
    gate: whether its abstention or error leaves the gate undecided.
    """

    name: str
    version: str
    run: Run
    form: Form
    summary: str = ""
    metric: Metric | None = None
    codes: frozenset[FailureCode] = frozenset()
    applies: Callable[[EvalContract], bool] = never
    stage: Stage = Stage.DETERMINISTIC
    gate: bool = True
    timeout_s: float = 60.0

    def __call__(self, case: Case) -> Judgement | Outcome | Awaitable[Outcome]:
        """Run the validator's own function; tests drive generators this way by hand."""
        return self.run(case)


def form_of(function: Callable[..., Any]) -> Form:
    """Which form a function has.

    Raises:
        TypeError: an async generator, which is none of the three.
    """
    if isasyncgenfunction(function):
        raise TypeError(
            "an async generator is no validator; write a generator, or an async def that returns"
        )
    if isgeneratorfunction(function):
        return Form.GENERATOR
    return Form.ASYNC if iscoroutinefunction(function) else Form.PLAIN


def validator(
    *,
    name: str,
    version: str,
    metric: Metric | None = None,
    codes: Sequence[FailureCode] = (),
    applies: Callable[[EvalContract], bool] = never,
    stage: Stage = Stage.DETERMINISTIC,
    gate: bool = True,
    timeout_s: float = 60.0,
) -> Callable[[Run], Validator]:
    """Decorator: turn a function of any of the three forms into a `Validator`.

    The first line of its docstring is the summary.
    """

    def wrap(run: Run) -> Validator:
        return Validator(
            name=name,
            version=version,
            run=run,
            form=form_of(run),
            summary=(run.__doc__ or "").strip().split("\n", 1)[0],
            metric=metric,
            codes=frozenset(codes),
            applies=applies,
            stage=stage,
            gate=gate,
            timeout_s=timeout_s,
        )

    return wrap
