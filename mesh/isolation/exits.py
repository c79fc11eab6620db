"""How the process of the command ends: by the command alone.

`os._exit` ends a process at once, with the code of whoever calls it. A plug-in that calls it with 0 would make a run
pass that graded nothing. While the command runs, it raises instead; children that were forked end as usual.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Final, NoReturn

from judgemesh.mesh.isolation.faults import PluginFault

_END: Final = os._exit
_JOIN_S: Final = 0.5


def keep_exit_codes() -> None:
    """From now on only `leave` ends this process at once. For commands, not for a library in another program."""
    own = os.getpid()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != own:
            _END(status)
        raise PluginFault(f"called os._exit({status})")

    os._exit = refuse


def leave(status: int) -> NoReturn:
    """End the process with this exit code, also where a thread of a plug-in never ends."""
    others = [each for each in threading.enumerate()[1:] if not each.daemon]
    for thread in others:
        thread.join(_JOIN_S / len(others))
    if any(thread.is_alive() for thread in others):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                continue
        _END(status)
    sys.exit(status)
