"""What it costs to start: CPU time of an import and of `judgemesh --help`, as one JSON line of medians.

    python benchmarks/speed/start.py [--repeat 15]

Each figure is user plus system time of a whole process, the interpreter's own start included. Files are compiled (by
`make setup`) and in the page cache after a first run that does not count. The medians, from the least to the most:

* `bare_interpreter`: nothing but the interpreter;
* `import`: `import judgemesh.mesh`, which loads nothing heavy;
* `help`: `judgemesh --help`;
* `libraries`: the libraries that any use of `Mesh` needs, without judgemesh: asyncio, and pydantic with one model of
  one field;
* `import_mesh`: `from judgemesh.mesh import Mesh`;
* `import_and_use`: the import, a `Mesh` with a contract of five required fields, and one graded result.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import workload

COMMAND = Path(sys.executable).with_name("judgemesh")
BOUNDS_MS = {
    "import_mesh_cpu_ms": 200.0,
    "import_and_use_cpu_ms": 200.0,
    "help_cpu_ms": 120.0,
}
LIBRARIES = """
import asyncio
from pydantic import BaseModel

class One(BaseModel):
    x: int
"""
USE = """
import asyncio
import json
import sys

from judgemesh.mesh import AgentResult, EvalContract, Mesh

contract, result = map(json.loads, sys.argv[1:])

async def grade():
    made = EvalContract.model_validate(contract)
    async with Mesh.from_config(contracts=[made]) as mesh:
        return await mesh.grade(AgentResult.model_validate(result))

if asyncio.run(grade()).gate != "pass":
    raise SystemExit("the result does not pass")
"""


def cpu_ms(command: list[str]) -> float:
    """CPU time of one run of `command`, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def median_ms(command: list[str], repeat: int) -> float:
    """Median over `repeat` runs after one that warms the caches."""
    cpu_ms(command)
    return statistics.median(cpu_ms(command) for _ in range(repeat))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description="CPU time of import and --help, medians as one JSON line."
    )
    parser.add_argument(
        "--repeat", type=int, default=15, help="runs of each command (default 15)"
    )
    repeat: int = parser.parse_args().repeat
    python = [sys.executable, "-P", "-c"]
    commands = {
        "bare_interpreter_cpu_ms": [*python, "pass"],
        "import_cpu_ms": [*python, "import judgemesh.mesh"],
        "help_cpu_ms": [str(COMMAND), "--help"],
        "libraries_cpu_ms": [*python, LIBRARIES],
        "import_mesh_cpu_ms": [*python, "from judgemesh.mesh import Mesh"],
        "import_and_use_cpu_ms": [
            *python,
            USE,
            json.dumps(workload.CONTRACT),
            json.dumps(workload.agent_result(1)),
        ],
    }
    figures = {
        name: round(median_ms(command, repeat), 1) for name, command in commands.items()
    }
    within = {
        f"{name}_within_{bound:.0f}": figures[name] < bound
        for name, bound in BOUNDS_MS.items()
    }
    print(json.dumps({**figures, **within, "repeat": repeat}))


if __name__ == "__main__":
    main()
