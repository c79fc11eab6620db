"""Whether a process that escapes a killed agent is noticed, named and ended, and what it wrote elsewhere is named.

    python benchmarks/rollback.py [--tries N]

The agent forks a child twice, in a session of its own and with an empty environment, which writes into the world
every 10 ms until it is ended. The agent itself writes one file of the world and one outside it. It is killed N times
(20). The JSON line holds: `tries`; `noticed` and `named`, how many escaped children the report names at all and by
number; `killed`, how many are gone afterwards; `restored`, whether the world was as before after every kill; `outside`,
how many reports name the file outside the world (null where the kernel does not show it to this user; `not_seen` says
why). The exit code is 1 if one of them falls short.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.reporting.rollback.measurement import rollback_json
from judgemesh.mesh.rollback.outcome import Injection
from judgemesh.mesh.rollback.run import RollbackQuery, run_rollback

CHILD: Final = """
import os, sys, time
open(os.path.join(sys.argv[1], str(os.getpid())), "w").close()
while True:
    open("world/late.txt", "w").write("late")
    time.sleep(0.01)
"""
AGENT: Final = """
import os, sys, time

gate = open(os.environ["JUDGEMESH_GATE"], "rb", buffering=0)
events = open(os.environ["JUDGEMESH_EVENTS"], "a", buffering=1)

def say(kind):
    print('{"event_type": "%s"}' % kind, file=events)
    gate.read(1)

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, "-S", "child.py", sys.argv[1]], {})
    os._exit(0)
os.wait()
while not os.path.exists("world/late.txt"):
    time.sleep(0.001)
say("tool.called")
open(sys.argv[2], "w").write("outside")
open("world/one.txt", "w").write("one")
say("artifact.created")
say("run.completed")
"""


def measured(folder: Path, tries: int) -> list[Injection]:
    """Kill the agent that often, late in its run."""
    for name in ("world", "pids"):
        (folder / name).mkdir()
    (folder / "world" / "kept.txt").write_text("kept")
    (folder / "agent.py").write_text(AGENT)
    (folder / "child.py").write_text(CHILD)
    pids, outside = folder / "pids", folder / "outside.txt"
    command = [sys.executable, "agent.py", str(pids), str(outside)]
    spec = {
        "task_id": "escape",
        "agent": {"command": command, "time_limit_s": 60},
        "progress": {"writes": 1},
        "world": {
            "directories": [{"path": "world"}],
            "ignore_outside": [f"{pids}/*"],
        },
    }
    path = folder / "spec.yaml"
    path.write_text(json.dumps(spec))
    query = RollbackQuery(spec=path, points=(InjectionPoint.LATE,), repeats=tries)
    run = run_rollback(query, lambda _kill, _number, _total: None, lambda _line: None)
    return list(run.injections)


def figures(folder: Path, tries: int) -> dict[str, Any]:
    """What the reports say, and what is true afterwards."""
    injections = measured(folder, tries)
    children = {path.name for path in (folder / "pids").iterdir()}
    named: set[str] = set()
    unseen: set[str] = set()
    for injection in injections:
        named.update(one.split()[0] for one in injection.kill.survivors)
        unseen.update(injection.not_seen)
    gone = [child for child in children if not Path(f"/proc/{child}").exists()]
    outside = sum(str(folder / "outside.txt") in one.outside for one in injections)
    measured_all = rollback_json(injections, (InjectionPoint.LATE,))["measured"]
    files = [path.name for path in (folder / "world").iterdir()]
    return {
        "tries": len(children),
        "noticed": sum(bool(one.kill.survivors) for one in injections),
        "named": len(children & named),
        "killed": len(gone),
        "restored": measured_all is True and files == ["kept.txt"],
        "outside": None if unseen else outside,
        "not_seen": sorted(unseen),
    }


def main() -> int:
    """Print one JSON line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--tries", type=int, default=20)
    tries = parser.parse_args().tries
    with tempfile.TemporaryDirectory() as name:
        found = figures(Path(os.path.realpath(name)), tries)
    sys.stdout.write(json.dumps(found) + "\n")
    counted = [found["tries"], found["noticed"], found["named"], found["killed"]]
    complete = counted == [tries] * len(counted) and found["restored"]
    return int(not complete or found["outside"] not in (None, tries))


if __name__ == "__main__":
    sys.exit(main())
