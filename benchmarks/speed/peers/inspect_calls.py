"""The yes/no calls of `judge_calls.py` with Inspect: one sample a prompt, a scorer that asks the model once.

python inspect_calls.py BASE_URL MODEL AT_ONCE < prompts.json

Runs in an environment that has inspect-ai and openai. Its log of all samples is written to a folder that is removed.
Prints `verdicts`, `cpu_s`, `wall_s`, `version`; the import is not counted.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from importlib.metadata import version
from typing import Any

from inspect_ai import Task, eval  # noqa: A004 (its name)
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver


def main() -> None:
    """Do the work and print what it took."""
    base_url, model, at_once = sys.argv[1:]
    prompts = json.load(sys.stdin)
    limits = GenerateConfig(max_connections=int(at_once), max_retries=0)
    judge = get_model(
        f"openai/{model}",
        base_url=base_url,
        api_key="none",
        responses_api=False,
        config=limits,
    )

    @solver
    def given() -> Any:
        async def solve(state: Any, _generate: Any) -> Any:
            return state

        return solve

    @scorer(metrics=[accuracy()])
    def judged() -> Any:
        async def score(state: Any, _target: Any) -> Score:
            output = await judge.generate(state.input_text)
            return Score(value=output.completion.rsplit(maxsplit=1)[-1])

        return score

    samples = [Sample(input=prompt, target="yes") for prompt in prompts]
    task = Task(dataset=MemoryDataset(samples), solver=given(), scorer=judged())
    with tempfile.TemporaryDirectory() as folder:
        cpu, wall = time.process_time(), time.perf_counter()
        (log,) = eval(
            task,
            model=judge,
            display="none",
            log_dir=folder,
            max_samples=int(at_once),
            max_connections=int(at_once),
        )
        spent = time.process_time() - cpu, time.perf_counter() - wall
        # Samples are read from the log file when they are asked for.
        samples_done = list(log.samples or [])
    scores = [score for sample in samples_done for score in sample.scores.values()]
    line = {
        "verdicts": sum(score.value in ("yes", "no") for score in scores),
        "cpu_s": spent[0],
        "wall_s": spent[1],
        "version": version("inspect-ai"),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
