"""`judgemesh contract check | schema | new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from judgemesh.mesh.cli.options import JsonOption

contract: Final = typer.Typer(
    no_args_is_help=True,
    help="Check contracts, print their JSON Schema, start a new one.",
)


@contract.command("check")
def check(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="Contract files, or folders of them."),
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Check contracts: every fault with file, line and column, then what is allowed but suspicious.

    Exit code 2 when there is a fault, 0 otherwise; warnings do not count.

    \b
    Examples:
      judgemesh contract check contracts/
      judgemesh contract check contract.yaml --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.contract_check import check_paths
    from judgemesh.mesh.cli.errors import EXIT_USAGE
    from judgemesh.mesh.cli.output import put, say, show_json

    found = check_paths(paths)
    if as_json:
        show_json(found.to_json())
    else:
        for problem in found.problems:
            say(f"error: {problem}")
        for warning in found.warnings:
            say(f"warning: {warning}")
        put(found.conclusion() + "\n")
    if found.problems:
        raise typer.Exit(EXIT_USAGE)


@contract.command("schema")
def schema() -> None:
    """Print the JSON Schema of a contract, for editors and other tools.

    \b
    Example:
      judgemesh contract schema > contract.schema.json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.contract_schema import contract_schema
    from judgemesh.mesh.cli.output import show_json

    show_json(contract_schema())


@contract.command("new")
def new(
    *,
    family: Annotated[
        str,
        typer.Option("--family", metavar="NAME", help="Which template to start from."),
    ] = "general",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write here, not to stdout."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace FILE if it exists.")
    ] = False,
) -> None:
    """Write a commented contract to start from.

    \b
    Examples:
      judgemesh contract new -o contract.yaml
      judgemesh contract new --family research   (or triage, code_review, extraction, drafting, scheduling)
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.contract_new import template, write_new
    from judgemesh.mesh.cli.output import put, say

    text = template(family)
    if output is None:
        put(text)
        return
    write_new(output, text, force=force)
    say(f"wrote {output}; check it with: judgemesh contract check {output}")
