"""The yes/no calls of `judge_calls.py` with ragas: `DiscreteMetric.ascore` with the values yes and no.

python ragas_calls.py BASE_URL MODEL AT_ONCE < prompts.json

Runs in an environment that has ragas and openai. It has no ledger; the prompts are run by a pool made here. Prints
`verdicts`, `cpu_s`, `wall_s`, `version`; the import is not counted.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import warnings
from importlib.metadata import version

os.environ["RAGAS_DO_NOT_TRACK"] = "true"
warnings.filterwarnings("ignore")

from openai import AsyncOpenAI  # noqa: E402 (reads the environment)
from ragas.llms import llm_factory  # noqa: E402 (reads the environment)
from ragas.metrics import DiscreteMetric  # noqa: E402 (reads the environment)


async def main() -> None:
    """Do the work and print what it took."""
    base_url, model, at_once = sys.argv[1:]
    prompts = json.load(sys.stdin)
    client = AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0)
    llm = llm_factory(model, client=client)
    metric = DiscreteMetric(
        name="judged", prompt="{response}", allowed_values=["yes", "no"]
    )
    waiting = iter(prompts)
    verdicts = 0

    async def worker() -> None:
        nonlocal verdicts
        for prompt in waiting:
            result = await metric.ascore(llm=llm, response=prompt)
            verdicts += result.value in ("yes", "no")

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(int(at_once))))
    line = {
        "verdicts": verdicts,
        "cpu_s": time.process_time() - cpu,
        "wall_s": time.perf_counter() - wall,
        "version": version("ragas"),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    asyncio.run(main())
