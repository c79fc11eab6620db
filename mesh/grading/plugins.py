"""Which validators there are: every entry point of the group `judgemesh.validators`, ours through the same door as
everybody's. A plug-in that cannot be loaded is kept by name with its reason, so that naming it is an error and not a
skipped gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.validator import Run, Validator, form_of

GROUP: Final = "judgemesh.validators"


@dataclass(frozen=True, slots=True)
class Registry:
    """Validators by name, broken ones with a one-line reason, and the distribution each comes from."""

    validators: Mapping[str, Validator]
    broken: Mapping[str, str] = field(default_factory=dict[str, str])
    origins: Mapping[str, str] = field(default_factory=dict[str, str])

    @staticmethod
    def discover() -> Registry:
        """Load every installed validator.

        Raises:
            ConfigError: two distributions claim the same name.
        """
        return load(entry_points(group=GROUP))

    def with_validators(self, extra: Iterable[Validator]) -> Registry:
        """This registry and validators given in code; a name already taken is an error."""
        validators, origins = dict(self.validators), dict(self.origins)
        for one in extra:
            if one.name in validators:
                raise ConfigError(
                    f"two validators are called {one.name!r}", hint="rename one of them"
                )
            validators[one.name] = one
            origins[one.name] = "given in code"
        return Registry(validators, self.broken, origins)


def load(points: Iterable[EntryPoint]) -> Registry:
    """Load the given entry points into a registry; raises ConfigError for a name claimed twice."""
    validators: dict[str, Validator] = {}
    broken: dict[str, str] = {}
    origins: dict[str, str] = {}
    origin_of = _Origins()
    for point in sorted(points, key=lambda point: (point.name, origin_of(point))):
        origin = origin_of(point)
        if point.name in origins:
            raise ConfigError(
                f"two installed packages offer a validator {point.name!r}: {origins[point.name]} and {origin}",
                hint="uninstall or rename one of them",
            )
        origins[point.name] = origin
        try:
            validators[point.name] = adapt(point.load(), point.name)
        except (Exception, SystemExit) as error:  # noqa: BLE001 (any fault of a plug-in becomes its reason)
            broken[point.name] = (
                f"{point.value}: {type(error).__name__}: {_first_line(error)}"
            )
    return Registry(validators, broken, origins)


def adapt(found: object, name: str) -> Validator:
    """What an entry point holds, as a validator: one made with `@validator`, or a bare function of any form.

    Raises:
        TypeError: it is neither, or calls itself by another name.
    """
    if isinstance(found, Validator):
        if found.name != name:
            raise TypeError(
                f"the entry point is called {name!r}, its validator {found.name!r}"
            )
        return found
    if not callable(found) or isinstance(found, type):
        raise TypeError(
            f"{type(found).__name__} is no validator; expected a function or @validator"
        )
    summary = (found.__doc__ or "").strip().split("\n", 1)[0]
    return Validator(
        name=name,
        version="0",
        run=cast("Run", found),
        form=form_of(found),
        summary=summary,
    )


class _Origins:
    """Name and version of the distribution that an entry point comes from; each one's metadata is parsed once."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def __call__(self, point: EntryPoint) -> str:
        dist = point.dist
        if dist is None:
            return "unknown package"
        # All entry points of one distribution hold the same object.
        if id(dist) not in self._known:
            metadata = dist.metadata
            self._known[id(dist)] = f"{metadata['Name']} {metadata['Version']}"
        return self._known[id(dist)]


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or "no message").split("\n", 1)[0][:300]
