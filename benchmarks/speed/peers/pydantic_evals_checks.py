"""The five pattern checks of `deterministic.py` with pydantic-evals: one evaluator a pattern, `Dataset.evaluate`.

python pydantic_evals_checks.py < patterns_and_lines.json

Runs in an environment that has pydantic-evals. Reading the lines is counted, as it is for the other ways; the import is
not. It keeps no ledger. Prints `passed`, `cpu_s`, `wall_s`, `version`.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext


@dataclass
class Found(Evaluator):
    """Whether the pattern is found in the answer."""

    name: str
    pattern: str

    def evaluate(self, ctx: EvaluatorContext) -> dict[str, bool]:
        """One assertion."""
        return {self.name: re.search(self.pattern, ctx.output) is not None}


async def main() -> None:
    """Do the work and print what it took."""
    given = json.load(sys.stdin)
    checks = [Found(name, pattern) for name, pattern in given["patterns"].items()]

    async def task(line: str) -> str:
        return str(json.loads(line)["output"]["final_answer"])

    cpu, wall = time.process_time(), time.perf_counter()
    cases = [
        Case(name=str(number), inputs=line)
        for number, line in enumerate(given["lines"])
    ]
    dataset = Dataset(name="checks", cases=cases, evaluators=checks)
    report = await dataset.evaluate(task, progress=False)
    passed = sum(
        found.value for case in report.cases for found in case.assertions.values()
    )
    line = {
        "passed": passed,
        "cpu_s": time.process_time() - cpu,
        "wall_s": time.perf_counter() - wall,
        "version": version("pydantic-evals"),
    }
    print(json.dumps(line))


asyncio.run(main())
