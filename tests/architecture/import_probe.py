"""Import the modules named on the command line and print, as JSON, what that did to the process.

Run in a process of its own: `python -P import_probe.py MODULE...`.
"""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_LOUD = (
    "os.mkdir",
    "os.putenv",
    "os.unsetenv",
    "os.remove",
    "os.rename",
    "socket.connect",
    "socket.bind",
    "sqlite3.connect",
)
_QUIET_MODULES = ("os", "posixpath", "_collections_abc", "collections.abc", __name__)

effects: list[str] = []


def _importer() -> str | None:
    """The module of ours that is on top of the stack, not counting the standard library's helpers."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__") in _QUIET_MODULES:
        frame = frame.f_back
    name = "" if frame is None else str(frame.f_globals.get("__name__", ""))
    return name if name.startswith("judgemesh.") else None


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if (
        event == "open"
        and isinstance(args[2], int)
        and args[2] & _WRITING
        and "__pycache__" not in str(args[0])
    ):
        effects.append(f"opened {args[0]} for writing")
    elif event in _LOUD or event.startswith("subprocess."):
        effects.append(f"{event} {args!r}")


def _watch_environment() -> None:
    kind = type(os.environ)
    read = kind.__getitem__

    def watched(self: os._Environ[str], key: str) -> str:
        if (module := _importer()) is not None:
            effects.append(f"{module} read the environment variable {key}")
        return read(self, key)

    kind.__getitem__ = watched  # type: ignore[method-assign]


def _state() -> dict[str, Any]:
    return {
        "environment": dict(os.environ),
        "root log handlers": len(logging.getLogger().handlers),
        "handlers of the package": len(logging.getLogger("judgemesh").handlers),
        "root log level": logging.getLogger().level,
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "interrupt handler": repr(signal.getsignal(signal.SIGINT)),
        "working directory": str(Path.cwd()),
        "exception hook": repr(sys.excepthook),
    }


def main(modules: list[str]) -> None:
    """Import `modules` one after the other and print the difference; one marked `+` is loaded before anybody looks."""
    for module in modules:
        if module.startswith("+"):
            importlib.import_module(module[1:])
    before = _state()
    sys.addaudithook(_audit)
    _watch_environment()
    for module in modules:
        importlib.import_module(module.removeprefix("+"))
    loaded = sorted({name.partition(".")[0] for name in sys.modules})
    seen = tuple(effects)
    after = _state()
    changed = [
        f"changed: {name}" for name, value in before.items() if after[name] != value
    ]
    json.dump({"loaded": loaded, "effects": [*seen, *changed]}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
