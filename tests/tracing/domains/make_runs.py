"""Writes the runs beside it: `python tests/tracing/domains/make_runs.py`.

Each run is a file of steps, as a runtime would record them. `expected.json` has the codes
of the findings of each, and which must not be there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "runs"
PRICE = {
    "model_name": "alpha",
    "price_input_per_million": 3,
    "price_cached_input_per_million": 0.3,
    "price_cache_write_per_million": 3.75,
    "price_output_per_million": 15,
    "currency": "USD",
    "price_version": "2026-01-01",
}


class Run:
    """Collects the steps of one run, one after another."""

    def __init__(
        self, trace_id: str, agent_id: str, price: dict[str, Any] | None = PRICE
    ) -> None:
        self.trace_id = trace_id
        self.agent_id = agent_id
        self.price = price
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self.rows: list[dict[str, Any]] = []

    def step(self, state: str, seconds: float = 1.0, **fields: Any) -> Run:
        """A step of any state. `start`: seconds after the one before, else when it ended."""
        start = self.now + timedelta(seconds=fields.pop("gap", 0.0))
        end = start + timedelta(seconds=seconds)
        if not fields.pop("parallel", False):
            self.now = end
        row = {
            "trace_id": self.trace_id,
            "step_id": len(self.rows) + 1,
            "state_type": state,
            "agent_id": self.agent_id,
            "start_time": start.isoformat(),
            "end_time": end.isoformat(),
            **fields,
        }
        self.rows.append(row)
        return self

    def think(
        self, usage: dict[str, Any] | None, model: str = "alpha", **fields: Any
    ) -> Run:
        """A model call. `context`: its tokens by source."""
        state = fields.pop("state", "THINK")
        context = fields.pop("context", None)
        if context:
            counts = {f"{name}_tokens": tokens for name, tokens in context.items()}
            fields["input_token_breakdown"] = counts
        if usage is not None:
            fields["usage"] = usage
            if self.price is not None:
                fields["price"] = {**self.price, "model_name": model}
        return self.step(state, 2.0, model_name=model, **fields)

    def tool(
        self, name: str, arguments: str, result: str, sent: int, **fields: Any
    ) -> Run:
        """A tool call; equal arguments and results have equal digests."""
        fields.setdefault("response_tokens_raw", sent)
        return self.step(
            fields.pop("state", "API_CALL"),
            fields.pop("seconds", 0.5),
            tool_name=name,
            arguments_digest=arguments,
            result_digest=result,
            tokens_sent_to_next_llm=sent,
            **fields,
        )


def chat(prompt: int, completion: int, cached: int | None = None) -> dict[str, Any]:
    """A usage in the form of chat completions; without `cached`, it is not reported."""
    usage: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": completion}
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    return usage


def research() -> Run:
    """A research agent whose pages stay in a context that grows; nothing is cached."""
    run = Run("research", "researcher")
    pages = 0
    for number in range(8):
        fixed = {"system_prompt": 1500, "user_instruction": 60, "history": 200 * number}
        total = 1560 + 200 * number + pages
        run.think(chat(total, 120, 0), context={**fixed, "tool_result": pages})
        run.tool("fetch_page", f"url{number}", f"page{number}", 6000)
        pages += 6000
    total = 1560 + 1600 + pages
    context = {"system_prompt": 1500, "user_instruction": 60, "history": 1600}
    return run.think(
        chat(total, 900, 0), state="FINALIZE", context={**context, "tool_result": pages}
    )


def rag() -> Run:
    """A question answered from the same chunks three times."""
    run = Run("rag", "answerer")
    chunks = 0
    for number in range(3):
        context = {"system_prompt": 800, "user_instruction": 40}
        run.think(
            chat(840 + chunks, 60, 700),
            context={**context, "retrieved_context": chunks},
        )
        run.step(
            "RETRIEVE",
            0.4,
            retriever_name="kb",
            top_k=8,
            chunk_ids=["c1", "c2", "c3", f"c{4 + number}"],
            raw_result_tokens=9000,
            tokens_sent_to_next_llm=3000,
            tool_cost=0.001,
        )
        chunks += 3000
    context = {"system_prompt": 800, "user_instruction": 40}
    return run.think(
        chat(840 + chunks, 400, 700),
        state="FINALIZE",
        context={**context, "retrieved_context": chunks},
    )


def coding() -> Run:
    """A coding agent that reads a file again after it has changed it: it has to."""
    run = Run("coding", "coder")
    run.think(chat(2000, 80, 0)).tool(
        "read_file", "main.py", "v1", 1200, state="FILE_READ"
    )
    run.think(chat(3300, 200, 2000)).tool(
        "edit_file", "patch1", "ok", 20, state="FILE_WRITE"
    )
    run.think(chat(3600, 60, 3300)).tool(
        "read_file", "main.py", "v2", 1210, state="FILE_READ"
    )
    run.think(chat(4900, 60, 3600)).tool("bash", "pytest", "1 failed", 300)
    run.think(chat(5300, 150, 4900)).tool(
        "edit_file", "patch2", "ok", 20, state="FILE_WRITE"
    )
    run.think(chat(5500, 60, 5300)).tool("bash", "pytest", "passed", 200)
    return run.think(chat(5800, 200, 5500), state="FINALIZE")


def payment() -> Run:
    """A payment that timed out and was sent again with the same arguments."""
    run = Run("payment", "payer")
    run.think(chat(1500, 50, 0)).tool("get_invoice", "inv7", "open", 120)
    run.think(chat(1700, 60, 1500)).tool(
        "create_payment", "inv7-90", "", 10, status="timeout", seconds=30.0
    )
    run.think(chat(1800, 60, 1700)).tool("create_payment", "inv7-90", "paid", 40)
    return run.think(chat(1900, 80, 1800), state="FINALIZE")


def polling() -> Run:
    """An agent that asks for the state of a job six times."""
    run = Run("polling", "operator")
    run.think(chat(1500, 40, 0)).tool("start_export", "e1", "job1", 20)
    for number in range(6):
        state = "done" if number == 5 else "running"
        run.think(chat(1600 + 60 * number, 30, 1500))
        run.tool("get_job_status", "job1", state, 30)
    return run.think(chat(2100, 90, 1900), state="FINALIZE")


def fan_out() -> Run:
    """Six different searches at once, each by an agent of its own, then one answer."""
    run = Run("fan_out", "lead")
    run.think(chat(1200, 300, 0))
    for number in range(6):
        run.agent_id = f"worker{number}"
        run.step(
            "RETRIEVE",
            2.0,
            parallel=number < 5,
            tool_name="web_search",
            arguments_digest=f"q{number}",
            result_digest=f"r{number}",
            response_tokens_raw=900,
            tokens_sent_to_next_llm=150,
            parent_step_id=1,
        )
    run.agent_id = "lead"
    return run.think(chat(2400, 500, 1200), state="FINALIZE")


def cached_prefix() -> Run:
    """A large system prompt that is read from the cache in every call but the first."""
    run = Run("cached_prefix", "desk")
    for number in range(6):
        history = 250 * number
        usage = {
            "input_tokens": 60 + history,
            "cache_read_input_tokens": 12_000 if number else 0,
            "cache_creation_input_tokens": 0 if number else 12_000,
            "output_tokens": 150,
        }
        context = {"system_prompt": 12_000, "user_instruction": 60, "history": history}
        run.think(usage, provider="anthropic", context=context)
    return run


def cold_prefix() -> Run:
    """The same prompt, never cached though the provider reports that it could be."""
    run = Run("cold_prefix", "desk")
    for number in range(6):
        history = 250 * number
        context = {"system_prompt": 12_000, "user_instruction": 60, "history": history}
        run.think(chat(12_060 + history, 150, 0), context=context)
    return run


def streaming() -> Run:
    """A client that streams and never asks for the usage; one call has it."""
    run = Run("streaming", "chatter")
    run.think(chat(900, 100))
    for _ in range(3):
        run.think(None)
    return run


def router() -> Run:
    """A small model for the steps and a large one for the answer; one has no price."""
    run = Run("router", "router")
    run.think(chat(700, 20, 0), model="small")
    run.tool("get_weather", "city1", "sunny", 40)
    run.think(chat(800, 20, 0), model="small")
    run.tool("get_weather", "city2", "rain", 40)
    run.price = None
    return run.think(chat(1000, 400, 0), model="unlisted/large", state="FINALIZE")


def repeated_reads() -> Run:
    """A support agent that looks the same customer up twice, with nothing changed."""
    run = Run("repeated_reads", "support")
    run.think(chat(1500, 40, 0)).tool(
        "get_customer", "c9", "profile", 700, tool_cost=0.002
    )
    run.think(chat(2300, 40, 1500), context={"system_prompt": 1500, "tool_result": 700})
    run.tool("get_customer", "c9", "profile", 700, tool_cost=0.002)
    context = {"system_prompt": 1500, "tool_result": 1400}
    return run.think(chat(3000, 90, 2300), state="FINALIZE", context=context)


def unknown_tool() -> Run:
    """A tool whose name says nothing is called twice with the same arguments."""
    run = Run("unknown_tool", "runner")
    run.think(chat(1500, 40, 0)).tool("acme_widget", "w1", "ok", 20)
    run.think(chat(1600, 40, 1500)).tool("acme_widget", "w1", "ok", 20)
    return run.think(chat(1700, 40, 1600), state="FINALIZE")


def failing() -> Run:
    """A tool that is called with wrong arguments three times before it works."""
    run = Run("failing", "booker")
    for number in range(3):
        run.think(chat(1500 + 100 * number, 80, 1400))
        run.tool("book_room", f"guess{number}", "bad", 40, status="error")
    run.think(chat(1900, 80, 1700)).tool("book_room", "right", "booked", 60)
    return run.think(chat(2000, 60, 1900), state="FINALIZE")


def validating() -> Run:
    """A draft that is validated again although nothing was changed."""
    run = Run("validating", "writer")
    run.think(chat(3000, 900, 2000))
    run.think(chat(4000, 100, 0), state="VALIDATE", issues_found=0)
    run.think(chat(4000, 100, 0), state="VALIDATE", issues_found=0)
    return run.think(chat(4000, 100, 0), state="VALIDATE", issues_found=0)


RUNS: dict[str, tuple[Callable[[], Run], list[str]]] = {
    "research": (research, ["HIGH_TOOL_RESULT", "LOW_CACHE_HIT_RATIO"]),
    "rag": (rag, ["HIGH_RETRIEVED_CONTEXT", "SAME_RESULT"]),
    "coding": (coding, []),
    "payment": (payment, ["REPEATED_WRITE"]),
    "polling": (polling, ["POLLING"]),
    "fan_out": (fan_out, []),
    "cached_prefix": (cached_prefix, ["HIGH_FIXED_PROMPT"]),
    "cold_prefix": (cold_prefix, ["HIGH_FIXED_PROMPT", "LOW_CACHE_HIT_RATIO"]),
    "streaming": (streaming, ["USAGE_MISSING"]),
    "router": (router, ["UNPRICED_MODEL"]),
    "repeated_reads": (repeated_reads, ["REPEATED_TOOL_CALL"]),
    "unknown_tool": (unknown_tool, ["REPEATED_UNKNOWN_CALL"]),
    "failing": (failing, ["FAILED_TOOL_CALLS"]),
    "validating": (validating, ["HIGH_VALIDATE_COST"]),
}


def main() -> None:
    """Write the runs and what is expected of them."""
    expected: dict[str, list[str]] = {}
    for name, (make, codes) in RUNS.items():
        lines = [json.dumps(row) + "\n" for row in make().rows]
        (HERE / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        expected[name] = codes
    text = json.dumps(expected, indent=2) + "\n"
    (HERE.parent / "expected.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
