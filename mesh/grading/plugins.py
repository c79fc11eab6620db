"""The registry of validators: every entry point of the group `judgemesh.validators`, built-in or not.

A plug-in that cannot be loaded is kept by name with its reason, so that a contract that names it is refused instead of
leaving its gate undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.metadata import EntryPoint
from typing import Final, NamedTuple, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.validator import Run, Validator, form_of
from judgemesh.mesh.inputs.entry_points import (
    by_name,
    installed,
    is_own,
    origin_of,
    reason,
)

GROUP: Final = "judgemesh.validators"
_KIND: Final = "validator"
_NONE_BROKEN: Final[Mapping[str, str]] = {}
_NO_POINTS: Final[Mapping[str, EntryPoint]] = {}


class ValidatorRegistry(NamedTuple):
    """Validators by name, the reasons of broken ones in one line each, and the entry points of both."""

    validators: Mapping[str, Validator]
    broken: Mapping[str, str] = _NONE_BROKEN
    points: Mapping[str, EntryPoint] = _NO_POINTS

    @staticmethod
    def discover() -> ValidatorRegistry:
        """Load every installed validator.

        Raises:
            ConfigError: two packages use the same name.
        """
        return _loaded(installed(GROUP, _KIND))

    def origin(self, name: str) -> str:
        """Name and version of the package that a validator comes from, or `given in code`."""
        point = self.points.get(name)
        return "given in code" if point is None else origin_of(point)

    def with_validators(self, extra: Iterable[Validator]) -> ValidatorRegistry:
        """This registry and validators given in code.

        Raises:
            ConfigError: a name is already taken.
        """
        validators = dict(self.validators)
        for validator in extra:
            if validator.name in validators:
                raise ConfigError(
                    f"two validators are called {validator.name!r}",
                    hint="rename one of them",
                )
            validators[validator.name] = validator
        return ValidatorRegistry(validators, self.broken, self.points)


def import_own() -> None:
    """Import the validators of this package, ahead of `ValidatorRegistry.discover`, which reports what goes wrong."""
    with suppress(ConfigError):
        load(filter(is_own, installed(GROUP, _KIND).values()))


def load(points: Iterable[EntryPoint]) -> ValidatorRegistry:
    """A registry of the given entry points.

    Raises:
        ConfigError: two of them have the same name.
    """
    return _loaded(by_name(points, _KIND))


def _loaded(points: Mapping[str, EntryPoint]) -> ValidatorRegistry:
    validators: dict[str, Validator] = {}
    broken: dict[str, str] = {}
    for name, point in sorted(points.items()):
        try:
            validators[name] = adapt(point.load(), name)
        except (Exception, SystemExit) as error:  # noqa: BLE001 (any fault of a plug-in becomes its reason)
            broken[name] = reason(point, error)
    return ValidatorRegistry(validators, broken, points)


def adapt(loaded: object, name: str) -> Validator:
    """The validator that an entry point holds: one made with `@validator`, or a bare function of any form.

    Raises:
        TypeError: it is neither, or has another name than its entry point.
    """
    if isinstance(loaded, Validator):
        if loaded.name != name:
            raise TypeError(
                f"the entry point is called {name!r}, its validator {loaded.name!r}"
            )
        return loaded
    if not callable(loaded) or isinstance(loaded, type):
        raise TypeError(
            f"{type(loaded).__name__} is no validator; expected a function or @validator"
        )
    summary = (loaded.__doc__ or "").strip().split("\n", 1)[0]
    return Validator(
        name=name,
        version="0",
        run=cast("Run", loaded),
        form=form_of(loaded),
        summary=summary,
    )
