"""The entry point `judgemesh`: the list of commands, and errors as lines and exit codes.

A command is a module of `judgemesh.mesh.cli.commands` that is imported when the command
is called; `judgemesh --help` imports none.

exit code   meaning
0           done; all gates asked for passed
1           a gate or a threshold failed; `doctor` found a fault; the drift canary alarms
2           usage, contract, input or ledger error: one line on stderr names the place; stdout could not be written
3           more evaluator errors than tolerated
4           --max-cost is spent
70          a fault of judgemesh itself (one line; the traceback with -vv)
130         interrupted (SIGINT or SIGTERM); what was graded is in the ledger
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup

from judgemesh.contracts.version import VERSION
from judgemesh.mesh.cli.errors import EXIT_INTERRUPTED, exit_code_of, print_error
from judgemesh.mesh.cli.streams import exit_code, guard_streams
from judgemesh.mesh.isolation.exits import keep_exit_codes, leave

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: Final = {
    "init": "Turn logs of agent runs into a drafted contract and a first report.",
    "grade": "Grade agent results against their contracts.",
    "convert": "Turn transcripts of agent frameworks into agent results.",
    "report": "Show a run, one result in full, or the list of runs.",
    "view": "Show a ledger in the browser, and collect labels there.",
    "asr": "Compute the Agent Success Rate of a run or a file.",
    "compare": "Compare two versions on the tasks they share.",
    "triangle": "Score tool selection, planning and rollback together.",
    "weighted": "Summarise weighted yes/no scores.",
    "validators": "List installed validators, or the failure codes.",
    "plugin": "Start a package with a validator of your own.",
    "contract": "Check contracts, print their JSON Schema, start a new one.",
    "trace": "Read traces of agent runs: tokens, cost, waste.",
    "prices": "Print the prices of models.",
    "snapshot": "Record folders, tables and JSON files around a run.",
    "label": "Collect people's labels of results and judged questions.",
    "rollback": "Kill the agent at three points and score what it leaves.",
    "calibrate": "Compare judges with people's labels, and store the result.",
    "agreement": "Measure how far reviewers, judge and reference agree.",
    "ledger": "Copy a ledger, merge ledgers, remove the texts they hold.",
    "config": "Show the effective configuration, or its JSON Schema.",
    "doctor": "Check the installation.",
}
"""Each command, and its line in `judgemesh --help`."""


class CommandGroup(TyperGroup):
    """Imports the module of a command when the command is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # typer compares a mistyped name with these.
        self.commands = dict[str, Any](dict.fromkeys(COMMANDS))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command; None if there is none of that name."""
        del ctx
        return _load(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _load(name: str) -> Any:
    module = import_module(f"judgemesh.mesh.cli.commands.{name}")
    command: typer.Typer | Callable[..., None] = getattr(module, name)
    if not isinstance(command, typer.Typer):
        function = command
        command = typer.Typer(add_completion=False, rich_markup_mode=None)
        command.command(name)(function)
    loaded = typer.main.get_command(command)
    loaded.name = name
    return loaded


_LEAST_FILES: Final = 8
"""Standard streams, an event loop, and a file of input."""

app: Final = typer.Typer(
    name="judgemesh",
    cls=CommandGroup,
    no_args_is_help=True,
    add_completion=False,
    # Plain help: rich would double the start time.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(value: bool) -> None:  # noqa: FBT001 (a typer callback)
    if value:
        typer.echo(f"judgemesh {VERSION}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Grade finished agent runs: hard gate, soft score, failure codes, and the cost of grading.

    \b
    Start here, from a log of agent runs or from a contract of your own:
      judgemesh init chat.json
      judgemesh contract new -o contract.yaml
      judgemesh contract check contract.yaml
      judgemesh grade results.jsonl --contracts contract.yaml
      judgemesh report RESULT_ID
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    del version
    # The names of the settings are imported only where a variable asks for them.
    if any(name.startswith("JUDGEMESH_") for name in os.environ):
        _warn_of_environment()


def _warn_of_environment() -> None:
    from judgemesh.mesh.cli.output import warn
    from judgemesh.mesh.inputs.settings import unknown_variables

    for line in unknown_variables(os.environ):
        warn(line)


def _check_open_files() -> None:
    """Say so where the limit on open files leaves no room for an event loop, which would break in several pieces.

    Raises:
        ConfigError: the limit is too low.
    """
    if os.name != "posix":
        return
    from resource import RLIMIT_NOFILE, getrlimit

    limit = getrlimit(RLIMIT_NOFILE)[0]
    if 0 <= limit < _LEAST_FILES:
        from judgemesh.contracts.errors import ConfigError

        raise ConfigError(
            f"this process may open {limit} files, and {_LEAST_FILES} are needed; raise the limit with `ulimit -n 256`"
        )


def main() -> None:
    """Run the command line and end the process with its exit code."""
    keep_exit_codes()
    guard_streams()
    try:
        _check_open_files()
        app(prog_name="judgemesh")
    except SystemExit as end:
        if not isinstance(end.code, int):
            raise
        leave(exit_code(end.code))
    except KeyboardInterrupt:
        leave(EXIT_INTERRUPTED)
    except BaseException as error:  # noqa: BLE001 (the one place where an error becomes a line and an exit code)
        print_error(error, arguments=sys.argv[1:])
        leave(exit_code_of(error))
