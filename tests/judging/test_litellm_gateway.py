"""The gateway against a real HTTP server on 127.0.0.1."""

from __future__ import annotations

import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from typing import Any

import anyio
import pytest

from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.needs import (
    Ask,
    Extract,
    Extracted,
    Judged,
    Material,
    Unanswered,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.client.retry import RetryPolicy
from judgemesh.mesh.judging.gateways.litellm import LitellmGateway
from judgemesh.mesh.judging.gateways.litellm_errors import judge_error
from judgemesh.mesh.judging.gateways.simulated import Behaviour, ProviderFault
from judgemesh.mesh.judging.gateways.wire import asked_for, is_strict
from judgemesh.mesh.judging.replies.parse import VERDICT_SCHEMA
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.testing.fake_provider import FakeProvider

from .conftest import Book, ask_one

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("litellm_loaded")]

POLICY = RetryPolicy(base_s=0.005, cap_s=0.02)


def need(text: str = "TRUTH:yes", question: str = "Is it so?") -> Ask:
    return Ask(
        question_id="q", question=question, materials=(Material("final_answer", text),)
    )


def judge_at(base_url: str, **options: Any) -> VotingJudge:
    settings: dict[str, Any] = {
        "model": "openai/gpt-4.1-mini",
        "votes": "single",
        "policy": POLICY,
        "timeout_s": 5.0,
        **options,
    }
    return VotingJudge(LitellmGateway(api_base=base_url, api_key="none"), **settings)


def agree(book: Book, provider: FakeProvider) -> None:
    """Every request is a row, and the money adds up."""
    assert len(book.attempts) == provider.bill().requests
    known = sum(
        (row.cost.amount for row in book.attempts if row.cost is not None),
        start=Decimal(0),
    )
    cost = provider.bill().cost
    assert cost is not None
    assert abs(known - cost) < Decimal("1e-9")


@pytest.mark.parametrize("truth", ["yes", "no"])
async def test_a_question_goes_the_whole_way(book: Book, truth: str) -> None:
    async with FakeProvider() as provider:
        judge = judge_at(provider.base_url)
        answer = await ask_one(judge, need(f"TRUTH:{truth}"), book.context)
        await judge.aclose()
    assert isinstance(answer, Judged)
    assert answer.vote == Vote(truth)
    assert answer.reason
    agree(book, provider)
    (row,) = book.attempts
    assert row.model_served == "gpt-4.1-mini"
    assert row.usage is not None
    assert row.usage.raw["prompt_tokens"] == row.usage.input_total
    assert row.provider_cost == pytest.approx(float(row.cost.amount if row.cost else 0))
    (sent,) = provider.requests
    assert sent["model"] == "gpt-4.1-mini"
    assert (sent["temperature"], sent["max_tokens"]) == (0.0, 1024)
    assert sent["response_format"]["json_schema"]["schema"] == VERDICT_SCHEMA
    assert sent["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    ("fault", "error_type", "attempts", "billed"),
    [
        (ProviderFault.RATE_LIMIT, "rate_limited", 3, True),
        (ProviderFault.SERVER_ERROR, "unavailable", 3, True),
        (ProviderFault.HANG, "timeout", 3, False),
        (ProviderFault.TRUNCATED, "connection_broken", 3, False),
        (ProviderFault.INVALID_JSON, "malformed", 2, True),
        (ProviderFault.REFUSAL, "refused", 1, True),
    ],
)
async def test_a_fault_that_stays_is_unanswered(
    book: Book, fault: ProviderFault, error_type: str, attempts: int, billed: bool
) -> None:
    async with FakeProvider(schedule=[fault] * 9, hang_s=30) as provider:
        judge = judge_at(
            provider.base_url, timeout_s=1.0 if fault is ProviderFault.HANG else 5.0
        )
        answer = await ask_one(judge, need(), book.context)
        await judge.aclose()
    assert isinstance(answer, Unanswered)
    assert answer.error_type == error_type
    assert [row.error_type for row in book.attempts] == [error_type] * attempts
    assert all((row.cost is not None) is billed for row in book.attempts)
    agree(book, provider)


@pytest.mark.parametrize(
    "fault",
    [
        ProviderFault.RATE_LIMIT,
        ProviderFault.SERVER_ERROR,
        ProviderFault.TRUNCATED,
        ProviderFault.INVALID_JSON,
    ],
)
async def test_a_fault_that_passes_costs_one_more_attempt(
    book: Book, fault: ProviderFault
) -> None:
    async with FakeProvider(schedule=[fault]) as provider:
        judge = judge_at(provider.base_url)
        answer = await ask_one(judge, need(), book.context)
        await judge.aclose()
    assert isinstance(answer, Judged)
    assert [row.status for row in book.attempts] == ["error", "ok"]
    agree(book, provider)


async def test_retry_after_is_read_from_the_answer(book: Book) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async with FakeProvider(
        schedule=[ProviderFault.RATE_LIMIT], retry_after_s=7
    ) as provider:
        judge = judge_at(provider.base_url, sleep=sleep)
        assert isinstance(await ask_one(judge, need(), book.context), Judged)
        await judge.aclose()
    assert [7 <= wait < 7.1 for wait in waits] == [True]


async def test_many_questions_with_faults_of_every_kind(book: Book) -> None:
    """No fault becomes a pass or a fail; rows equal requests; the money equals the bill."""
    behaviour = Behaviour(fault_rate=0.3, seed=5, min_cached_tokens=128)
    answers: list[Judged | Unanswered] = []
    truths: list[str] = []
    async with FakeProvider(behaviour, hang_s=0.05, retry_after_s=0.01) as provider:
        judge = judge_at(provider.base_url, max_retries=2)

        async def ask(number: int) -> None:
            truth = "yes" if number % 3 else "no"
            answer = await ask_one(
                judge,
                need(f"TRUTH:{truth} " + "evidence " * 100, f"Number {number}?"),
                book.context,
            )
            answers.append(answer)
            truths.append(truth)

        async with anyio.create_task_group() as tasks:
            for number in range(150):
                tasks.start_soon(ask, number)
        await judge.aclose()
    votes = [
        (answer.vote.value, truth)
        for answer, truth in zip(answers, truths, strict=True)
        if isinstance(answer, Judged)
    ]
    assert all(vote == truth for vote, truth in votes)
    unanswered = Counter(
        answer.error_type for answer in answers if isinstance(answer, Unanswered)
    )
    assert unanswered["refused"] > 0
    assert len(votes) + unanswered.total() == 150
    assert len(votes) > 100
    assert {row.error_type for row in book.attempts} >= {
        "rate_limited",
        "unavailable",
        "malformed",
        "refused",
        None,
    }
    assert any(
        row.usage is not None and row.usage.input_tokens_cached > 0
        for row in book.attempts
    )
    agree(book, provider)


async def test_a_server_without_response_format(book: Book) -> None:
    async with FakeProvider(structured=False) as provider:
        judge = judge_at(provider.base_url)
        first = await ask_one(judge, need("TRUTH:no"), book.context)
        second = await ask_one(judge, need("TRUTH:no", "And this?"), book.context)
        await judge.aclose()
    assert isinstance(first, Judged)
    assert isinstance(second, Judged)
    assert first.vote is second.vote is Vote.NO
    assert [row.error_type for row in book.attempts] == [
        "structured_output_rejected",
        None,
        None,
    ]
    assert ["response_format" in sent for sent in provider.requests] == [
        True,
        False,
        False,
    ]
    agree(book, provider)


async def test_a_context_overflow_is_a_rejection_and_no_grade(book: Book) -> None:
    async with FakeProvider(Behaviour(context_tokens=50)) as provider:
        judge = judge_at(provider.base_url)
        answer = await ask_one(judge, need("x" * 4000), book.context)
        await judge.aclose()
    assert isinstance(answer, Unanswered)
    assert answer.error_type == "rejected"
    assert "maximum context length" in answer.message
    agree(book, provider)


async def test_nobody_listens(book: Book) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    judge = judge_at(f"http://127.0.0.1:{port}/v1", max_retries=1)
    answer = await ask_one(judge, need(), book.context)
    await judge.aclose()
    assert isinstance(answer, Unanswered)
    assert answer.error_type == "unreachable"
    assert "cannot connect" in answer.message
    assert [row.cost and row.cost.amount for row in book.attempts] == [0, 0]


async def test_a_hanging_call_can_be_cancelled(book: Book) -> None:
    async with FakeProvider(schedule=[ProviderFault.HANG], hang_s=60) as provider:
        judge = judge_at(provider.base_url, timeout_s=60)
        with anyio.move_on_after(0.3) as scope:
            await ask_one(judge, need(), book.context)
        assert scope.cancelled_caught
        assert isinstance(await ask_one(judge, need(), book.context), Judged)
        await judge.aclose()
    assert [row.error_type for row in book.attempts] == ["cancelled", None]
    agree(book, provider)


@pytest.mark.parametrize("by_option", [True, False])
async def test_callbacks_of_litellm_hear_of_the_call(
    book: Book, monkeypatch: pytest.MonkeyPatch, by_option: bool
) -> None:
    import litellm

    heard = anyio.Event()

    async def hear(kwargs: Any, *_: Any) -> None:
        assert kwargs["standard_logging_object"]["total_tokens"] > 0
        heard.set()

    options: dict[str, Any] = {}
    if by_option:
        options["success_callback"] = [hear]
    else:
        monkeypatch.setattr(litellm, "success_callback", [hear])
    monkeypatch.setattr(litellm, "_async_success_callback", [])
    async with FakeProvider() as provider:
        gateway = LitellmGateway(
            api_base=provider.base_url, api_key="none", options=options
        )
        judge = VotingJudge(gateway, model="openai/gpt-4.1-mini", votes="single")
        assert isinstance(await ask_one(judge, need(), book.context), Judged)
        with anyio.fail_after(5):
            await heard.wait()
        await judge.aclose()


async def test_no_report_is_made_where_nobody_reads_it(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    logging = import_module("litellm.litellm_core_utils.litellm_logging")
    made: list[object] = []

    async def make(self: object, **_: object) -> None:
        made.append(self)

    monkeypatch.setattr(logging.Logging, "async_success_handler", make)
    async with FakeProvider() as provider:
        judge = judge_at(provider.base_url)
        assert isinstance(await ask_one(judge, need(), book.context), Judged)
        await judge.aclose()
    await anyio.wait_all_tasks_blocked()
    assert made == []


async def test_an_extraction_over_http(book: Book) -> None:
    schema = {
        "type": "object",
        "properties": {"claims": {"type": "array", "items": {"type": "string"}}},
    }
    async with FakeProvider() as provider:
        judge = judge_at(provider.base_url)
        wanted = Extract(
            extract_id="c",
            instruction="List the claims.",
            materials=need().materials,
            schema=schema,
        )
        answer = await judge.extract(wanted, book.context)
        await judge.aclose()
    assert answer == Extracted(data={"claims": ["text"]})
    assert provider.requests[0]["response_format"]["json_schema"]["strict"] is False
    agree(book, provider)


async def test_closing_is_safe_before_the_first_call_and_twice(book: Book) -> None:
    async with FakeProvider() as provider:
        judge = judge_at(provider.base_url)
        for _ in range(2):
            await judge.aclose()
        assert isinstance(await ask_one(judge, need(), book.context), Judged)
        for _ in range(2):
            await judge.aclose()
    assert len(provider.requests) == 1


async def test_a_gateway_works_again_after_another_was_closed(book: Book) -> None:
    async with FakeProvider() as provider:
        for _ in range(2):
            judge = judge_at(provider.base_url)
            assert isinstance(await ask_one(judge, need(), book.context), Judged)
            await judge.aclose()


async def test_closing_one_gateway_leaves_the_others_alone(book: Book) -> None:
    async with FakeProvider(latency_ms=200) as provider:
        first, second = (
            judge_at(provider.base_url, max_retries=0),
            judge_at(provider.base_url, max_retries=0),
        )
        answers: list[object] = []

        async def slow() -> None:
            answers.append(await ask_one(second, need(), book.context))

        assert isinstance(await ask_one(first, need(), book.context), Judged)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(slow)
            await anyio.sleep(0.1)
            await first.aclose()
        await second.aclose()
    assert [type(answer) for answer in answers] == [Judged]


def test_two_event_loops_do_not_disturb_each_other() -> None:
    def in_its_own_loop(delay_s: float) -> bool:
        async def run() -> bool:
            async with FakeProvider(latency_ms=delay_s * 1000) as provider:
                judge = judge_at(provider.base_url, max_retries=0)
                answer = await ask_one(judge, need(), Book().context)
                await judge.aclose()
            return isinstance(answer, Judged)

        return anyio.run(run)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(in_its_own_loop, [0.4, 0.1])) == [True, True]
    assert in_its_own_loop(0.0)


async def test_a_server_of_ones_own_needs_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with FakeProvider() as provider:
        gateway = LitellmGateway(api_base=provider.base_url)
        call = ModelCall(
            model="openai/gpt-4.1-mini",
            messages=({"role": "user", "content": "Question: TRUTH:yes?"},),
        )
        assert (await gateway.complete(call)).text.endswith("yes")
        await gateway.aclose()


class Failure(Exception):
    """An error with the attributes that the client library's errors have."""

    def __init__(
        self, message: str, status: int | None, headers: dict[str, str] | None
    ) -> None:
        super().__init__(message)
        self.status_code = status
        self.litellm_response_headers = headers


@pytest.mark.parametrize(
    ("status", "message", "error_type"),
    [
        (400, "bad request", "rejected"),
        (
            400,
            "'response_format' of type 'json_schema' is not supported",
            "structured_output_rejected",
        ),
        (401, "no key", "access_denied"),
        (403, "forbidden", "access_denied"),
        (403, "the input was flagged", "refused"),
        (404, "no such model", "access_denied"),
        (400, "API key not valid. Please pass a valid API key.", "access_denied"),
        (408, "slow", "timeout"),
        (409, "conflict", "unavailable"),
        (422, "unprocessable", "rejected"),
        (429, "slow down", "rate_limited"),
        (429, "You exceeded your current quota", "access_denied"),
        (500, "oops", "unavailable"),
        (503, "busy", "unavailable"),
        (529, "overloaded", "unavailable"),
    ],
)
def test_statuses(status: int, message: str, error_type: str) -> None:
    assert (
        judge_error(Failure(message, status, {"x": "y"}), structured=True).error_type
        == error_type
    )
    plain = judge_error(
        Failure(message, status, {"x": "y"}), structured=False
    ).error_type
    assert plain == (
        "rejected" if error_type == "structured_output_rejected" else error_type
    )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert (
        judge_error(
            Failure("x", 429, {"a": "b", **headers}), structured=False
        ).retry_after_s
        == seconds
    )


def test_an_error_without_an_answer_may_have_been_billed() -> None:
    assert (
        judge_error(Failure("lost", 500, None), structured=False).error_type
        == "connection_broken"
    )


def test_messages_are_one_bounded_line() -> None:
    text = str(judge_error(Failure("a\nb " * 500, 500, {"x": "y"}), structured=False))
    assert "\n" not in text
    assert len(text) < 310


def test_a_schema_is_strict_only_where_it_can_be() -> None:
    assert is_strict(VERDICT_SCHEMA)
    assert not is_strict({"type": "object", "properties": {"a": {}}})
    assert not is_strict(
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    )
    assert not is_strict({"type": "array", "items": [{"type": "object"}]})
    call = ModelCall(model="m", messages=(), response_schema=VERDICT_SCHEMA)
    assert asked_for(call)["response_format"]["json_schema"]["strict"] is True


def test_the_call_is_sent_as_it_is_keyed() -> None:
    call = ModelCall(
        model="m", messages=(), parameters={"temperature": 0.3, "seed": 4}, timeout_s=9
    )
    gateway = LitellmGateway(options={"api_version": "1"})
    sent = gateway._arguments(replace(call, response_schema={"type": "object"}))
    assert (
        sent["temperature"],
        sent["seed"],
        sent["timeout"],
        sent["api_version"],
    ) == (0.3, 4, 9, "1")
    assert gateway._arguments(replace(call, timeout_s=0.2))["timeout"] == 1
    assert (sent["max_retries"], sent["num_retries"]) == (0, 0)


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (
            "litellm.InternalServerError: InternalServerError: OpenAIException - Set OPENAI_API_KEY",
            "Set OPENAI_API_KEY",
        ),
        ("litellm.RateLimitError: slow: down", "slow: down"),
        ("ValueError: ", "ValueError: "),
        ("Error in the model", "Error in the model"),
    ],
)
def test_a_message_is_told_without_the_names_of_classes(raised: str, told: str) -> None:
    error = judge_error(Failure(raised, 500, {}), structured=False)
    assert str(error) == told.strip()
