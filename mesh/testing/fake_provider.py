"""A model provider to test against: a real HTTP server on 127.0.0.1 that speaks the chat-completions protocol.

    python -m judgemesh.mesh.testing.fake_provider --port 0 --latency-ms 50 --fault-rate 0.1 \
        --sensitivity .9 --specificity .9 --seed 1

prints its base URL (ending in `/v1`) as its first line and serves until SIGINT or SIGTERM.

| request | answer |
|---|---|
| `POST /v1/chat/completions` | a verdict of the simulated judge (see `simulated.py`), or a fault |
| `POST /v1/decisions` | where switched on: a probability of "yes" for each question about one text |
| `GET /v1/models` | the models it was asked for so far |
| `GET /bill` | `{requests, judged, faults, cost, span_s}`: completions asked for, answered and spoilt; cost; time |

`span_s` is the time between the first and the last request. `cost` is in the price book's currency, priced as the price
book prices the model that was asked for, and null as soon as one model has no price. What a caller never got as a
completion (429, 500, hang, truncated body) is not billed; invalid JSON and refusals are completions, and are.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self, cast

from judgemesh.contracts.usage import Usage
from judgemesh.mesh.judging.gateways.simulated import (
    BILLED,
    Behaviour,
    PrefixCache,
    ProviderFault,
    answer_text,
    answers_text,
    content_of,
    fault_of,
    last_text,
    logprobs_of,
    probability_of,
    prompt_text,
    several,
    token_count,
    verdict_of,
    verdicts_of,
)
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.pricing.usage import canonical_usage
from judgemesh.mesh.testing.http_server import (
    HEAD_LIMIT,
    Request,
    Response,
    json_response,
    serve_connection,
)

_COMPLETIONS: Final = frozenset({"/v1/chat/completions", "/chat/completions"})
_MODELS: Final = frozenset({"/v1/models", "/models"})
_DECISIONS: Final = frozenset({"/v1/decisions", "/decisions"})
_BILLS: Final = frozenset({"/bill", "/v1/bill"})


@dataclass(slots=True)
class ProviderBill:
    """What was asked and what it cost. `cost` is None once a model without a price was used.

    first_s, last_s: when the first and the last completion was asked for, by a monotonic clock.
    """

    requests: int = 0
    judged: int = 0
    faults: int = 0
    cost: Decimal | None = Decimal(0)
    first_s: float | None = None
    last_s: float = 0.0

    def count(self) -> int:
        """Note that a completion is asked for; its number."""
        self.requests += 1
        self.last_s = time.monotonic()
        if self.first_s is None:
            self.first_s = self.last_s
        return self.requests

    def to_json(self) -> dict[str, int | float | None]:
        """The bill as `GET /bill` answers it; the cost as a number, exact far beyond 1e-9."""
        cost = None if self.cost is None else float(self.cost)
        return {
            "requests": self.requests,
            "judged": self.judged,
            "faults": self.faults,
            "cost": cost,
            "span_s": 0.0 if self.first_s is None else self.last_s - self.first_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who is answered: with a key, callers that send it; with models, questions to them.

    status: refuse every completion with this status, after the first `after` of them.
    """

    api_key: str | None = None
    models: tuple[str, ...] = ()
    status: int | None = None
    after: int = 0

    def refusal(self, request: Request, model: str, number: int) -> Response | None:
        """The refusal of the completion of that number, counted from 1; None where it is answered."""
        if self.status is not None and number > self.after:
            return _error(self.status, "access", f"this server says {self.status}")
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.api_key is not None and key != self.api_key:
            return _error(
                401,
                "invalid_request_error",
                "Incorrect API key provided",
                code="invalid_api_key",
            )
        if self.models and model not in self.models:
            message = f"The model {model!r} does not exist"
            return _error(404, "not_found", message, code="model_not_found")
        return None


class FakeProvider:
    """The server. `async with FakeProvider(...) as provider:` and point the client at `provider.base_url`.

    Args:
        behaviour: the simulated judge and the random faults.
        schedule: faults (None for none) of the first requests, in order of arrival, before the random ones.
        latency_ms: time each answer takes.
        hang_s: how long a hanging request is held before its connection is closed without an answer.
        retry_after_s: what a 429 asks for.
        structured: False rejects `response_format`, as some servers do.
        tools: False rejects `tools`.
        logprobs: whether the log-probabilities that are asked for are given, silently left out, or rejected.
        choices: whether the further choices that `n` asks for are given (their prompt is billed once), silently left
            out, or rejected.
        decisions: whether there is a decision endpoint.
        access: who is answered.
        prices: the price book that the bill is computed with.
    """

    def __init__(  # noqa: PLR0913 - keyword-only settings with defaults
        self,
        behaviour: Behaviour | None = None,
        *,
        schedule: Sequence[ProviderFault | None] = (),
        latency_ms: float = 0.0,
        hang_s: float = 10.0,
        retry_after_s: float = 0.05,
        structured: bool = True,
        tools: bool = True,
        logprobs: Literal["give", "ignore", "reject"] = "give",
        choices: Literal["give", "ignore", "reject"] = "give",
        decisions: bool = False,
        access: Access | None = None,
        prices: PriceBook | None = None,
    ) -> None:
        self._behaviour = behaviour or Behaviour()
        self._schedule = list(schedule)
        self._latency_ms = latency_ms
        self._hang_s = hang_s
        self._retry_after_s = retry_after_s
        self._structured = structured
        self._tools, self._logprobs, self._decisions = tools, logprobs, decisions
        self._choices = choices
        self._access = access or Access()
        self._prices = prices or PriceBook.bundled()
        self._bill = ProviderBill()
        self._times_seen: Counter[str] = Counter()
        self._prefixes = PrefixCache()
        self._models: dict[str, None] = {}
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.requests: list[Mapping[str, Any]] = []
        """The bodies of the first completion requests (at most 1,000), for tests that look at what was sent."""

    async def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1; port 0 takes a free one."""
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", port, limit=HEAD_LIMIT, backlog=1024
        )

    async def aclose(self) -> None:
        """Stop listening and drop every connection. Safe to call twice."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await server.wait_closed()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    @property
    def base_url(self) -> str:
        """The address for the client, ending in `/v1`."""
        if self._server is None:
            raise RuntimeError(
                "the fake provider is not running; use it with `async with`"
            )
        port: int = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/v1"

    def bill(self) -> ProviderBill:
        """What was asked and what it cost so far."""
        return self._bill

    async def _connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._connections.add(task)
        try:
            await serve_connection(reader, writer, self._answer)
        except asyncio.CancelledError:
            pass  # the server is closing; the task ends here, and its result is not read
        finally:
            self._connections.discard(task)

    async def _answer(self, request: Request) -> Response:
        if request.method == "GET" and request.path in _BILLS:
            return json_response(self._bill.to_json())
        if request.method == "GET" and request.path in _MODELS:
            return json_response(
                {
                    "object": "list",
                    "data": [{"id": name, "object": "model"} for name in self._models],
                }
            )
        if request.method == "POST" and request.path in _COMPLETIONS:
            return await self._complete(request, self._deliver)
        if request.method == "POST" and request.path in _DECISIONS and self._decisions:
            return await self._complete(request, self._decide)
        self._bill.requests += (
            request.path in _DECISIONS
        )  # asked for in vain, as a caller that finds out does
        return _error(
            404, "not_found", f"there is no {request.method} {request.path} here"
        )

    async def _complete(self, request: Request, deliver: Deliver) -> Response:
        number = self._bill.count()
        body = _body(request.body)
        if isinstance(body, str):
            return _error(400, "invalid_request_error", body)
        denied = self._access.refusal(request, body["model"], number)
        if denied is not None:
            return denied
        if len(self.requests) < _KEPT_REQUESTS:
            self.requests.append(body)
        self._models[body["model"]] = None
        content = content_of(body)
        fault = self._next_fault(content)
        # What is in the prompt cache counts when a request arrives; what it adds is there once it was answered.
        cached = self._known(body)
        await asyncio.sleep(self._latency_ms / 1000)
        refused = self._reject(body)
        if refused is not None:
            return refused
        if fault is not None:
            self._bill.faults += 1
        if fault in _FAULTS_WITHOUT_COMPLETION:
            return await self._break(fault)
        return deliver(body, content, fault, cached)

    def _known(self, body: Mapping[str, Any]) -> int:
        """Tokens of a request that are served from the prompt cache."""
        if not self._behaviour.prompt_cache:
            return 0
        cached = self._prefixes.known_tokens(
            prompt_text(body["messages"]), model=body["model"]
        )
        if cached < self._behaviour.min_cached_tokens:
            return 0
        return cached

    def _next_fault(self, content: str) -> ProviderFault | None:
        if self._schedule:
            return self._schedule.pop(0)
        times = self._times_seen[content]
        self._times_seen[content] += 1
        return fault_of(content, times, self._behaviour)

    def _reject(self, body: Mapping[str, Any]) -> Response | None:
        """What a provider says to a request that it will never take."""
        if not self._structured and "response_format" in body:
            return _error(
                400,
                "invalid_request_error",
                "response_format of type json_schema is not supported",
            )
        if not self._tools and "tools" in body:
            return _error(
                400, "invalid_request_error", "tools are not supported by this model"
            )
        if self._choices == "reject" and body.get("n", 1) != 1:
            return _error(400, "invalid_request_error", "n: only 1 choice is supported")
        if self._logprobs == "reject" and "logprobs" in body:
            return _error(
                400, "invalid_request_error", "logprobs are not supported by this model"
            )
        limit = self._behaviour.context_tokens
        tokens = token_count(prompt_text(body["messages"]))
        if limit is not None and tokens > limit:
            text = f"This model's maximum context length is {limit} tokens. Your messages resulted in {tokens} tokens."
            return _error(
                400, "invalid_request_error", text, code="context_length_exceeded"
            )
        return None

    async def _break(self, fault: ProviderFault | None) -> Response:
        if fault is ProviderFault.RATE_LIMIT:
            retry_after = {"Retry-After": f"{self._retry_after_s:g}"}
            return _error(
                429,
                "rate_limit_exceeded",
                "Rate limit reached, please slow down",
                headers=retry_after,
            )
        if fault is ProviderFault.SERVER_ERROR:
            return _error(
                500,
                "server_error",
                "The server had an error while processing your request",
            )
        if fault is ProviderFault.HANG:
            await asyncio.sleep(self._hang_s)
            return Response(silent=True)
        return Response(
            body=json.dumps(_completion("model", [], {})).encode(), cut=True
        )

    def _deliver(
        self,
        body: Mapping[str, Any],
        content: str,
        fault: ProviderFault | None,
        cached: int,
    ) -> Response:
        choices: list[dict[str, Any]] = []
        written = 0
        for number in range(self._choice_count(body)):
            # The first choice is that of a request for one choice; each further one is a draw of its own.
            drawn_by = content
            if number:
                drawn_by = f"{content}#{number}"
            choice, text = self._choice(body, drawn_by, fault)
            choices.append({"index": number, **choice})
            written += token_count(text)
        if fault not in BILLED:
            self._bill.judged += 1
        usage = self._usage(body, written, cached)
        self._charge(body["model"], canonical_usage(usage))
        return json_response(_completion(body["model"], choices, usage))

    def _choice_count(self, body: Mapping[str, Any]) -> int:
        """How many choices a request gets: `n`, or one where `n` is ignored."""
        if self._choices != "give":
            return 1
        return int(body.get("n") or 1)

    def _choice(
        self, body: Mapping[str, Any], content: str, fault: ProviderFault | None
    ) -> tuple[dict[str, Any], str]:
        """One choice, and what was written in it."""
        last, reply_format = last_text(body["messages"]), wanted_format(body)
        questions = several(last)
        word = verdict_of(last, content, self._behaviour)
        text: str | None = word
        if questions:
            verdicts = verdicts_of(questions, content, self._behaviour)
            text = answers_text(verdicts, reply_format)
        elif not body.get("logprobs"):
            text = answer_text(word, reply_format)
        refusal: str | None = None
        if fault is ProviderFault.INVALID_JSON:
            text = _SPOILT
        elif fault is ProviderFault.REFUSAL:
            text, refusal = None, "I cannot help with that request."
        message: dict[str, Any] = {
            "role": "assistant",
            "content": text,
            "refusal": refusal,
        }
        if body.get("tools") and text is not None:
            call = {
                "id": "call_1",
                "type": "function",
                "function": {"name": tool_name(body), "arguments": text},
            }
            message |= {"content": None, "tool_calls": [call]}
        logprobs = None
        if bool(body.get("logprobs")) and self._logprobs == "give" and fault is None:
            p_yes = probability_of(word, content, self._behaviour)
            logprobs = logprobs_of(p_yes, int(body.get("top_logprobs") or 0))
        return {
            "message": message,
            "logprobs": logprobs,
            "finish_reason": "stop",
        }, text or refusal or ""

    def _decide(
        self,
        body: Mapping[str, Any],
        content: str,
        fault: ProviderFault | None,
        _cached: int,
    ) -> Response:
        """Answers of a decision endpoint. A refusal is one question's; invalid JSON is a body of something else."""
        answers: list[dict[str, Any]] = []
        for number, question in enumerate(body["questions"]):
            prompt = f"{body['input']}\nQuestion: {question['instructions']}"
            word = verdict_of(prompt, f"{content}{number}", self._behaviour)
            if fault is ProviderFault.REFUSAL and number == 0:
                answers.append({"type": "refusal", "name": question.get("name")})
                continue
            p_yes = probability_of(word, f"{content}{number}", self._behaviour)
            answers.append(
                {
                    "type": "predicate",
                    "name": question.get("name"),
                    "probability": p_yes,
                }
            )
        if fault is ProviderFault.INVALID_JSON:
            answers = []
        else:
            self._bill.judged += 1
        tokens = token_count(prompt_text(body["messages"]))
        usage = {"input_tokens": tokens, "output_tokens": 0, "total_tokens": tokens}
        self._charge(body["model"], canonical_usage(usage, provider="openai"))
        return json_response(
            {"model": body["model"], "answers": answers, "usage": usage}
        )

    def _usage(
        self, body: Mapping[str, Any], completion: int, cached: int
    ) -> dict[str, Any]:
        prompt = prompt_text(body["messages"])
        tokens = token_count(prompt)
        details = {"cached_tokens": cached}
        if self._behaviour.prompt_cache:
            self._prefixes.learn(prompt, model=body["model"])
            if (
                self._behaviour.cache_writes
                and tokens >= self._behaviour.min_cached_tokens
            ):
                details["cache_creation_tokens"] = tokens - cached
        return {
            "prompt_tokens": tokens,
            "completion_tokens": completion,
            "total_tokens": tokens + completion,
            "prompt_tokens_details": details,
            "completion_tokens_details": {"reasoning_tokens": 0},
        }

    def _charge(self, model: str, usage: Usage | None) -> None:
        money, _ = self._prices.cost(model, usage)
        if money is None:
            self._bill.cost = None
        elif self._bill.cost is not None:
            self._bill.cost += money.amount


Deliver = Callable[[Mapping[str, Any], str, "ProviderFault | None", int], Response]

_KEPT_REQUESTS: Final = 1000
_MAX_CHOICES: Final = 128
_FAULTS_WITHOUT_COMPLETION: Final = frozenset(ProviderFault) - BILLED
_SPOILT: Final = '{"reason": "The record shows that the answer is", "verdict": ye'


def wanted_format(body: Mapping[str, Any]) -> object:
    """The response format a request asks for, by itself or through its first tool."""
    tools = body.get("tools")
    if not isinstance(tools, list) or not tools:
        return body.get("response_format")
    schema = cast("list[Any]", tools)[0]["function"].get("parameters", {})
    return {"type": "json_schema", "json_schema": {"schema": schema}}


def tool_name(body: Mapping[str, Any]) -> str:
    """The name of the first tool of a request."""
    return str(body["tools"][0]["function"]["name"])


def _completion(
    model: str, choices: Sequence[Mapping[str, Any]], usage: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "id": "chatcmpl-simulated",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": list(choices),
        "usage": usage,
    }


def _error(
    status: int,
    kind: str,
    message: str,
    *,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    error = {"message": message, "type": kind, "param": None, "code": code}
    return json_response({"error": error}, status=status, headers=headers)


def _body(data: bytes) -> Mapping[str, Any] | str:
    """The body of a completion request, or what is wrong with it."""
    try:
        body: Any = json.loads(data)
    except ValueError as error:
        return f"the body is no JSON: {error}"
    if not isinstance(body, dict):
        return "the body must be an object"
    fields = cast("dict[str, Any]", body)
    text, questions = fields.get("input"), fields.get("questions")
    if isinstance(text, str) and isinstance(questions, list):
        fields["messages"] = [
            {"role": "user", "content": text},
            {"role": "user", "content": json.dumps(questions, sort_keys=True)},
        ]
    return _fault_of_body(fields) or fields


def _fault_of_body(fields: Mapping[str, Any]) -> str:
    """What is wrong with a completion request; empty for nothing."""
    if not isinstance(fields.get("model"), str):
        return "the body must name a model"
    messages: Any = fields.get("messages")
    if not isinstance(messages, list) or not messages:
        return "messages must be a list that is not empty"
    for message in cast("list[Any]", messages):
        if not isinstance(message, dict):
            return "each message must be an object"
    if fields.get("stream"):
        return "this server does not stream"
    choices = fields.get("n", 1)
    if type(choices) is not int or not 1 <= choices <= _MAX_CHOICES:
        return f"n must be a whole number from 1 to {_MAX_CHOICES}"
    return ""


# --- the command ---


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m judgemesh.mesh.testing.fake_provider",
        description="A chat-completions server for tests.",
    )
    parser.add_argument(
        "--port", type=int, default=0, help="port on 127.0.0.1; 0 takes a free one"
    )
    parser.add_argument(
        "--latency-ms", type=float, default=0.0, help="time each answer takes"
    )
    parser.add_argument(
        "--fault-rate",
        type=_rate,
        default=0.0,
        help="share of requests that go wrong, 0..1",
    )
    parser.add_argument(
        "--faults",
        type=_faults,
        default=tuple(ProviderFault),
        help=f"of {','.join(ProviderFault)}; default all",
    )
    parser.add_argument(
        "--hang-s", type=float, default=10.0, help="how long a hanging request is held"
    )
    parser.add_argument(
        "--retry-after-s", type=float, default=1.0, help="what a 429 asks for"
    )
    parser.add_argument(
        "--sensitivity", type=_rate, default=1.0, help="P(says yes | truth is yes)"
    )
    parser.add_argument(
        "--specificity", type=_rate, default=1.0, help="P(says no | truth is no)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="same seed and content, same answer and faults",
    )
    parser.add_argument(
        "--no-structured", action="store_true", help="reject response_format"
    )
    parser.add_argument("--no-tools", action="store_true", help="reject tools")
    parser.add_argument(
        "--logprobs",
        choices=("give", "ignore", "reject"),
        default="give",
        help="when asked for",
    )
    parser.add_argument(
        "--choices",
        choices=("give", "ignore", "reject"),
        default="give",
        help="when n asks for more",
    )
    parser.add_argument(
        "--halo",
        type=_rate,
        default=0.0,
        help="share of later answers that follow the earlier ones",
    )
    parser.add_argument(
        "--decisions", action="store_true", help="have a decision endpoint"
    )
    parser.add_argument(
        "--always", choices=("yes", "no"), default=None, help="say that to everything"
    )
    parser.add_argument(
        "--no-prompt-cache", action="store_true", help="never report cached tokens"
    )
    parser.add_argument(
        "--cache-writes",
        action="store_true",
        help="report and bill what is written to the cache",
    )
    parser.add_argument(
        "--context-tokens", type=int, default=None, help="reject longer prompts"
    )
    parser.add_argument(
        "--api-key", default=None, help="answer 401 to callers without this key"
    )
    parser.add_argument(
        "--models",
        type=lambda text: tuple(text.split(",")),
        default=(),
        help="answer 404 for other models",
    )
    parser.add_argument(
        "--status", type=int, default=None, help="answer this status to everything"
    )
    parser.add_argument(
        "--after", type=int, default=0, help="requests answered before --status"
    )
    parser.add_argument(
        "--prices",
        type=Path,
        default=None,
        help="a price file to bill with, above the bundled one",
    )
    return parser


def _rate(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} does not lie in 0..1")
    return value


def _faults(text: str) -> tuple[ProviderFault, ...]:
    faults: list[ProviderFault] = []
    try:
        for part in text.split(","):
            if part.strip():
                faults.append(ProviderFault(part.strip()))
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{error}; known are {', '.join(ProviderFault)}"
        ) from error
    return tuple(faults)


async def _serve(options: argparse.Namespace) -> None:
    provider = FakeProvider(
        Behaviour(
            sensitivity=options.sensitivity,
            specificity=options.specificity,
            fault_rate=options.fault_rate,
            faults=options.faults,
            seed=options.seed,
            prompt_cache=not options.no_prompt_cache,
            context_tokens=options.context_tokens,
            always=options.always,
            cache_writes=options.cache_writes,
            halo=options.halo,
        ),
        latency_ms=options.latency_ms,
        hang_s=options.hang_s,
        retry_after_s=options.retry_after_s,
        structured=not options.no_structured,
        tools=not options.no_tools,
        logprobs=options.logprobs,
        choices=options.choices,
        decisions=options.decisions,
        access=Access(
            api_key=options.api_key,
            models=options.models,
            status=options.status,
            after=options.after,
        ),
        prices=PriceBook.bundled(user_file=options.prices),
    )
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await provider.start(options.port)
    try:
        sys.stdout.write(f"{provider.base_url}\n")
        sys.stdout.flush()
        await stop.wait()
    finally:
        await provider.aclose()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    asyncio.run(_serve(_parser().parse_args(arguments)))


if __name__ == "__main__":
    main()
