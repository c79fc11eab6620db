"""What the agent was allowed to use: tools, the arguments of tools, and the data that the arguments name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.procedure import ArgumentRule, Permissions
from judgemesh.contracts.results import TraceStep
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Metric,
    Pass,
    Reason,
    Skipped,
)
from judgemesh.validators._shared.globs import Globs, globs_of
from judgemesh.validators._shared.matching import describe, matches
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.tool_calls import argument, tool_matches
from judgemesh.validators._shared.transcript import step_ref, transcript_hidden
from judgemesh.validators._shared.values import ABSENT, as_sequence, listed, show, walk

_METRIC: Final = Metric.METHODOLOGY.value
_MAX_REFS: Final = 50
_DECODINGS: Final = 3
_ABSOLUTE, _RELATIVE = "absolute", "relative"


@dataclass(frozen=True, slots=True)
class _Data:
    """The compiled limits on data."""

    allowed: Globs | None
    denied: Globs
    names: frozenset[str]


@validator(
    name="permissions",
    version="1",
    metric=Metric.METHODOLOGY,
    codes=(FailureCode.UNAUTHORIZED_ACTION,),
    applies=lambda contract: (
        contract.sop is not None and contract.sop.permissions is not None
    ),
)
def permissions(case: Case) -> Judgement:
    """Every call uses only tools, arguments and data that the agent is allowed to use.

    An attempt counts whether or not it succeeded. Paths are normalised before they are compared: percent signs are
    decoded, `..` is followed, and a path that climbs above its start is refused.
    """
    yield from ()
    spec = case.contract.sop.permissions if case.contract.sop else None
    if spec is None:
        return [
            Skipped(
                check="permissions",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract limits nothing",
            )
        ]
    if case.result.trace is None or transcript_hidden(case.result):
        return [
            Abstain(
                check="permissions",
                code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
                reason=Reason.SOURCE_INACCESSIBLE,
                diagnostic="the result carries no trace steps to look at",
                metric=_METRIC,
                gating=spec.gate,
            )
        ]
    found = [
        (step_ref(step, index), why)
        for index, step in enumerate(case.result.trace.steps)
        if step.tool_name is not None
        for why in _trespasses(step, step.tool_name, spec)
    ]
    if not found:
        return [
            Pass(
                check="permissions",
                metric=_METRIC,
                gating=spec.gate,
                confidence=DETERMINISTIC,
            )
        ]
    return [
        Fail(
            check="permissions",
            codes=(FailureCode.UNAUTHORIZED_ACTION,),
            diagnostic=listed([f"step {ref}: {why}" for ref, why in found]),
            metric=_METRIC,
            gating=spec.gate,
            confidence=DETERMINISTIC,
            evidence_refs=tuple(dict.fromkeys(f"trace:{ref}" for ref, _ in found))[
                :_MAX_REFS
            ],
        )
    ]


def _trespasses(step: TraceStep, tool: str, spec: Permissions) -> Iterator[str]:
    if spec.tools is not None and not any(
        tool_matches(glob, tool) for glob in spec.tools
    ):
        yield f"{tool} is not among the allowed tools"
    for rule in spec.arguments:
        if tool_matches(rule.tool, tool):
            yield from _wrong_arguments(step, tool, rule)
    data = _data(spec)
    if data.allowed is None and data.denied.empty:
        return
    for name, path in _paths(step, data):
        why = _refused(path, data)
        if why:
            yield f"{tool}: {name} {show(path)} {why}"


def _wrong_arguments(step: TraceStep, tool: str, rule: ArgumentRule) -> Iterator[str]:
    for name, matcher in rule.arguments.items():
        value = argument(step, name)
        if value is ABSENT:
            if rule.required:
                yield f"{tool} was called without {name}"
        elif not matches(matcher, value):
            yield f"{tool}: {name} must be {describe(matcher)}, found {show(value)}"


def _compile(spec: Permissions) -> _Data:
    allowed = (
        None
        if spec.paths is None
        else globs_of(tuple(_glob(glob) for glob in spec.paths))
    )
    denied = globs_of(tuple(_glob(glob) for glob in spec.denied_paths))
    return _Data(
        allowed, denied, frozenset(fold_name(name) for name in spec.path_arguments)
    )


_data: ByIdentity[Permissions, _Data] = ByIdentity(_compile)


def _glob(glob: str) -> str:
    """A glob in the form that normalised paths have."""
    return "/" + "/".join(
        (_ABSOLUTE if glob.startswith("/") else _RELATIVE, *_parts(glob))
    )


def _paths(step: TraceStep, data: _Data) -> Iterator[tuple[str, str]]:
    """Every text that an argument of one of the names holds, however deep it stands."""
    for _, key, value in walk(step.arguments, ""):
        if fold_name(key) not in data.names:
            continue
        for item in (value,) if isinstance(value, str) else as_sequence(value) or ():
            if isinstance(item, str):
                yield key, item


def _refused(path: str, data: _Data) -> str:
    place = normalised(path)
    if place is None:
        return "is no path inside the allowed data"
    if data.denied.covers(place):
        return "is denied"
    if data.allowed is not None and not data.allowed.covers(place):
        return "is not among the allowed data"
    return ""


def normalised(path: str) -> tuple[str, ...] | None:
    """The segments of a path or URL, `absolute` or `relative` in front; None when it climbs above its start.

    Backslashes separate too, percent signs are decoded (also twice over), and the letters of a URL's scheme and host
    count in any case.
    """
    text = path.strip()
    for _ in range(_DECODINGS):
        decoded = unquote(text)
        if decoded == text:
            break
        text = decoded
    if "\x00" in text or unquote(text) != text:
        return None
    text = text.replace("\\", "/")
    kept: list[str] = []
    fixed = 2 if "://" in text else 0
    for part in _parts(text):
        if part == "..":
            if len(kept) <= fixed:
                return None
            kept.pop()
        elif part != ".":
            kept.append(part.casefold() if len(kept) < fixed else part)
    return (_ABSOLUTE if text.startswith("/") else _RELATIVE, *kept)


def _parts(text: str) -> list[str]:
    return [part for part in text.split("/") if part]
