"""`judgemesh doctor`: checks of the installation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    JsonOption,
    JudgeApiBaseOption,
)
from judgemesh.mesh.cli.running import run_async
from judgemesh.mesh.cli.settings import ConfigOption, effective_config
from judgemesh.mesh.inputs.settings import Setting

_JudgeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="Make one real call to this model. Repeatable.",
    ),
]
_PricesOption = Annotated[
    Path | None,
    typer.Option(
        "--prices", metavar="FILE", help="File of prices to find the model in."
    ),
]
_LedgerOption = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="URL",
        help=f"Ledger: a file or a database URL. [default: {DEFAULT_LEDGER}]",
    ),
]
_VerifyLedgerOption = Annotated[
    str | None,
    typer.Option(
        "--verify",
        metavar="URL",
        help="Verify a ledger instead: every report against the log that was kept when it was written.",
    ),
]


def doctor(
    *,
    config_file: ConfigOption = None,
    judge: _JudgeOption = None,
    judge_api_base: JudgeApiBaseOption = None,
    prices: _PricesOption = None,
    ledger: _LedgerOption = None,
    verify_ledger: _VerifyLedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check the installation: versions, validators, the ledger, API keys (names only).

    Settings come from the same places as those of judgemesh grade. With a judge, also
    make one real call to it, as judgemesh grade does before the first result.

    --verify reads a whole ledger and names every report that was altered or deleted after
    it was written, and every gate that the verdicts beside it do not carry.

    The exit code is 0 if every check succeeds, and 1 otherwise.

    \b
    Examples:
      judgemesh doctor
      judgemesh doctor --judge openai/gpt-4.1-mini
      judgemesh doctor --config mesh.toml
      judgemesh doctor --verify .judgemesh/ledger.db
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    if verify_ledger is not None:
        _verify(verify_ledger, as_json=as_json)
        return

    from judgemesh.mesh.analysis.doctor import check_up
    from judgemesh.mesh.cli.errors import EXIT_FAILED
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.setup.checks import checks_table

    given = {
        "judge": judge,
        "judge_api_base": judge_api_base,
        "prices": prices and str(prices),
        "ledger": ledger,
    }
    flags = {
        name: Setting(value, f"--{name.replace('_', '-')}")
        for name, value in given.items()
        if value
    }
    checks = check_up(effective_config(config_file, flags).config)
    ok = all(check.ok for check in checks)
    if as_json:
        show_json({"ok": ok, "checks": [check.to_json() for check in checks]})
    else:
        show(checks_table(checks))
    if not ok:
        raise typer.Exit(EXIT_FAILED)


def _verify(url: str, *, as_json: bool) -> None:
    """Verify a ledger, run by run.

    Raises:
        LedgerError: the ledger cannot be read.
        Exit: a run has a fault.
    """
    from judgemesh.mesh.analysis.ledger_verification import verify_ledger
    from judgemesh.mesh.cli.errors import EXIT_FAILED
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.setup.verification import verification_view

    runs = run_async(verify_ledger(url))
    ok = not any(run.faults for run in runs)
    if as_json:
        show_json({"ok": ok, "runs": [run.to_json() for run in runs]})
    else:
        show(*verification_view(runs))
    if not ok:
        raise typer.Exit(EXIT_FAILED)
