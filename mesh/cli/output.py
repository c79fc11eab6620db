"""Printing: tables for people through rich, JSON for programs, log messages on stderr.

A stream that is closed, full or of another encoding is the matter of `judgemesh.mesh.cli.streams`.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.reporting.signs import can_show, in_ascii_signs
from judgemesh.mesh.reporting.tables import UNWRAPPED

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_LEVELS: Final = (
    (logging.WARNING, logging.WARNING),
    (logging.WARNING, logging.INFO),
    (logging.DEBUG, logging.DEBUG),
)
"""Log levels of other libraries and of judgemesh, by the number of -v."""
_WARNING_LIMIT: Final = 500


def show(*renderables: RenderableType, plain: bool = False) -> None:
    """Print tables and text on stdout. Markup in data is printed as it is.

    plain: without colours, and unwrapped also on a terminal.
    """
    console = _console(plain=plain)
    with console.capture() as captured:
        for renderable in renderables:
            console.print(renderable)
    text = captured.get()
    if not console.is_terminal or plain:
        text = "".join(f"{line.rstrip()}\n" for line in text.split("\n")[:-1])
    if not plain and not can_show(text, sys.stdout.encoding):
        text = in_ascii_signs(text)
    put(text)


def terminal_width(*, plain: bool = False) -> int:
    """How many columns `show` has: those of the terminal or of $COLUMNS, else `UNWRAPPED`."""
    return _console(plain=plain).width


def _console(*, plain: bool) -> Console:
    from rich.console import Console

    wraps = sys.stdout.isatty() or bool(os.environ.get("COLUMNS"))
    return Console(
        markup=False,
        emoji=False,
        highlight=False,
        width=None if wraps and not plain else UNWRAPPED,
        no_color=True if plain else None,
        force_terminal=False if plain else None,
    )


def show_json(data: Mapping[str, object] | Sequence[object]) -> None:
    """Print one JSON document on stdout."""
    from judgemesh.contracts.text.printable_json import ascii_json, printable_json

    text = printable_json(data, indent=2)
    if not can_show(text, sys.stdout.encoding):
        text = ascii_json(text)
    put(text + "\n")


def put(text: str) -> None:
    """Print text as it is on stdout."""
    sys.stdout.write(text)
    sys.stdout.flush()


def say(line: str) -> None:
    """Print one line on stderr."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def warn(line: str) -> None:
    """Print a warning on stderr, one line whatever it holds."""
    from judgemesh.mesh.reporting.text import one_line

    say(f"warning: {one_line(line, _WARNING_LIMIT)}")


def set_up_logging(*, verbose: int, quiet: bool) -> None:
    """Log to stderr: warnings; errors only with -q, more with -v, everything with -vv."""
    others, ours = _LEVELS[min(verbose, 2)]
    if quiet:
        others = ours = logging.ERROR
    logging.basicConfig(
        level=others, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("judgemesh").setLevel(ours)
    if verbose < len(_LEVELS) - 1:
        # The ledger reports what breaks in its connections itself, in one line.
        logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
