"""The paths in the arguments of a call that the contract does not allow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.procedure import Permissions
from judgemesh.contracts.results import TraceStep
from judgemesh.validators._shared.globs import Globs, globs_of
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import show
from judgemesh.validators.permissions.arguments import Argument, Role, arguments_of
from judgemesh.validators.permissions.denials import Denials
from judgemesh.validators.permissions.paths import normalised, normalised_glob
from judgemesh.validators.permissions.spotting import (
    is_standard,
    named_paths,
    used_paths,
)

_CHANGES_FOLDER: Final = re.compile(r"(?:^|[\s;&|(])(?:cd|pushd|chdir)(?=\s)")


@dataclass(frozen=True, slots=True)
class _DataLimits:
    """The limits on data, compiled. `names`: the folded names of the arguments that hold paths, if given."""

    allowed: Globs | None
    denied: Denials
    names: frozenset[str] | None


def limits_data(spec: Permissions) -> bool:
    """Whether the contract limits the data that calls may name."""
    return spec.paths is not None or bool(spec.denied_paths)


def forbidden_paths(step: TraceStep, spec: Permissions) -> Iterator[str]:
    """Why the call may not use its data: a phrase for each path that is not allowed."""
    if not limits_data(spec):
        return
    limits = _limits(spec)
    for argument in arguments_of(step.arguments, limits.names):
        if limits.names is not None and argument.role not in (Role.PATH, Role.LIKELY):
            continue
        why = _why_forbidden(argument, limits)
        if why is not None:
            yield f"{argument.name or 'a key'} {why}"


def _compile(spec: Permissions) -> _DataLimits:
    allowed = None
    if spec.paths is not None:
        allowed = globs_of(tuple(map(normalised_glob, spec.paths)))
    names = None
    if spec.path_arguments is not None:
        names = frozenset(map(fold_name, spec.path_arguments))
    return _DataLimits(allowed, Denials(spec.denied_paths), names)


_limits: ByIdentity[Permissions, _DataLimits] = ByIdentity(_compile)


def _why_forbidden(argument: Argument, limits: _DataLimits) -> str | None:
    for path in named_paths(argument):
        if not limits.denied.empty and limits.denied.covers(path):
            return f"{show(path)} is denied"
    for path in used_paths(argument):
        if is_standard(path) and path.strip():
            continue
        segments = normalised(path)
        if segments is None and _starts_elsewhere(path, argument):
            continue
        if segments is None:
            return f"{show(path)} is no path inside the allowed data"
        if limits.allowed is not None and not limits.allowed.covers(segments):
            return f"{show(path)} is not among the allowed data"
    return None


def _starts_elsewhere(path: str, argument: Argument) -> bool:
    """Whether a path of a command starts in a folder that the command enters, so that `..` may stay inside."""
    if argument.role is not Role.COMMAND:
        return False
    return path.strip() == ".." or _CHANGES_FOLDER.search(argument.text) is not None
