"""The rows of a coverage table, and the validators that run under a contract."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Validator
from judgemesh.mesh.grading.coverage.places import EACH
from judgemesh.mesh.inputs.problems import KeyPath

_OPTIONS: Final = frozenset({"required", "gate"})
"""Keys that are true or false and ask for something where they are true."""


class Coverage(NamedTuple):
    """One row: a thing that a contract names, the checks that look for it, or why none does and what to do.

    check: the label of the row's verdict, when nobody looks.
    """

    path: KeyPath
    what: str
    checks: tuple[str, ...] = ()
    check: str = ""
    why: str = ""
    remedy: str = ""

    @property
    def is_looked_for(self) -> bool:
        """Whether any check looks for it."""
        return bool(self.checks)


class Runners(NamedTuple):
    """The validators that run under a contract, those the contract names, and those that guard the gate."""

    validators: Mapping[str, Validator]
    named: Collection[str]
    guarding: Collection[str]

    def of(
        self, names: Iterable[str], codes: Collection[FailureCode]
    ) -> tuple[str, ...]:
        """Those of `names` that run; else the ones named by the contract that vouch for one of the codes."""
        running = tuple(name for name in names if name in self.validators)
        if running:
            return running
        vouching: list[str] = []
        for name in sorted(self.named):
            validator = self.validators.get(name)
            if validator is not None and not validator.codes.isdisjoint(codes):
                vouching.append(name)
        return tuple(vouching)


def found(
    model: Any, path: tuple[str, ...], at: KeyPath = ()
) -> Iterator[tuple[KeyPath, Any]]:
    """What stands at `path` below a model, as far as it is written down; `EACH` is every item."""
    if not path:
        # An option that is off asks for nothing; a value that must be false, or 0, is asked for.
        is_off = model is False and not _OPTIONS.isdisjoint(at[-1:])
        if model is not None and not is_off:
            yield at, model
        return
    head, *rest = path
    for key, child in _children(model, head):
        yield from found(child, tuple(rest), (*at, key))


def _children(model: Any, key: str) -> Iterator[tuple[str | int, Any]]:
    if key == EACH:
        if isinstance(model, list):
            yield from enumerate(cast("list[Any]", model))
        else:
            yield from model.items()
    elif key in model.model_fields_set and getattr(model, key) is not None:
        yield key, getattr(model, key)


def by(
    row: Coverage, checks: tuple[str, ...], wanted: tuple[str, ...], check: str
) -> Coverage:
    """The row with the checks that run; of those `wanted` none may run."""
    if checks:
        return looked(row, checks)
    names = " or ".join(map(repr, wanted))
    why = f"no validator {names} runs under this contract"
    remedy = "install it, do not disable it, or name a validator that declares the code"
    return unlooked(row, check=check, why=why, remedy=remedy)


def looked(row: Coverage, checks: tuple[str, ...]) -> Coverage:
    """The row of a thing that `checks` look for."""
    return Coverage(path=row.path, what=row.what, checks=checks)


def unlooked(row: Coverage, *, check: str, why: str, remedy: str) -> Coverage:
    """The row of a thing that nobody looks for."""
    return Coverage(path=row.path, what=row.what, check=check, why=why, remedy=remedy)
