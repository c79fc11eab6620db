"""How a validator is written and what the engine knows about it.

The main form is a generator without I/O. It yields needs by name, is sent the answers by the same names, and returns
verdicts:

    @validator(name="polite", version="1", metric=Metric.READABILITY, codes=(...), applies=...)
    def polite(case: Case) -> Judgement:
        answers = yield {"polite": Ask(...)}
        return [Pass(...)] if answers["polite"].vote is Vote.YES else [Fail(...)]

A validator that needs nothing is a plain function `(case) -> Verdict | list[Verdict] | bool`. With `pure=True` it
only computes: few of these run at a time, each under its deadline. Without, it may block, and has a worker thread of
its own. An `async def` does its own I/O. With `isolated=True` either runs in a process of its own, which is killed at
its deadline. A bare function registered as an entry point becomes a validator of that name, which runs where a contract
names it.
"""

from __future__ import annotations

from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Generator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from enum import StrEnum
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from typing import TYPE_CHECKING, Any

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.verdicts import Metric, Verdict

if TYPE_CHECKING:
    from judgemesh.contracts.needs import Answer, Need
    from judgemesh.contracts.result_parts.changes import StateChange

Judgement = Generator[Mapping[str, "Need"], Mapping[str, "Answer"], list[Verdict]]
"""A generator validator: it yields needs by name and is sent the answers by the same names."""

Outcome = Verdict | Sequence[Verdict] | bool
"""What a plain or async validator may return."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All a validator may look at.

    `changes` is the difference of state, ready or computed from before/after documents; None when the result has no
    state evidence. `args` are the contract's arguments for this validator. `judge` says whether an `Ask` can be
    answered at all. `long`: the result holds so much text that none of its checks runs on the event loop. `problems`
    names evidence that could not be read (`state`, `trace`) and why: a validator that needs it abstains with that
    message.
    """

    result: AgentResult
    contract: EvalContract
    changes: tuple[StateChange, ...] | None = None
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    judge: bool = False
    long: bool = False
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

    codes: every failure code it may emit.
    covers: the codes that it looks for under a contract, whatever the result says. A code that it may emit but does
        not look for under this contract (there is nothing to compare with) is not among them. Left out: all `codes`.
    applies: whether a contract selects it without naming it.
    gate: whether its abstention or error leaves the gate undecided.
    pure: a plain function that only computes. Built-in ones run on the event loop, those of plug-ins in threads.
    isolated: it runs in a process of its own, whose memory is limited and which is killed at its deadline.
    takes_args: whether it reads arguments; a contract that gives some to one that does not is refused.
    needs_answer: what it says is about the agent's answer. Where a converted transcript holds none, the engine does not
        run it: unread is not absent, so the verdict is that the evidence is inaccessible.
    """

    name: str
    version: str
    run: Run
    form: Form
    summary: str = ""
    metric: Metric | None = None
    codes: frozenset[FailureCode] = frozenset()
    applies: Callable[[EvalContract], bool] = never
    covers: Callable[[EvalContract], Collection[FailureCode]] | None = None
    stage: Stage = Stage.DETERMINISTIC
    gate: bool = True
    timeout_s: float = 60.0
    pure: bool = False
    isolated: bool = False
    takes_args: bool = True
    needs_answer: bool = False

    def codes_under(self, contract: EvalContract) -> frozenset[FailureCode]:
        """The codes that it looks for under a contract."""
        if self.covers is None:
            return self.codes
        return frozenset(self.covers(contract))

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
    if iscoroutinefunction(function):
        return Form.ASYNC
    return Form.PLAIN


def validator(  # noqa: PLR0913 (the fields of a `Validator`, all given by name)
    *,
    name: str,
    version: str,
    metric: Metric | None = None,
    codes: Sequence[FailureCode] = (),
    applies: Callable[[EvalContract], bool] = never,
    covers: Callable[[EvalContract], Collection[FailureCode]] | None = None,
    stage: Stage = Stage.DETERMINISTIC,
    gate: bool = True,
    timeout_s: float = 60.0,
    pure: bool = False,
    isolated: bool = False,
    takes_args: bool = True,
    needs_answer: bool = False,
) -> Callable[[Run], Validator]:
    """Decorator: turn a function of any of the three forms into a `Validator`.

    The first line of its docstring is the summary. `pure` is for a plain function that only computes, without I/O:
    few of these run at a time. `isolated` is for a plain or async function whose code may hang, crash or take much
    memory: it is called in a process of its own, by its module and name, with a pickled case.

    Raises:
        TypeError: the function is an async generator, `pure` is given for a function that is not plain, or `isolated`
            for a generator or for a function that a module does not have by its name.
    """

    def wrap(run: Run) -> Validator:
        form = form_of(run)
        if pure and form is not Form.PLAIN:
            raise TypeError(
                f"pure=True is for plain functions; {name!r} is of the form {form.value}"
            )
        if isolated and form is Form.GENERATOR:
            raise TypeError(
                f"isolated=True is for plain and async functions; {name!r} is a generator"
            )
        if isolated and ("<" in run.__qualname__ or run.__module__ == "__main__"):
            raise TypeError(
                f"isolated=True is for functions that another process can import; {name!r} is "
                f"{run.__module__}.{run.__qualname__}"
            )
        return Validator(
            name=name,
            version=version,
            run=run,
            form=form,
            summary=(run.__doc__ or "").strip().split("\n", 1)[0],
            metric=metric,
            codes=frozenset(codes),
            applies=applies,
            covers=covers,
            stage=stage,
            gate=gate,
            timeout_s=timeout_s,
            pure=pure,
            isolated=isolated,
            takes_args=takes_args,
            needs_answer=needs_answer,
        )

    return wrap
