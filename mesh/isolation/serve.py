"""The program of a worker process: takes jobs from standard input, answers on standard output, one at a time.

It ends when its input ends. A job that runs over its time is ended by the operating system, also where the parent was
killed and nobody watches.
"""

from __future__ import annotations

import os
import signal
from multiprocessing.connection import Connection
from typing import Any, Final

MAX_MEMORY_BYTES: Final = 2 * 2**30
_SPARE_S: Final = 1.0


def main() -> None:
    """Serve until there are no more jobs."""
    jobs = Connection(os.dup(0), writable=False)
    answers = Connection(os.dup(1), readable=False)
    # What a library prints must not get between the answers.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    _limit_memory()
    while True:
        try:
            function, arguments, timeout_s = jobs.recv()
        except (EOFError, OSError):
            return
        signal.setitimer(signal.ITIMER_REAL, timeout_s + _SPARE_S)
        answer = _answer(function, arguments)
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            answers.send(answer)
        except OSError:
            return
        except Exception as error:  # noqa: BLE001 (an answer that cannot be sent is a fault of the job)
            answers.send((False, RuntimeError(f"cannot be sent: {error!r}"[:300])))


def _answer(function: Any, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return True, function(*arguments)
    except BaseException as error:  # noqa: BLE001 (raised again by whoever waits)
        return False, error


def _limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
