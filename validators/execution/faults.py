"""A fault of an execution, and the words for executions and records in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.result_parts.actions import Action, ExecutionRecord
from judgemesh.contracts.sections.effects import ExpectedExecution
from judgemesh.validators._shared.matching import describe
from judgemesh.validators._shared.values import show


@dataclass(frozen=True, slots=True)
class ExecutionFault:
    """One thing that is wrong. `ref` names the claim or record that shows it."""

    code: FailureCode
    why: str
    ref: str = ""


@dataclass(slots=True)
class Findings:
    """The outcome of a comparison.

    proved: the references of the records that prove an execution. turns: those of the user's turns that confirmed one.
    doubts: what nobody can tell, and why.
    """

    faults: list[ExecutionFault] = field(default_factory=list[ExecutionFault])
    proved: list[str] = field(default_factory=list[str])
    turns: list[str] = field(default_factory=list[str])
    doubts: list[str] = field(default_factory=list[str])

    def add(self, code: FailureCode, why: str, ref: str = "") -> None:
        """Add one fault."""
        self.faults.append(ExecutionFault(code, why, ref))

    def doubt(self, why: str) -> None:
        """Add one thing that cannot be told."""
        self.doubts.append(why)


def record_ref(record: ExecutionRecord) -> str:
    """The reference of a record as evidence."""
    return f"record:{record.kind}/{record.confirmation_id or record.target or '?'}"


def describe_execution(execution: Action | ExecutionRecord) -> str:
    """A claimed or recorded execution in words."""
    if execution.target is None:
        return execution.kind
    return f"{execution.kind} on {show(execution.target)}"


def describe_expected(expected: ExpectedExecution) -> str:
    """An expected execution in words."""
    if expected.target is None:
        return expected.kind
    return f"{expected.kind} on {describe(expected.target)}"
