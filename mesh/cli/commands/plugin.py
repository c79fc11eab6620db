"""The command `judgemesh plugin`: start a package with a validator of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgemesh.mesh.cli.groups import group

plugin = group(no_args_is_help=True)


@plugin.callback()
def about() -> None:
    """Start a package with a validator of your own."""


@plugin.command()
def new(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Name of the validator, as contracts will write it."
        ),
    ],
    directory: Annotated[
        Path, typer.Option("--directory", metavar="DIR", help="Where the folder goes.")
    ] = Path(),
) -> None:
    """Write an installable package with one validator and its tests into judgemesh-NAME.

    \b
    Example:
      judgemesh plugin new brevity
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.inputs.plugin_package import write_plugin

    folder = write_plugin(name, directory)
    say(f"wrote {folder}")
    say(f'next: pip install -e "{folder}[test]" && pytest {folder}')
