"""Options that a command would not read are refused.

A command can be used in several ways: on a file, on a run of the ledger. Each way declares the options that it reads.
An option that the user gave and that the way does not read ends the command with one line and exit code 2, so that a
number is never computed without what was asked for. Environment variables are not counted: they are set for all
commands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.errors import ConfigError

if TYPE_CHECKING:
    import typer

_GIVEN: Final = "COMMANDLINE"
_PRESENTATION: Final = frozenset({"as_json", "quiet", "verbose", "no_progress"})
"""How results are shown, which every way reads."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways to use a command: the name of each, as a message has it, and the parameters that it reads.

    common: parameters that every way reads.
    """

    reads: Mapping[str, str]
    common: str = ""

    def check(self, ctx: typer.Context, way: str, *more: str) -> None:
        """Refuse an option that this way does not read.

        Args:
            ctx: of the command.
            way: one of the names.
            more: parameters that are read in this case beside those of the way.

        Raises:
            ConfigError: one was given; the line names it, and the ways that read it.
        """
        read = {*self.common.split(), *self.reads[way].split(), *more}
        for name, flag in _given(ctx):
            if name in read or name in _PRESENTATION:
                continue
            others = [
                other for other in self.reads if name in self.reads[other].split()
            ]
            hint = f"it is read {' or '.join(others)}" if others else None
            raise ConfigError(f"has no effect {way}", where=flag, hint=hint)


def refuse_both(given: Mapping[str, bool]) -> None:
    """Refuse two options that exclude each other: whether each was given, by what a message calls it.

    Raises:
        ConfigError: both were given.
    """
    if all(given.values()):
        raise ConfigError(f"give {' or '.join(given)}, not both")


def refuse_without(
    ctx: typer.Context, names: Mapping[str, str], *, needed: str
) -> None:
    """Refuse options that do nothing without another one.

    Args:
        ctx: of the command.
        names: parameters, and what each would do.
        needed: what is missing, as the message has it.

    Raises:
        ConfigError: one was given.
    """
    for name, flag in _given(ctx):
        if name in names:
            raise ConfigError(
                f"has no effect without {needed}", where=flag, hint=names[name]
            )


def is_given(ctx: typer.Context, name: str) -> bool:
    """Whether a parameter stands on the command line."""
    return any(name == given for given, _ in _given(ctx))


def _given(ctx: typer.Context) -> Iterator[tuple[str, str]]:
    """The name of each parameter on the command line, and its flag."""
    for parameter in cast("list[Any]", ctx.command.params):
        source = ctx.get_parameter_source(parameter.name)
        if source is not None and source.name == _GIVEN:
            flags = [flag for flag in parameter.opts if flag.startswith("--")]
            yield parameter.name, next(iter(flags), parameter.name.upper())
