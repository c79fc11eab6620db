"""What calls cost by judgemesh and by litellm's own calculator: model by model, usage by usage.

    python benchmarks/tracing/prices.py [--all]

Every model of `MODELS` with every usage of `USAGES` that its kind has: plain, cached, cache writes of five minutes and
an hour, reasoning, long inputs, the service tiers flex and priority, batches, embeddings and rerankers. Both are given
the usage as the provider reports it. Prints one line for each case that differs (with `--all`, for every case), and
last `cases`, `equal`, `explained` and `different`. A difference is explained where `EXPLAINED` says why. Exit code 1
when one is not.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from typing import Any

from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.pricing.usage import read_usage

TOLERANCE = Decimal("1e-9")
"""litellm adds up binary fractions."""

CHAT: dict[str, dict[str, Any]] = {
    "plain": {"prompt_tokens": 1500, "completion_tokens": 300, "total_tokens": 1800},
    "cached and reasoning": {
        "prompt_tokens": 5000,
        "completion_tokens": 900,
        "total_tokens": 5900,
        "prompt_tokens_details": {"cached_tokens": 4096},
        "completion_tokens_details": {"reasoning_tokens": 600},
    },
    "long": {
        "prompt_tokens": 300_000,
        "completion_tokens": 1000,
        "total_tokens": 301_000,
        "prompt_tokens_details": {"cached_tokens": 100_000},
    },
}
ANTHROPIC: dict[str, dict[str, Any]] = {
    "plain": {"input_tokens": 1500, "output_tokens": 300},
    "cache": {
        "input_tokens": 100,
        "cache_read_input_tokens": 4000,
        "cache_creation_input_tokens": 900,
        "cache_creation": {
            "ephemeral_5m_input_tokens": 900,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": 300,
    },
    "cache of an hour": {
        "input_tokens": 100,
        "cache_read_input_tokens": 4000,
        "cache_creation_input_tokens": 900,
        "cache_creation": {
            "ephemeral_5m_input_tokens": 200,
            "ephemeral_1h_input_tokens": 700,
        },
        "output_tokens": 300,
    },
    "web search": {
        "input_tokens": 1500,
        "cache_read_input_tokens": 0,
        "output_tokens": 300,
        "server_tool_use": {"web_search_requests": 3},
    },
}
MODELS: dict[str, tuple[str, tuple[str, ...]]] = {
    "openai/gpt-4.1": ("chat", ("", "priority", "batch")),
    "openai/gpt-4.1-mini": ("chat", ("", "priority", "batch")),
    "openai/gpt-4o": ("chat", ("", "priority", "batch")),
    "openai/o3": ("chat", ("", "flex", "priority", "batch")),
    "openai/o4-mini": ("chat", ("", "flex", "priority", "batch")),
    "openai/gpt-5": ("chat", ("", "flex", "priority", "batch")),
    "openai/gpt-5-mini": ("chat", ("", "flex", "priority")),
    "gemini/gemini-2.5-pro": ("chat", ("", "flex", "priority", "batch")),
    "gemini/gemini-2.5-flash": ("chat", ("", "flex", "priority")),
    "vertex_ai/gemini-2.5-pro": ("chat", ("",)),
    "azure/gpt-4.1-mini": ("chat", ("",)),
    "mistral/mistral-large-latest": ("chat", ("",)),
    "xai/grok-4.3": ("chat", ("",)),
    "deepseek/deepseek-chat": ("chat", ("",)),
    "groq/openai/gpt-oss-120b": ("chat", ("",)),
    "anthropic/claude-sonnet-4-5": ("anthropic", ("", "batch")),
    "anthropic/claude-haiku-4-5": ("anthropic", ("", "batch")),
    "vertex_ai/claude-sonnet-4-5": ("anthropic", ("",)),
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0": ("anthropic", ("",)),
    "openai/text-embedding-3-small": ("embedding", ("", "batch")),
    "openai/text-embedding-3-large": ("embedding", ("", "batch")),
    "gemini/gemini-embedding-001": ("embedding", ("",)),
    "voyage/voyage-3.5": ("embedding", ("",)),
    "cohere/rerank-v3.5": ("rerank", ("",)),
}
USAGES: dict[str, dict[str, dict[str, Any]]] = {
    "chat": CHAT,
    "anthropic": ANTHROPIC,
    "embedding": {"plain": {"prompt_tokens": 800, "total_tokens": 800}},
    "rerank": {"plain": {"billed_units": {"search_units": 2}}},
}
EXPLAINED: dict[tuple[str, str, str], str] = {
    (
        "gemini/gemini-2.5-pro",
        "long",
        "batch",
    ): "half the price above 200k, as Google lists it; litellm: below it",
    (
        "*",
        "cache of an hour",
        "batch",
    ): "half the price of writes for an hour; litellm: that of five minutes",
    (
        "*",
        "web search",
        "batch",
    ): "searches cost the same in a batch; litellm leaves them out",
    (
        "anthropic/claude-haiku-4-5",
        "web search",
        "*",
    ): "10 USD for 1,000, as for all models; litellm lists none",
    (
        "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "web search",
        "*",
    ): "three searches; litellm bills one",
}
"""Model, usage and tier ("*": any) whose difference is understood, and why ours is as it is."""


@dataclass(frozen=True)
class Case:
    """One call."""

    model: str
    usage_name: str
    tier: str
    kind: str
    usage: dict[str, Any]

    @property
    def reason(self) -> str:
        """Why the two may differ; empty where they must not."""
        for tier in (self.tier, "*"):
            for usage in (self.usage_name, "*"):
                for model in (self.model, "*"):
                    if (model, usage, tier) in EXPLAINED:
                        return EXPLAINED[model, usage, tier]
        return ""


def cases() -> Iterator[Case]:
    """Every case."""
    for model, (kind, tiers) in MODELS.items():
        for tier in tiers:
            for name, usage in USAGES[kind].items():
                yield Case(model, name, tier, kind, usage)


def ours(case: Case, book: PriceBook) -> Decimal | None:
    """The cost by the price book."""
    provider = case.model.partition("/")[0]
    counted = read_usage(case.usage, provider=provider, service_tier=case.tier)
    money, _ = book.cost(case.model, counted.usage)
    return None if money is None else money.amount


def theirs(case: Case) -> Decimal | None:
    """The cost by litellm."""
    litellm: Any = import_module("litellm")
    calculator: Any = import_module("litellm.cost_calculator")
    anthropic: Any = import_module("litellm.llms.anthropic.chat.transformation")
    provider, _, name = case.model.partition("/")
    if case.kind == "rerank":
        response: Any = litellm.RerankResponse(
            id="1", results=[], meta={"billed_units": {"search_units": 2}}
        )
        cost = calculator.completion_cost(
            response, model=case.model, call_type="rerank"
        )
        return Decimal(str(cost))
    usage: Any = litellm.Usage(**case.usage)
    if case.kind == "anthropic":
        usage = anthropic.AnthropicConfig().calculate_usage(dict(case.usage), None)
    if case.tier == "batch":
        parts = calculator.batch_cost_calculator(usage, name, provider)
        return sum(map(_exact, parts), Decimal(0))
    kind = "embedding" if case.kind == "embedding" else "completion"
    if kind == "embedding":
        response = litellm.EmbeddingResponse(model=name, usage=usage, data=[])
    else:
        response = litellm.ModelResponse(model=name, usage=usage)
    cost = calculator.completion_cost(
        response,
        model=case.model,
        call_type=kind,
        custom_llm_provider=provider,
        service_tier=case.tier or None,
    )
    return Decimal(str(cost))


def _exact(number: float) -> Decimal:
    return Decimal(str(number))


def main() -> int:
    """Print the cases that differ, and the counts."""
    parser = argparse.ArgumentParser(description="Costs against litellm's calculator.")
    parser.add_argument("--all", action="store_true", help="print every case")
    options = parser.parse_args()
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    logging.disable(logging.CRITICAL)
    book = PriceBook.bundled()
    counts = {"cases": 0, "equal": 0, "explained": 0, "different": 0}
    for case in cases():
        own = ours(case, book)
        try:
            other = theirs(case)
        except Exception as error:  # noqa: BLE001 (a case that litellm cannot price is shown like any other)
            other = None
            print(f"litellm: {type(error).__name__}: {str(error).splitlines()[0]}")
        is_equal = (
            own is not None and other is not None and abs(own - other) <= TOLERANCE
        )
        verdict = "equal" if is_equal else ("explained" if case.reason else "different")
        counts["cases"] += 1
        counts[verdict] += 1
        if options.all or not is_equal:
            print(
                f"{verdict:9} {case.model:54} {case.usage_name:21} {case.tier or 'standard':9} "
                f"ours={own} litellm={other} {case.reason}"
            )
    print(" ".join(f"{name}={count}" for name, count in counts.items()))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
