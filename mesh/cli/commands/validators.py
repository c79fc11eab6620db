"""The command `judgemesh validators`: list the installed validators and failure codes."""

from __future__ import annotations

from typing import Annotated

import typer

from judgemesh.mesh.cli.options import JsonOption


def validators(
    *,
    codes: Annotated[
        bool,
        typer.Option(
            "--codes", help="List the failure codes instead, the gravest first."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the installed validators: version, origin, what each may find, and what cannot be loaded.

    \b
    Examples:
      judgemesh validators
      judgemesh validators --codes
      judgemesh validators --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import show, show_json

    if codes:
        from judgemesh.mesh.reporting.setup.failure_codes import codes_json, codes_table

        if as_json:
            show_json(codes_json())
        else:
            show(codes_table())
        return

    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.grading.plugins import ValidatorRegistry
    from judgemesh.mesh.reporting.setup.validators import registry_json, validators_view
    from judgemesh.mesh.reporting.text import one_line

    registry = ValidatorRegistry.discover()
    if as_json:
        show_json(registry_json(registry))
    else:
        show(*validators_view(registry))
    for name, reason in registry.broken.items():
        say(f"warning: validator {one_line(name)} cannot be loaded: {one_line(reason)}")
