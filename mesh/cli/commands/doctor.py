"""`judgemesh doctor`: checks of the installation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption


def doctor(
    *,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge", metavar="MODEL", help="Make one real call to this model."
        ),
    ] = None,
    judge_api_base: Annotated[
        str | None,
        typer.Option(
            "--judge-api-base", metavar="URL", help="Address of the model's API."
        ),
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            "--prices", metavar="FILE", help="File of prices to find the model in."
        ),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Check the installation: versions, validators, the ledger, API keys (names only).

    With --judge, also make one real call to that model.

    The exit code is 0 if every check succeeds, and 1 otherwise.

    \b
    Examples:
      judgemesh doctor
      judgemesh doctor --judge openai/gpt-4.1-mini
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.doctor import check_up
    from judgemesh.mesh.cli.errors import EXIT_FAILED
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.checks import checks_table

    checks = check_up(
        ledger=ledger, judge=judge, judge_api_base=judge_api_base, prices=prices
    )
    ok = all(check.ok for check in checks)
    if as_json:
        show_json({"ok": ok, "checks": [check.to_json() for check in checks]})
    else:
        show(checks_table(checks))
    if not ok:
        raise typer.Exit(EXIT_FAILED)
