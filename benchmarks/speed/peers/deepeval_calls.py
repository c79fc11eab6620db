"""The yes/no calls of `judge_calls.py` with deepeval: one test case a prompt, a metric that asks the model once.

python deepeval_calls.py BASE_URL MODEL AT_ONCE < prompts.json

Runs in an environment that has deepeval. Its own judges (`GEval`) make longer prompts and cost more. Its files are
written to a folder that is removed, and its cache is off. Prints `verdicts`, `cpu_s`, `wall_s`, `version`; the import
is not counted.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from contextlib import chdir
from importlib.metadata import version
from typing import Any

os.environ |= {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_OUT": "YES",
    "OPENAI_API_KEY": "none",
}

from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.models import OpenAIModel
from deepeval.test_case import LLMTestCase


class Judged(BaseMetric):  # type: ignore[misc]
    """Asks the test case's output as it stands."""

    def __init__(self, model: OpenAIModel) -> None:
        self.model, self.evaluation_model = model, model.get_model_name()
        self.threshold, self.async_mode, self.strict_mode = 0.5, True, True
        self.include_reason, self.evaluation_cost = False, 0

    async def a_measure(self, case: LLMTestCase, *_: Any, **__: Any) -> float:
        """1 for a yes."""
        text, _cost = await self.model.a_generate(case.actual_output)
        word = text.rsplit(maxsplit=1)[-1]
        if word not in ("yes", "no"):
            raise ValueError(f"no verdict in {text!r}")
        self.score = float(word == "yes")
        self.success = True
        return self.score

    def measure(self, case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Not used: `evaluate` runs asynchronously."""
        raise NotImplementedError

    def is_successful(self) -> bool:
        """Whether there is a verdict."""
        return self.success

    @property
    def __name__(self) -> str:
        return "judged"


def main() -> None:
    """Do the work and print what it took."""
    base_url, model, at_once = sys.argv[1:]
    prompts = json.load(sys.stdin)
    judge = Judged(OpenAIModel(model=model, api_key="none", base_url=base_url))
    cases = [LLMTestCase(input="prompt", actual_output=prompt) for prompt in prompts]
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        cpu, wall = time.process_time(), time.perf_counter()
        done = evaluate(
            test_cases=cases,
            metrics=[judge],
            async_config=AsyncConfig(max_concurrent=int(at_once), throttle_value=0),
            display_config=DisplayConfig(
                show_indicator=False, print_results=False, inspect_after_run=False
            ),
            cache_config=CacheConfig(write_cache=False, use_cache=False),
        )
        spent = time.process_time() - cpu, time.perf_counter() - wall
    found = [data for one in done.test_results for data in one.metrics_data or []]
    line = {
        "verdicts": sum(data.success and not data.error for data in found),
        "cpu_s": spent[0],
        "wall_s": spent[1],
        "version": version("deepeval"),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
