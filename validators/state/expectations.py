"""The changes of state that a contract expects, allows, ignores and forbids, compiled once."""

from __future__ import annotations

from dataclasses import dataclass

from judgemesh.contracts.sections.effects import ExpectedChange, StateSpec
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.state.globs import Globs, globs_of, segments
from judgemesh.validators._shared.values import ABSENT, UNKNOWN, Path, json_equal


@dataclass(frozen=True, slots=True)
class Expectation:
    """One change that should have happened. UNKNOWN stands for a value that the contract does not give."""

    path: Path
    spec: ExpectedChange
    before: object
    after: object

    @property
    def is_idle(self) -> bool:
        """Whether it expects nothing to change."""
        if self.spec.match is not None:
            return False
        if self.before is UNKNOWN or self.after is UNKNOWN:
            return False
        return json_equal(self.before, self.after)


@dataclass(frozen=True, slots=True)
class CompiledState:
    """A contract's state section, compiled."""

    expected: tuple[Expectation, ...]
    sorted_paths: tuple[Path, ...]
    paths: frozenset[Path]
    allowed: Globs
    ignored: Globs
    forbidden: Globs


def _compile(spec: StateSpec) -> CompiledState:
    expected: list[Expectation] = []
    for change in spec.expected:
        expectation = _expectation(change)
        if not expectation.is_idle:
            expected.append(expectation)
    paths = frozenset(expectation.path for expectation in expected)
    # A document that the contract names may be created. Whether it is usable, the `documents` validator says.
    allowed = [*spec.allowed, *(document.path for document in spec.documents)]
    return CompiledState(
        expected=tuple(expected),
        sorted_paths=tuple(sorted(paths)),
        paths=paths,
        allowed=globs_of(tuple(allowed)),
        ignored=globs_of(tuple(spec.ignored)),
        forbidden=globs_of(tuple(spec.forbidden)),
    )


def expects_changes(spec: StateSpec) -> bool:
    """Whether the section expects a change that is one."""
    return not all(_expectation(change).is_idle for change in spec.expected)


def _expectation(change: ExpectedChange) -> Expectation:
    before: object = UNKNOWN
    after: object = UNKNOWN
    if change.op == "add":
        before = ABSENT
    elif "before" in change.model_fields_set:
        before = change.before
    if change.op == "remove":
        after = ABSENT
    elif "after" in change.model_fields_set:
        after = change.after
    return Expectation(segments(change.path), change, before, after)


compiled_state: ByIdentity[StateSpec, CompiledState] = ByIdentity(_compile)
"""The compiled section. Raises ValueError for a glob that cannot be compiled."""
