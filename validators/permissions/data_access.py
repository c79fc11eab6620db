"""The paths in the arguments of a call that the contract does not allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judgemesh.contracts.procedure import Permissions
from judgemesh.contracts.results import TraceStep
from judgemesh.validators._shared.globs import Globs, globs_of
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import as_sequence, show, walk
from judgemesh.validators.permissions.paths import normalised, normalised_glob


@dataclass(frozen=True, slots=True)
class _DataLimits:
    """The limits on data, compiled. `argument_names` are the folded names of the arguments that hold paths."""

    allowed: Globs | None
    denied: Globs
    argument_names: frozenset[str]


def forbidden_paths(step: TraceStep, spec: Permissions) -> Iterator[str]:
    """Why the call may not use its data: a phrase for each path that is not allowed."""
    limits = _limits(spec)
    if limits.allowed is None and limits.denied.empty:
        return
    for name, path in _paths(step, limits.argument_names):
        why = _why_forbidden(path, limits)
        if why is not None:
            yield f"{name} {show(path)} {why}"


def _compile(spec: Permissions) -> _DataLimits:
    allowed = None
    if spec.paths is not None:
        allowed = globs_of(tuple(map(normalised_glob, spec.paths)))
    denied = globs_of(tuple(map(normalised_glob, spec.denied_paths)))
    return _DataLimits(allowed, denied, frozenset(map(fold_name, spec.path_arguments)))


_limits: ByIdentity[Permissions, _DataLimits] = ByIdentity(_compile)


def _paths(step: TraceStep, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Every text that an argument of one of the names holds, at any depth."""
    for _, key, value in walk(step.arguments, ""):
        if fold_name(key) not in names:
            continue
        if isinstance(value, str):
            yield key, value
            continue
        for path in as_sequence(value) or ():
            if isinstance(path, str):
                yield key, path


def _why_forbidden(path: str, limits: _DataLimits) -> str | None:
    segments = normalised(path)
    if segments is None:
        return "is no path inside the allowed data"
    if limits.denied.covers(segments):
        return "is denied"
    if limits.allowed is not None and not limits.allowed.covers(segments):
        return "is not among the allowed data"
    return None
