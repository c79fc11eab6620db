"""End work of a plug-in that does not end by itself: an exception is raised in its thread.

A thread that computes for ever takes the lock of the interpreter again and again, and slows all other threads. It is
ended at the next step of its Python code. A call into C that does not return, such as `time.sleep`, holds no lock and
is left. A thread that imports a module holds locks of the import system, and is ended after its import.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Final

_IMPORT_POLLS: Final = 100
_POLL_S: Final = 0.01


class Interrupted(BaseException):
    """Raised in a thread whose work is no longer waited for. No `Exception`, so that ordinary handlers let it pass."""


def interrupt(thread: threading.Thread) -> None:
    """Raise `Interrupted` in a thread at its next step of Python. Nothing happens to one that has ended.

    The thread must do nothing else afterwards: the exception may come as late as the end of a call into C. It is waited
    for up to a second while it imports, and left if that takes longer.
    """
    import ctypes

    for _ in range(_IMPORT_POLLS):
        if not _imports(thread):
            break
        time.sleep(_POLL_S)
    else:
        return
    if thread.ident is not None and thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(Interrupted)
        )


def _imports(thread: threading.Thread) -> bool:
    """Whether a thread is within an import: an exception there would leave a lock held, and the next import waiting."""
    # There is no other way to see what a thread does.
    frame = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
