"""Groups of commands: plain help for all of them, and those of which one command may be called without its name."""

from __future__ import annotations

from typing import Any, ClassVar

import typer
from typer.core import TyperGroup


def group(**attributes: Any) -> typer.Typer:
    """A group of commands whose help looks as that of every other command: typer's own default draws boxes."""
    plain: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None}
    return typer.Typer(**plain | attributes)


class WithDefault(TyperGroup):
    """Inserts the name of the default command where the first argument names none."""

    default: ClassVar[str]
    alone: ClassVar[bool] = False
    """Whether the default command is meant where nothing is given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the name."""
        named = not self.alone
        if args:
            named = args[0] in self.commands or args[0] in ctx.help_option_names
        return super().parse_args(ctx, args if named else [self.default, *args])
