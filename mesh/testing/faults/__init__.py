"""Faults at named seams, to see that a run survives them: in the ledger's driver, on the wire, at await points.

From the command line, the command runs with the fault in its own process:

    python -m judgemesh.mesh.testing.faults commit:disk_full@3 -- grade results.jsonl -c contracts.yaml

In code, the fault lasts as long as the block:

    with injected(Fault.parse("statement:io_error@7")) as moments:
        ...
    assert moments.struck

A fault is `seam:kind@n`: the n-th moment of the seam, counted from 1 over the whole process. `@n+` is that moment and
every later one; `@0` injects nothing and counts the moments.

| seam | a moment is | kinds |
|---|---|---|
| `statement` | an SQL statement | `io_error`, `disk_full`, `locked`, `corrupt`, `lost`, `memory`, `slow`, signals |
| `commit` | a transaction that is committed | the same, before the commit; `kill_after`, `lost_after`: after it |
| `await` | a task of an event loop that waits | `cancel` (of the loop's first task), `memory`, signals |
| `open` | a file below the working folder that is opened | `io_error`, `too_many`, `denied`, signals |
| `connect` | a socket that connects | `refused`, `unreachable`, `too_many` |
| `thread` | a thread that is started | `exhausted` |
| `process` | a child process that is started | `exhausted`, `memory` |
| `clock` | a reading of `time.time`, `monotonic`, `perf_counter` | `back`, `forward` (by an hour), `still` |

Signals are `interrupt` (SIGINT), `terminate` (SIGTERM) and `kill` (SIGKILL), sent to the own process.

`FaultyServer` injects faults on the wire: it stands in front of an HTTP server and spoils its n-th answer.
`left_open` names what a program has not closed.
"""

from judgemesh.mesh.testing.faults.fault import Fault, Moments
from judgemesh.mesh.testing.faults.injecting import SEAMS, injected
from judgemesh.mesh.testing.faults.leftovers import Open, left_open
from judgemesh.mesh.testing.faults.wire import FaultyServer, WireFault

__all__ = [
    "SEAMS",
    "Fault",
    "FaultyServer",
    "Moments",
    "Open",
    "WireFault",
    "injected",
    "left_open",
]
