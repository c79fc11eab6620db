"""The entry point `judgemesh`. Every command is one module; this one puts them together and turns errors into one line.

exit code   meaning
0           done; all gates asked for passed
1           a gate or a threshold failed; `doctor` found a fault; the drift canary alarms
2           usage, contract, input or ledger error: one line on stderr says where and how to mend it
3           more evaluator errors than tolerated
70          a fault of judgemesh itself (one line; the traceback with -vv)
130         interrupted (SIGINT or SIGTERM); what was graded is in the ledger
"""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from judgemesh.contracts.version import VERSION
from judgemesh.mesh.cli.agreement import agreement
from judgemesh.mesh.cli.asr import asr
from judgemesh.mesh.cli.calibrate import calibrate
from judgemesh.mesh.cli.compare import compare
from judgemesh.mesh.cli.contract import contract
from judgemesh.mesh.cli.doctor import doctor
from judgemesh.mesh.cli.errors import EXIT_INTERRUPTED, exit_code_of, tell
from judgemesh.mesh.cli.grade import grade
from judgemesh.mesh.cli.label import label
from judgemesh.mesh.cli.prices import prices
from judgemesh.mesh.cli.report import report
from judgemesh.mesh.cli.rollback import rollback
from judgemesh.mesh.cli.snapshot import snapshot
from judgemesh.mesh.cli.trace import trace
from judgemesh.mesh.cli.triangle import triangle
from judgemesh.mesh.cli.validators import validators
from judgemesh.mesh.cli.weighted import weighted

app: Final = typer.Typer(
    name="judgemesh",
    no_args_is_help=True,
    add_completion=False,
    # Plain help: rich would double the start time, and nobody waits for colours in --help.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("grade")(grade)
app.command("report")(report)
app.command("asr")(asr)
app.command("compare")(compare)
app.command("triangle")(triangle)
app.command("weighted")(weighted)
app.command("validators")(validators)
app.add_typer(contract, name="contract")
app.add_typer(trace, name="trace")
app.command("prices")(prices)
app.add_typer(snapshot, name="snapshot")
app.add_typer(label, name="label")
app.command("rollback")(rollback)
app.command("calibrate")(calibrate)
app.command("agreement")(agreement)
app.command("doctor")(doctor)


def _version(wanted: bool) -> None:  # noqa: FBT001 (a typer callback)
    if wanted:
        typer.echo(f"judgemesh {VERSION}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the version and leave.",
        ),
    ] = False,
) -> None:
    """Grade finished agent runs: hard gate, soft score, failure codes, and what the grading cost.

    \b
    Start here:
      judgemesh contract new -o contract.yaml
      judgemesh contract check contract.yaml
      judgemesh grade results.jsonl --contracts contract.yaml
      judgemesh report RESULT_ID
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    del version


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    try:
        app(prog_name="judgemesh")
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:  # noqa: BLE001 (the one place where an error becomes a line and an exit code)
        tell(error, arguments=sys.argv[1:])
        sys.exit(exit_code_of(error))
