"""End work of a plug-in that does not end by itself: an exception is raised in its thread.

A thread that computes for ever takes the lock of the interpreter again and again, and slows all other threads. It is
ended at the next step of its Python code. A call into C that does not return, such as `time.sleep`, holds no lock and
is left.
"""

from __future__ import annotations

import threading


class Interrupted(BaseException):
    """Raised in a thread whose work is no longer waited for. No `Exception`, so that ordinary handlers let it pass."""


def interrupt(thread: threading.Thread) -> None:
    """Raise `Interrupted` in a thread at its next step of Python. Nothing happens to one that has ended.

    The thread must do nothing else afterwards: the exception may come as late as the end of a call into C.
    """
    import ctypes

    if thread.ident is not None and thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(Interrupted)
        )
