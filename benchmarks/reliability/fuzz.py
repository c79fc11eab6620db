"""Changed inputs for every fuzz target: no exception but the declared ones, and bounded time.

    python benchmarks/reliability/fuzz.py [--executions 20000] [--target NAME ...] [--seed 0] [--keep FOLDER]

Each target (`fuzzing/targets.py`) starts from its seeds (`fuzzing/seeds.py`), among them the inputs that were found
before (`fuzzing/corpus/NAME/`). Bytes are changed, and the values of inputs that are JSON, so that what lies behind the
parser is reached (`fuzzing/changes.py`). An input that reaches lines of the project that none reached before joins the
inputs of the run. An input may have at most 8,192 bytes, and an execution may take `--limit-s` CPU seconds, after which
it is interrupted.

`--executions` is for all targets together; `SHARES` divides them. `--keep` writes the shortest input of each finding to
FOLDER/NAME/.

Prints one JSON line: `executions` in all, by target: `executions`, `inputs` (seeds and what joined them), `cpu_s` and
`slowest_s`; and `findings` (target, error, place, how often, input in base64). Exit code 1 when there are findings.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reliability.fuzzing.loop import Fuzzed, fuzz
from reliability.fuzzing.seeds import seeds_of
from reliability.fuzzing.targets import SHARES, TARGETS


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="Changed inputs for fuzz targets.")
    parser.add_argument("--executions", type=int, default=20_000)
    parser.add_argument("--target", nargs="+", default=list(TARGETS), choices=TARGETS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--limit-s", type=float, default=2.0, metavar="SECONDS")
    options = parser.parse_args()
    done: dict[str, Fuzzed] = {}
    shares = sum(SHARES[name] for name in options.target)
    for name in options.target:
        executions = -(-options.executions * SHARES[name] // shares)
        started = time.monotonic()
        done[name] = fuzz(
            name,
            TARGETS[name],
            seeds_of(name),
            executions=executions,
            seed=options.seed,
            limit_s=options.limit_s,
        )
        seconds = time.monotonic() - started
        found = len(done[name].findings)
        print(
            f"{name}: {executions:,} executions in {seconds:.0f} s, {found} findings",
            file=sys.stderr,
        )
        if options.keep is not None:
            _keep(done[name], options.keep / name)
    findings = [one for fuzzed in done.values() for one in fuzzed.findings.values()]
    line = {
        "executions": sum(fuzzed.executions for fuzzed in done.values()),
        "seed": options.seed,
        "by_target": {name: fuzzed.line() for name, fuzzed in done.items()},
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "findings": [finding.line() for finding in findings],
    }
    print(json.dumps(line))
    return 1 if findings else 0


def _keep(fuzzed: Fuzzed, folder: Path) -> None:
    for finding in fuzzed.findings.values():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / finding.file_name).write_bytes(finding.input)


if __name__ == "__main__":
    raise SystemExit(main())
