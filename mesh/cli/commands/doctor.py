"""`judgemesh doctor`."""

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
            "--prices", metavar="FILE", help="Price book to look the model up in."
        ),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Look at the installation: versions, validators, the ledger, keys (names only), and with --judge the model.

    Exit code 0 when everything that was looked at works, 1 otherwise.

    \b
    Examples:
      judgemesh doctor
      judgemesh doctor --judge openai/gpt-4.1-mini
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.checkup import check_up
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
