"""A provider that bills what it serves: chat completions, responses, embeddings and Anthropic messages.

    python benchmarks/tracing/export_provider.py

prints its address and serves until its standard input ends. Replies, streams and usage are those of the real
interfaces: cached tokens, cache writes of five minutes and of an hour, reasoning, tool calls. `GET /bill` is what was
served since the last one: `{tokens, cost, calls}`. It is added up here with the prices below, without any code of
judgemesh that reads usage: it is the truth that `exports.py` compares with. `POST` and `PATCH` of `/runs` keep
LangSmith's runs, `GET /runs` gives them.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from judgemesh.mesh.testing.http_server import (
    HEAD_LIMIT,
    Request,
    Response,
    json_response,
    serve_connection,
)

OPENAI_MODEL = "gpt-4.1-mini"
ANTHROPIC_MODEL = "claude-sonnet-4-5"
EMBEDDING_MODEL = "text-embedding-3-small"
PRICES: Mapping[str, Mapping[str, str]] = {
    # Per million tokens; not those of the real models, so that no other price book gives the same sum.
    OPENAI_MODEL: {"input": "2.3", "cached": "0.7", "write": "2.3", "output": "9.1"},
    ANTHROPIC_MODEL: {
        "input": "3.1",
        "cached": "0.29",
        "write": "3.9",
        "write_1h": "6.3",
        "output": "15.7",
    },
    EMBEDDING_MODEL: {"input": "0.13", "output": "0"},
}
PRICE_FILE = f"""version = "exports"
[models."{OPENAI_MODEL}"]
input = 2.3
cached_input = 0.7
cache_write = 2.3
output = 9.1
[models."{ANTHROPIC_MODEL}"]
input = 3.1
cached_input = 0.29
cache_write = 3.9
cache_write_1h = 6.3
output = 15.7
[models."{EMBEDDING_MODEL}"]
input = 0.13
output = 0
"""
"""The same prices for judgemesh: at every provider, so at this address too."""


class Provider:
    """Serves requests and keeps the bill."""

    def __init__(self) -> None:
        self.calls = 0
        self.billed: list[dict[str, int | str]] = []
        self.runs: dict[str, dict[str, Any]] = {}

    async def answer(self, request: Request) -> Response:
        """One request, by its path."""
        path = request.path.partition("?")[0]
        body: dict[str, Any] = {}
        if request.body:
            body = json.loads(request.body)
        for ending, serve in (
            ("/chat/completions", self._chat),
            ("/responses", self._responses),
            ("/messages", self._messages),
            ("/embeddings", self._embeddings),
            ("/bill", self._bill),
        ):
            if path.endswith(ending):
                return serve(body)
        if "/runs" in path or path.endswith("/info"):
            return self._runs(request, path, body)
        return json_response({"error": {"message": f"no {path}"}}, status=404)

    def _counts(self, model: str, **counts: int) -> dict[str, int]:
        """Counts that differ from call to call, added to the bill."""
        self.calls += 1
        varied = {name: count + 7 * self.calls for name, count in counts.items()}
        self.billed.append({"model": model, **varied})
        return varied

    def _bill(self, _: Mapping[str, Any]) -> Response:
        tokens, cost = 0, Decimal(0)
        for call in self.billed:
            prices = PRICES[str(call["model"])]
            for name, count in call.items():
                if name != "model" and isinstance(count, int):
                    tokens += count
                    price = prices.get("output" if name == "reasoning" else name, "0")
                    cost += count * Decimal(price)
        bill = {
            "tokens": tokens,
            "cost": str((cost / 1_000_000).normalize()),
            "calls": len(self.billed),
        }
        self.billed = []
        return json_response(bill)

    # --- OpenAI ---

    def _chat(self, body: Mapping[str, Any]) -> Response:
        counts = self._counts(
            OPENAI_MODEL, input=600, cached=400, output=50, reasoning=30
        )
        usage = {
            "prompt_tokens": counts["input"] + counts["cached"],
            "completion_tokens": counts["output"] + counts["reasoning"],
            "total_tokens": sum(counts.values()),
            "prompt_tokens_details": {
                "cached_tokens": counts["cached"],
                "audio_tokens": 0,
            },
            "completion_tokens_details": {"reasoning_tokens": counts["reasoning"]},
        }
        asks = body.get("tools") and not any(
            message.get("role") == "tool" for message in body["messages"]
        )
        call = {
            "id": f"call_{self.calls}",
            "type": "function",
            "function": {"name": "lookup", "arguments": '{"city": "Lund"}'},
        }
        envelope = {
            "id": f"chatcmpl-{self.calls}",
            "created": 1_760_000_000,
            "model": OPENAI_MODEL,
        }
        reason = "tool_calls" if asks else "stop"
        if not body.get("stream"):
            message: dict[str, Any] = {
                "role": "assistant",
                "content": None if asks else "It rains.",
            }
            if asks:
                message["tool_calls"] = [call]
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return json_response(
                {
                    **envelope,
                    "object": "chat.completion",
                    "choices": [choice],
                    "usage": usage,
                }
            )
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        if asks:
            deltas.append({"tool_calls": [{"index": 0, **call}]})
        else:
            deltas += [{"content": "It "}, {"content": "rains."}]
        chunks: list[dict[str, Any]] = []
        for delta in deltas:
            chunks.append(
                {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
            )
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        if "include_usage" in json.dumps(body.get("stream_options")):
            chunks.append({"choices": [], "usage": usage})
        frames = [
            {**envelope, "object": "chat.completion.chunk", **chunk} for chunk in chunks
        ]
        return _stream([(None, frame) for frame in frames], done=True)

    def _responses(self, body: Mapping[str, Any]) -> Response:
        counts = self._counts(
            OPENAI_MODEL, input=600, cached=400, write=90, output=50, reasoning=30
        )
        usage = {
            "input_tokens": counts["input"] + counts["cached"] + counts["write"],
            "input_tokens_details": {
                "cached_tokens": counts["cached"],
                "cache_write_tokens": counts["write"],
            },
            "output_tokens": counts["output"] + counts["reasoning"],
            "output_tokens_details": {"reasoning_tokens": counts["reasoning"]},
            "total_tokens": sum(counts.values()),
        }
        answered = "function_call_output" in json.dumps(body.get("input"))
        item: dict[str, Any] = {
            "type": "message",
            "id": f"msg_{self.calls}",
            "role": "assistant",
            "status": "completed",
            "content": [
                {"type": "output_text", "text": "It rains.", "annotations": []}
            ],
        }
        if body.get("tools") and not answered:
            item = {
                "type": "function_call",
                "id": f"fc_{self.calls}",
                "call_id": f"call_{self.calls}",
                "name": "lookup",
                "arguments": '{"city": "Lund"}',
                "status": "completed",
            }
        response = {
            "id": f"resp_{self.calls}",
            "object": "response",
            "created_at": 1_760_000_000,
            "model": OPENAI_MODEL,
            "status": "completed",
            "output": [item],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage,
        }
        if not body.get("stream"):
            return json_response(response)
        started = {**response, "status": "in_progress", "output": [], "usage": None}
        events: list[dict[str, Any]] = [
            {"type": "response.created", "response": started, "sequence_number": 0},
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": item,
                "sequence_number": 1,
            },
            {
                "type": "response.output_item.done",
                "output_index": 0,
                "item": item,
                "sequence_number": 2,
            },
            {"type": "response.completed", "response": response, "sequence_number": 3},
        ]
        return _stream([(event["type"], event) for event in events])

    def _embeddings(self, _: Mapping[str, Any]) -> Response:
        counts = self._counts(EMBEDDING_MODEL, input=40)
        data = [{"object": "embedding", "index": 0, "embedding": [0.1, 0.2]}]
        usage = {"prompt_tokens": counts["input"], "total_tokens": counts["input"]}
        return json_response(
            {"object": "list", "data": data, "model": EMBEDDING_MODEL, "usage": usage}
        )

    # --- Anthropic ---

    def _messages(self, body: Mapping[str, Any]) -> Response:
        counts = self._counts(
            ANTHROPIC_MODEL, input=120, cached=800, write=300, output=50
        )
        usage = {
            "input_tokens": counts["input"],
            "cache_read_input_tokens": counts["cached"],
            "cache_creation_input_tokens": counts["write"],
            "cache_creation": {
                "ephemeral_5m_input_tokens": counts["write"],
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": counts["output"],
            "service_tier": "standard",
        }
        answered = "tool_result" in json.dumps(body.get("messages"))
        asks = bool(body.get("tools")) and not answered
        block: dict[str, Any] = {"type": "text", "text": "It rains."}
        if asks:
            block = {
                "type": "tool_use",
                "id": f"toolu_{self.calls}",
                "name": "lookup",
                "input": {"city": "Lund"},
            }
        message = {
            "id": f"msg_{self.calls}",
            "type": "message",
            "role": "assistant",
            "model": ANTHROPIC_MODEL,
            "content": [block],
            "stop_reason": "tool_use" if asks else "end_turn",
            "stop_sequence": None,
            "usage": usage,
        }
        if not body.get("stream"):
            return json_response(message)
        begun = {
            **message,
            "content": [],
            "stop_reason": None,
            "usage": {**usage, "output_tokens": 1},
        }
        empty: dict[str, Any] = {"type": "text", "text": ""}
        if asks:
            empty = {**block, "input": {}}
        delta = (
            {"type": "input_json_delta", "partial_json": '{"city": "Lund"}'}
            if asks
            else {"type": "text_delta", "text": "It rains."}
        )
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": begun},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
                "usage": {"output_tokens": counts["output"]},
            },
            {"type": "message_stop"},
        ]
        return _stream([(event["type"], event) for event in events])

    # --- LangSmith ---

    def _runs(self, request: Request, path: str, body: dict[str, Any]) -> Response:
        if request.method == "GET" and path.endswith("/runs"):
            runs, self.runs = list(self.runs.values()), {}
            return json_response(runs)
        listed = [*body.get("post", ()), *body.get("patch", ())]
        for run in listed or ([body] if request.method in {"POST", "PATCH"} else []):
            run_id = str(run.get("id") or path.rpartition("/")[2])
            known = self.runs.setdefault(run_id, {"id": run_id})
            known.update(
                {key: value for key, value in run.items() if value is not None}
            )
        return json_response({"version": "0.10.0"})


def _stream(
    events: list[tuple[str | None, dict[str, Any]]], *, done: bool = False
) -> Response:
    frames: list[str] = []
    for name, data in events:
        prefix = "" if name is None else f"event: {name}\n"
        frames.append(f"{prefix}data: {json.dumps(data)}\n\n")
    if done:
        frames.append("data: [DONE]\n\n")
    return Response(
        body="".join(frames).encode(), headers={"Content-Type": "text/event-stream"}
    )


async def main() -> None:
    """Serve until standard input ends."""
    provider = Provider()

    async def connected(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await serve_connection(reader, writer, provider.answer)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=HEAD_LIMIT)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}", flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
