"""The lean gateway, and every way of asking a provider, against a real HTTP server on 127.0.0.1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import anyio
import pytest

from judgemesh.contracts.errors import ConfigError, JudgeRefused
from judgemesh.contracts.needs import Ask, Extract, Extracted, Material
from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.client.capabilities import Structure
from judgemesh.mesh.judging.client.channel import Channels
from judgemesh.mesh.judging.client.client import Client
from judgemesh.mesh.judging.client.retry import RetryPolicy
from judgemesh.mesh.judging.client.sample import Sample, SampleAnswer
from judgemesh.mesh.judging.ensembles.probability import (
    Probabilities,
    Probability,
    ProbabilityAnswer,
)
from judgemesh.mesh.judging.gateways.litellm import LitellmGateway
from judgemesh.mesh.judging.gateways.open import model_of, open_gateway
from judgemesh.mesh.judging.gateways.openai_http import HttpGateway
from judgemesh.mesh.judging.gateways.simulated import Behaviour, ProviderFault
from judgemesh.mesh.judging.prompting.frame import frame
from judgemesh.mesh.judging.replies.parse import (
    VERDICT_SCHEMA,
    VerdictReading,
    read_verdict,
)
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.testing.fake_provider import FakeProvider
from judgemesh.prompts.loader import load

from .conftest import Book

pytestmark = pytest.mark.anyio

POLICY = RetryPolicy(base_s=0.005, cap_s=0.02, retry_after_cap_s=0.05)
MODEL = "gpt-4.1-mini"


def client_at(provider: FakeProvider, **options: Any) -> Client:
    given: dict[str, Any] = {
        "model": MODEL,
        "policy": POLICY,
        "parameters": {"temperature": 0.0, "max_tokens": 200},
        "timeout_s": 2.0,
        **options,
    }
    return Client(HttpGateway(api_base=provider.base_url), **given)


def sample(
    book: Book, text: str = "TRUTH:yes", sample_index: int = 0
) -> Sample[VerdictReading]:
    prompt = load("yes_no.v1")
    return Sample(
        question_id="q",
        prompt=prompt,
        framed=frame(prompt, (Material("final_answer", text),), criterion="Is it so?"),
        schema=VERDICT_SCHEMA,
        read=read_verdict,
        context=book.context,
        sample_index=sample_index,
    )


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
@pytest.mark.parametrize(
    ("options", "structure", "requests"),
    [
        ({}, Structure.SCHEMA, 1),
        ({"structured": False}, Structure.TOOL, 2),
        ({"structured": False, "tools": False}, Structure.TEXT, 3),
    ],
)
async def test_the_best_way_that_a_provider_takes_is_found_by_asking_and_remembered(
    book: Book, truth: str, options: dict[str, Any], structure: Structure, requests: int
) -> None:
    async with FakeProvider(**options) as provider:
        client = client_at(provider)
        answers = [
            await client.ask(sample(book, f"TRUTH:{truth}", index))
            for index in range(3)
        ]
        await client.aclose()
    assert [answer.value.vote for answer in answers] == [Vote(truth)] * 3
    assert client.capabilities.structure is structure
    assert provider.bill().requests == requests + 2
    agree(book, provider)


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
async def test_every_fault_is_a_fault(
    book: Book, fault: ProviderFault, error_type: str, attempts: int, billed: bool
) -> None:
    async with FakeProvider(
        schedule=[fault] * 10, hang_s=3.0, retry_after_s=0.01
    ) as provider:
        judge = VotingJudge(
            HttpGateway(api_base=provider.base_url),
            model=MODEL,
            policy=POLICY,
            timeout_s=0.15,
        )
        answer = await judge.extract(
            Extract(
                extract_id="x",
                instruction="List.",
                materials=(Material("a", "b"),),
                schema={"type": "object"},
            ),
            book.context,
        )
        await judge.aclose()
    assert not isinstance(answer, Extracted)
    assert answer.error_type == error_type
    assert [row.error_type for row in book.attempts] == [error_type] * attempts
    assert all((row.cost is not None) == billed for row in book.attempts)
    assert provider.bill().requests == attempts


async def test_a_server_that_is_not_there(book: Book) -> None:
    client = Client(
        HttpGateway(api_base="http://127.0.0.1:9"),
        model=MODEL,
        policy=replace(POLICY, max_retries=0),
    )
    with pytest.raises(
        Exception, match=r"cannot connect to http://127.0.0.1:9: "
    ) as caught:
        await client.ask(sample(book))
    await client.aclose()
    assert type(caught.value).__name__ == "Unreachable"
    assert [(row.error_type, row.cost is not None) for row in book.attempts] == [
        ("unreachable", True)
    ]


async def test_a_context_overflow_is_rejected_and_not_asked_again(book: Book) -> None:
    async with FakeProvider(Behaviour(context_tokens=10)) as provider:
        client = client_at(provider)
        with pytest.raises(Exception, match="maximum context length") as caught:
            await client.ask(sample(book))
        await client.aclose()
    assert type(caught.value).__name__ == "JudgeRejected"
    assert provider.bill().requests == 1


def test_a_key_is_only_told_to_whom_it_belongs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.delenv("JUDGEMESH_JUDGE_API_KEY", raising=False)
    assert (
        "Authorization"
        not in vars(HttpGateway(api_base="http://127.0.0.1:1/v1"))["_headers"]
    )
    assert vars(HttpGateway())["_headers"]["Authorization"] == "Bearer sk-openai"
    monkeypatch.setenv("JUDGEMESH_JUDGE_API_KEY", "mine")
    assert (
        vars(HttpGateway(api_base="http://127.0.0.1:1/v1"))["_headers"]["Authorization"]
        == "Bearer mine"
    )


@pytest.mark.parametrize(
    ("spec", "base"),
    [
        ("openai-compatible:", None),
        ("openai-compatible:m", "ftp://x"),
        ("openai-compatible:m", "x"),
    ],
)
def test_what_names_no_server_is_said_in_one_line(spec: str, base: str | None) -> None:
    with pytest.raises(ConfigError, match="--judge"):
        open_gateway(spec, api_base=base)


def test_the_specification_names_the_model() -> None:
    gateway = open_gateway(
        "openai-compatible:org/model", api_base="http://user:secret@127.0.0.1:8000/v1"
    )
    assert model_of("openai-compatible:org/model", gateway) == "org/model"
    assert (
        gateway.name == "openai-compatible 127.0.0.1:8000/v1"
    )  # goes into ledger and cache: no secret in it


def ask(question: str) -> Ask:
    return Ask(
        question_id=question[:1],
        question=question,
        materials=(Material("final_answer", "Dear all, ..."),),
    )


QUESTIONS: Sequence[str] = (
    "A? TRUTH:yes",
    "B? TRUTH:no",
    "C? TRUTH:yes",
    "D? TRUTH:no",
    "E? TRUTH:yes",
)


@pytest.mark.parametrize("through", ["http", "litellm"])
async def test_a_decision_endpoint_takes_all_questions_about_a_result_in_one_call(
    book: Book, through: str, litellm_loaded: None
) -> None:
    async with FakeProvider(
        Behaviour(sensitivity=0.9, specificity=0.9), decisions=True
    ) as provider:
        base, model = provider.base_url, MODEL
        if through == "litellm":
            base, model = base.removesuffix("/v1"), f"openai/{MODEL}"
        gateway = (
            HttpGateway(api_base=base)
            if through == "http"
            else LitellmGateway(api_base=base, api_key="none")
        )
        client = Client(gateway, model=model, policy=POLICY)
        needs = [ask(question) for question in QUESTIONS]
        answers = await Probabilities(client).ask_many(needs, book.context)
        await client.aclose()
    assert provider.bill().requests == 1
    agree(book, provider)
    found = [answer for answer in answers if isinstance(answer, SampleAnswer)]
    assert len(found) == len(QUESTIONS)
    assert all(answer.value.backend == "decision" for answer in found)
    assert all(0 < answer.value.p < 1 for answer in found)
    assert (
        sum(answer.cost.amount for answer in found if answer.cost)
        == provider.bill().cost
    )


async def test_a_question_the_endpoint_refuses_is_a_fault_of_that_question_alone(
    book: Book,
) -> None:
    async with FakeProvider(
        schedule=[ProviderFault.REFUSAL], decisions=True
    ) as provider:
        client = client_at(provider)
        needs = [ask(question) for question in QUESTIONS[:3]]
        answers = await Probabilities(client).ask_many(needs, book.context)
        await client.aclose()
    found: list[str] = []
    for answer in answers:
        if isinstance(answer, SampleAnswer):
            found.append(answer.value.vote.value)
        else:
            found.append("refused" if isinstance(answer, JudgeRefused) else "none")
    assert sorted(found) == ["no", "refused", "yes"]


@pytest.mark.parametrize(
    ("logprobs", "backend", "requests"),
    [("give", "first_token", 4), ("ignore", None, 2), ("reject", None, 2)],
)
async def test_what_a_provider_has_is_found_by_asking_once(
    book: Book, logprobs: Any, backend: str | None, requests: int
) -> None:
    async with FakeProvider(logprobs=logprobs) as provider:
        client = client_at(provider)
        probabilities = Probabilities(client)
        answers: list[ProbabilityAnswer] = []
        for question in QUESTIONS[:3]:
            answers += await probabilities.ask_many([ask(question)], book.context)
        await client.aclose()
    values = [
        answer.value if isinstance(answer, SampleAnswer) else answer
        for answer in answers
    ]
    if backend is None:
        assert values == [None] * 3
    else:
        found = [value for value in values if isinstance(value, Probability)]
        assert [value.backend for value in found] == [backend] * 3
        assert [value.vote.value for value in found] == ["yes", "no", "yes"]
    assert client.capabilities.decisions is False
    assert client.capabilities.logprobs is (backend is not None)
    assert provider.bill().requests == requests
    agree(book, provider)


async def test_a_rate_is_kept_by_the_clients_of_a_model_together(book: Book) -> None:
    times: list[float] = []

    class Timed(HttpGateway):
        async def complete(self, call: Any) -> Any:
            times.append(anyio.current_time())
            return await super().complete(call)

    async with FakeProvider() as provider:
        channels = Channels(requests_per_minute=1200)
        gateways = [Timed(api_base=provider.base_url) for _ in range(2)]
        clients = [
            Client(gateway, model=MODEL, channels=channels) for gateway in gateways
        ]
        async with anyio.create_task_group() as tasks:
            for index in range(10):
                tasks.start_soon(
                    clients[index % 2].ask, sample(book, f"TRUTH:yes {index}")
                )
        for client in clients:
            await client.aclose()
    assert times[-1] - times[0] >= 0.4  # ten at twenty a second
