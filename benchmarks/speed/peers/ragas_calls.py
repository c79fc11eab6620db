"""The yes/no calls of `judge_calls.py` with ragas: a `DiscreteMetric` of two values.

python ragas_calls.py BASE_URL MODEL AT_ONCE < prompts.json

Runs in an environment that has ragas, openai and langchain-community<=0.4.1 (ragas 0.4.3 imports a module that later
ones lack). Its answers are asked for as those of a tool: the provider cannot fill the schema that ragas writes into the
prompt otherwise. The calls at once are limited here, and it keeps no ledger.
Prints `verdicts`, `cpu_s`, `wall_s`, `version`; the import is not counted.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from importlib.metadata import version

import instructor
from openai import AsyncOpenAI
from ragas.llms import InstructorLLM
from ragas.metrics import DiscreteMetric


async def main() -> None:
    """Do the work and print what it took."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    base_url, model, at_once = sys.argv[1:]
    prompts = json.load(sys.stdin)
    client = AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0)
    tools = instructor.from_openai(client, mode=instructor.Mode.TOOLS)
    llm = InstructorLLM(client=tools, model=model, provider="openai")
    metric = DiscreteMetric(
        name="criterion", prompt="{output}", allowed_values=["yes", "no"]
    )
    waiting = iter(prompts)
    verdicts = 0

    async def worker() -> None:
        nonlocal verdicts
        for prompt in waiting:
            score = await metric.ascore(llm=llm, output=prompt)
            verdicts += score.value in ("yes", "no")

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(int(at_once))))
    line = {
        "verdicts": verdicts,
        "cpu_s": time.process_time() - cpu,
        "wall_s": time.perf_counter() - wall,
        "version": version("ragas"),
    }
    print(json.dumps(line))


asyncio.run(main())
