"""The yes/no calls of `judge_calls.py` with autoevals: `LLMClassifier` without chain of thought, the cheapest it has.

python autoevals_calls.py BASE_URL MODEL AT_ONCE < prompts.json

Runs in an environment that has autoevals and openai. It has no batch runner, so that the calls at once are limited
here, and no ledger. Prints `verdicts`, `cpu_s`, `wall_s`, `version`; the import is not counted.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from importlib.metadata import version

from autoevals import LLMClassifier, init
from openai import AsyncOpenAI


async def main() -> None:
    """Do the work and print what it took."""
    base_url, model, at_once = sys.argv[1:]
    prompts = json.load(sys.stdin)
    client = AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0)
    init(client=client)
    judge = LLMClassifier(
        name="criterion",
        prompt_template="{{output}}",
        choice_scores={"yes": 1, "no": 0},
        model=model,
        use_cot=False,
        temperature=0,
    )
    waiting = iter(prompts)
    verdicts = 0

    async def worker() -> None:
        nonlocal verdicts
        for prompt in waiting:
            score = await judge.eval_async(output=prompt)
            verdicts += score.score in (0, 1)

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(int(at_once))))
    line = {
        "verdicts": verdicts,
        "cpu_s": time.process_time() - cpu,
        "wall_s": time.perf_counter() - wall,
        "version": version("autoevals"),
    }
    print(json.dumps(line))


asyncio.run(main())
