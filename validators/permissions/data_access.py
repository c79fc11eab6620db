"""The paths in the arguments of a call that the contract does not allow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.sections.procedure import Permissions
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.state.globs import Globs, globs_of
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import show
from judgemesh.validators.permissions.arguments import Argument, Role, arguments_of
from judgemesh.validators.permissions.asked import limits_data
from judgemesh.validators.permissions.denials import Denials
from judgemesh.validators.permissions.looks import is_standard
from judgemesh.validators.permissions.paths import (
    is_absolute,
    normalised,
    normalised_glob,
)
from judgemesh.validators.permissions.spotting import named_paths, used_paths

_WEB: Final = re.compile(r"\s*https?:[/\\]", re.IGNORECASE)
_ELSEWHERE: Final = re.compile(r"~|\$|%|\.\.|\w+:|.*[/\\]\.\.")
_CHANGES_FOLDER: Final = re.compile(r"(?:^|[\s;&|(])(?:cd|pushd|chdir)(?=\s)")


@dataclass(frozen=True, slots=True)
class _DataLimits:
    """The limits on data, compiled.

    names: the folded names of the arguments that hold paths, if given. bases: the folders of allowed absolute paths,
    from which relative ones may start. only_files: no address of the web is among the allowed paths.
    """

    allowed: Globs | None
    denied: Denials
    names: frozenset[str] | None
    bases: tuple[str, ...] = ()
    only_absolute: bool = False
    only_files: bool = False


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
    names = None
    if spec.path_arguments is not None:
        names = frozenset(map(fold_name, spec.path_arguments))
    denied = Denials(spec.denied_paths)
    if spec.paths is None:
        return _DataLimits(None, denied, names)
    absolute = [glob for glob in spec.paths if is_absolute(glob)]
    return _DataLimits(
        allowed=globs_of(tuple(map(normalised_glob, spec.paths))),
        denied=denied,
        names=names,
        bases=tuple(_literal_start(glob) for glob in absolute),
        only_absolute=len(absolute) == len(spec.paths),
        only_files=not any("://" in glob for glob in spec.paths),
    )


def _literal_start(glob: str) -> str:
    """The folder of a glob before its first wildcard."""
    return glob.partition("*")[0].rpartition("/")[0]


_limits: ByIdentity[Permissions, _DataLimits] = ByIdentity(_compile)


def _why_forbidden(argument: Argument, limits: _DataLimits) -> str | None:
    if not limits.denied.empty:
        for path in named_paths(argument):
            if _is_denied(path, limits):
                return f"{show(path)} is denied"
    for path in used_paths(argument):
        if (is_standard(path) and path.strip()) or _says_nothing(
            path, argument, limits
        ):
            continue
        segments = normalised(path)
        if segments is None and _starts_elsewhere(path, argument):
            continue
        if segments is None:
            return f"{show(path)} is no path inside the allowed data"
        if limits.allowed is not None and not limits.allowed.covers(segments):
            return f"{show(path)} is not among the allowed data"
    return None


def _is_denied(path: str, limits: _DataLimits) -> bool:
    """Whether a path is denied, as it stands or as seen from an allowed folder."""
    if limits.denied.covers(path):
        return True
    if is_absolute(path) or "://" in path:
        return False
    return any(limits.denied.covers(f"{base}/{path}") for base in limits.bases)


def _says_nothing(path: str, argument: Argument, limits: _DataLimits) -> bool:
    """Whether the allowed paths say nothing about this one: about the web, or about the folder a command starts in."""
    if argument.role not in (Role.COMMAND, Role.CODE, Role.MAYBE):
        return False
    if _WEB.match(path):
        return limits.only_files
    in_folder = not is_absolute(path) and not _ELSEWHERE.match(path)
    return argument.role is Role.COMMAND and limits.only_absolute and in_folder


def _starts_elsewhere(path: str, argument: Argument) -> bool:
    """Whether a path of a command starts in a folder that the command enters, so that `..` may stay inside."""
    if argument.role is not Role.COMMAND:
        return False
    return path.strip() == ".." or _CHANGES_FOLDER.search(argument.text) is not None
