"""The yes/no calls of `judge_calls.py` with openevals: `create_async_llm_as_judge` over the OpenAI client.

python openevals_calls.py BASE_URL MODEL AT_ONCE < prompts.json

Runs in an environment that has openevals and openai. It has no batch runner and no ledger. Prints `verdicts`, `cpu_s`,
`wall_s`, `version`; the import is not counted.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from importlib.metadata import version

from openai import AsyncOpenAI
from openevals.llm import create_async_llm_as_judge


async def main() -> None:
    """Do the work and print what it took."""
    base_url, model, at_once = sys.argv[1:]
    prompts = json.load(sys.stdin)
    client = AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0)
    judge = create_async_llm_as_judge(
        prompt="{outputs}", judge=client, model=model, use_reasoning=False
    )
    waiting = iter(prompts)
    verdicts = 0

    async def worker() -> None:
        nonlocal verdicts
        for prompt in waiting:
            score = await judge(outputs=prompt)
            verdicts += score["score"] in (True, False)

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(int(at_once))))
    line = {
        "verdicts": verdicts,
        "cpu_s": time.process_time() - cpu,
        "wall_s": time.perf_counter() - wall,
        "version": version("openevals"),
    }
    print(json.dumps(line))


asyncio.run(main())
