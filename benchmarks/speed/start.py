"""What it costs to start: CPU time of an import and of `judgemesh --help`, as one JSON line of medians.

    python benchmarks/speed/start.py [--repeat 15]

Each figure is user plus system time of a whole process, the interpreter's own start included; what a bare interpreter
takes is printed beside it. `import judgemesh.mesh` is lazy; `import_and_use` is the import of `Mesh` itself. Files are
compiled (by `make setup`) and in the page cache after a first run that does not count.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("judgemesh")
BOUNDS_MS = {"import_and_use_cpu_ms": 200.0, "help_cpu_ms": 120.0}


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
        "import_and_use_cpu_ms": [*python, "from judgemesh.mesh import Mesh"],
        "help_cpu_ms": [str(COMMAND), "--help"],
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
