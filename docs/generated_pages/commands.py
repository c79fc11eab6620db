"""The page of commands: every command with its options and examples, from the command line itself."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import typer

from generated_pages.markdown import code, plain, table
from judgemesh.mesh.cli.app import app

_VERBATIM = "\b\n"
"""How a help text marks a paragraph whose lines are kept."""


def commands() -> Iterator[tuple[str, Any, Any]]:
    """Each command that does something: its full name, the command, its context."""
    root: Any = typer.main.get_command(app)
    yield from _below(root, root.context_class(root, info_name="judgemesh"))


def _below(command: Any, context: Any) -> Iterator[tuple[str, Any, Any]]:
    names = command.list_commands(context) if hasattr(command, "list_commands") else ()
    if not names:
        yield context.command_path, command, context
    for name in names:
        below = command.get_command(context, name)
        own = below.context_class(below, info_name=name, parent=context)
        yield from _below(below, own)


def page() -> str:
    """The whole page."""
    head = (
        "# Commands\n\nEvery command of `judgemesh`. `judgemesh COMMAND --help` prints the same text."
        " [Exit codes](../how-to/operations.md#exit-codes) are the same for all commands.\n"
    )
    return head + "".join(_section(*command) for command in commands())


def _section(path: str, command: Any, context: Any) -> str:
    rows = [command_parameter(parameter, context) for parameter in command.params]
    shown = [row for row in rows if row is not None]
    usage = " ".join((path, *command.collect_usage_pieces(context)))
    options = table(("argument or option", "meaning"), shown)
    return f"\n## {path}\n\n{_help(command.help or '')}\n\n```text\n{usage}\n```\n\n{options}"


def command_parameter(parameter: Any, context: Any) -> tuple[str, str] | None:
    """A row of the table of options; None for what the help does not list."""
    record = parameter.get_help_record(context)
    return record and (code(record[0]), plain(record[1]))


def _help(text: str) -> str:
    return "\n\n".join(_block(block) for block in text.strip().split("\n\n"))


def _block(block: str) -> str:
    if not block.startswith(_VERBATIM):
        return plain(block)
    title, _, lines = block.removeprefix(_VERBATIM).partition("\n")
    if not title.endswith(":"):
        return f"```text\n{textwrap.dedent(block.removeprefix(_VERBATIM))}\n```"
    return f"{plain(title)}\n\n```text\n{textwrap.dedent(lines)}\n```"
