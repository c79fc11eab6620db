"""What a plug-in raises, as an exception that ends neither the run nor a task of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_OWN: Final = "judgemesh."
_MAX_CHARS: Final = 300
_MAX_MESSAGE_CHARS: Final = 500


class PluginFault(RuntimeError):
    """A plug-in raised what would end the run (SystemExit, KeyboardInterrupt, CancelledError, GeneratorExit)."""


def carried(error: BaseException) -> Exception:
    """The exception as it may be carried to the event loop: an ordinary one as it is, any other as a `PluginFault`.

    Only for what was raised away from the thread of the run: there, a cancellation is the plug-in's own.
    """
    if isinstance(error, Exception) and not isinstance(
        error, StopIteration | StopAsyncIteration
    ):
        return error
    text = str(error)[:_MAX_CHARS]
    name = type(error).__name__
    return PluginFault(f"raised {name}: {text}" if text else f"raised {name}")


def told(error: BaseException, plugin: object) -> str:
    """The type of an exception, the first line of its message, and where in the code of a plug-in it was raised."""
    line, place = first_line(error), place_of(error, plugin)
    return f"{line} ({place})" if place else line


def first_line(error: BaseException) -> str:
    """The type of an exception and the first line of its message."""
    name = type(error).__name__
    message = str(error).strip().split("\n", 1)[0][:_MAX_MESSAGE_CHARS]
    return f"{name}: {message}" if message else name


def place_of(error: BaseException, plugin: object) -> str:
    """Where in the code of a plug-in an exception was raised or passed through last (`checks.py line 15`).

    Empty for code of judgemesh, and where the exception comes from another process.
    """
    if is_own(plugin):
        return ""
    package, _, _ = _module(plugin).partition(".")
    place, step = "", error.__traceback__
    while step is not None:
        module, _, _ = str(step.tb_frame.f_globals.get("__name__")).partition(".")
        if module == package:
            file = Path(step.tb_frame.f_code.co_filename).name
            place = f"{file} line {step.tb_lineno}"
        step = step.tb_next
    return place


def is_own(plugin: object) -> bool:
    """Whether a function or class is part of judgemesh; its code neither blocks the event loop nor ends the run."""
    return _module(plugin).startswith(_OWN)


def _module(plugin: object) -> str:
    return str(getattr(plugin, "__module__", None) or type(plugin).__module__)
