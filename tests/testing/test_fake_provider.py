from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import anyio
import httpx
import pytest

from judgemesh.contracts.usage import Usage
from judgemesh.mesh.judging.gateways.simulated import Behaviour, ProviderFault
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.testing.fake_provider import FakeProvider

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=5, trust_env=False) as opened:
        yield opened


def body(
    text: str = "TRUTH:yes\nQuestion: so?", model: str = "gpt-4.1-mini", **more: Any
) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": text}], **more}


async def ask(
    client: httpx.AsyncClient, provider: FakeProvider, **more: Any
) -> httpx.Response:
    return await client.post(f"{provider.base_url}/chat/completions", json=body(**more))


async def bill(client: httpx.AsyncClient, provider: FakeProvider) -> dict[str, Any]:
    return dict(
        (await client.get(provider.base_url.removesuffix("/v1") + "/bill")).json()
    )


async def test_a_completion_and_its_bill(client: httpx.AsyncClient) -> None:
    async with FakeProvider() as provider:
        reply = (await ask(client, provider)).json()
        said = await bill(client, provider)
        models = (await client.get(f"{provider.base_url}/models")).json()
        other = await client.post(
            provider.base_url.removesuffix("/v1") + "/chat/completions", json=body()
        )
    assert reply["choices"][0]["message"]["content"].endswith("\nyes")
    assert reply["choices"][0]["finish_reason"] == "stop"
    usage = reply["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    price = PriceBook.bundled().find("gpt-4.1-mini")
    assert price is not None
    used = Usage(
        input_tokens_uncached=usage["prompt_tokens"],
        output_tokens=usage["completion_tokens"],
    )
    assert said.pop("span_s") == 0.0
    assert said == {
        "requests": 1,
        "judged": 1,
        "faults": 0,
        "cost": pytest.approx(float(price.cost(used).amount), abs=1e-12),
    }
    assert [model["id"] for model in models["data"]] == ["gpt-4.1-mini"]
    assert other.status_code == 200


@pytest.mark.parametrize(
    ("fault", "status", "billed"),
    [
        (ProviderFault.RATE_LIMIT, 429, False),
        (ProviderFault.SERVER_ERROR, 500, False),
        (ProviderFault.INVALID_JSON, 200, True),
        (ProviderFault.REFUSAL, 200, True),
    ],
)
async def test_faults_that_answer(
    client: httpx.AsyncClient, fault: ProviderFault, status: int, billed: bool
) -> None:
    async with FakeProvider(schedule=[fault], retry_after_s=0.25) as provider:
        reply = await ask(client, provider)
        said = await bill(client, provider)
        again = await ask(client, provider)
    assert reply.status_code == status
    assert (reply.headers.get("retry-after") == "0.25") == (
        fault is ProviderFault.RATE_LIMIT
    )
    assert (said["requests"], said["judged"], said["faults"]) == (1, 0, 1)
    assert (said["cost"] > 0) is billed
    assert again.status_code == 200
    if billed:
        message = reply.json()["choices"][0]["message"]
        assert (message["content"] is None) == (fault is ProviderFault.REFUSAL)
        assert (message["refusal"] is not None) == (fault is ProviderFault.REFUSAL)
        with pytest.raises((ValueError, TypeError)):
            json.loads(message["content"])


@pytest.mark.parametrize("fault", [ProviderFault.TRUNCATED, ProviderFault.HANG])
async def test_faults_that_break_the_connection(
    client: httpx.AsyncClient, fault: ProviderFault
) -> None:
    async with FakeProvider(schedule=[fault], hang_s=0.1) as provider:
        with pytest.raises(httpx.RemoteProtocolError):
            await ask(client, provider)
        assert (await bill(client, provider)) == {
            "requests": 1,
            "judged": 0,
            "faults": 1,
            "cost": 0,
            "span_s": 0.0,
        }
        assert (await ask(client, provider)).status_code == 200


async def test_a_hang_holds_the_connection(client: httpx.AsyncClient) -> None:
    async with FakeProvider(schedule=[ProviderFault.HANG], hang_s=60) as provider:
        with pytest.raises(httpx.ReadTimeout):
            await client.post(
                f"{provider.base_url}/chat/completions", json=body(), timeout=0.1
            )
        assert provider.bill().cost == 0
    # leaving the server with a request still held must not wait for it


async def test_connections_are_kept_and_order_changes_no_answer(
    client: httpx.AsyncClient,
) -> None:
    behaviour = Behaviour(
        sensitivity=0.5,
        fault_rate=0.3,
        faults=(ProviderFault.SERVER_ERROR,),
        seed=9,
        prompt_cache=False,
    )

    async def outcomes(numbers: list[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        async with FakeProvider(behaviour) as provider:

            async def one(number: int) -> None:
                reply = await ask(
                    client, provider, text=f"TRUTH:yes\nQuestion: {number}?"
                )
                found[number] = reply.text

            async with anyio.create_task_group() as tasks:
                for number in numbers:
                    tasks.start_soon(one, number)
        return found

    forward = await outcomes(list(range(60)))
    assert forward == await outcomes(list(range(59, -1, -1)))
    assert {"error" in text for text in forward.values()} == {True, False}
    assert {"is yes" in text for text in forward.values() if "error" not in text} == {
        True,
        False,
    }


async def test_one_connection_serves_many_requests() -> None:
    async with (
        FakeProvider() as provider,
        httpx.AsyncClient(
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            trust_env=False,
        ) as client,
    ):
        for _ in range(5):
            await ask(client, provider)
        assert len(provider._connections) == 1


async def test_prompt_caching_is_reported_and_priced(client: httpx.AsyncClient) -> None:
    text = "record " * 2000 + "TRUTH:yes\nQuestion: "
    async with FakeProvider() as provider:
        first, second = [
            (await ask(client, provider, text=text + each)).json()["usage"]
            for each in ("a?", "b?")
        ]
        cost = provider.bill().cost
    assert first["prompt_tokens_details"]["cached_tokens"] == 0
    cached = second["prompt_tokens_details"]["cached_tokens"]
    assert 3000 < cached < second["prompt_tokens"]
    saved = cached * (Decimal("0.4") - Decimal("0.1")) / 1_000_000
    full = sum(
        Decimal(each["prompt_tokens"]) * Decimal("0.4")
        + each["completion_tokens"] * Decimal("1.6")
        for each in (first, second)
    )
    assert cost is not None
    assert abs(cost - (full / 1_000_000 - saved)) < Decimal("1e-12")


async def test_a_model_without_price_has_no_bill(client: httpx.AsyncClient) -> None:
    async with FakeProvider() as provider:
        await ask(client, provider, model="mine")
        assert (await bill(client, provider))["cost"] is None


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "no JSON"),
        (b"[]", "must be an object"),
        (b'{"messages": [{}]}', "name a model"),
        (b'{"model": "m", "messages": []}', "messages must be"),
        (b'{"model": "m", "messages": [3]}', "each message"),
        (b'{"model": "m", "messages": [{}], "stream": true}', "does not stream"),
    ],
)
async def test_a_request_that_is_wrong_is_told_so(
    client: httpx.AsyncClient, content: bytes, says: str
) -> None:
    async with FakeProvider() as provider:
        reply = await client.post(
            f"{provider.base_url}/chat/completions", content=content
        )
        assert reply.status_code == 400
        assert says in reply.json()["error"]["message"]
        assert (await client.get(f"{provider.base_url}/nothing")).status_code == 404


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"X" * 100_000,
    ],
)
async def test_bytes_that_are_no_request_are_refused(data: bytes) -> None:
    async with FakeProvider() as provider:
        host, port = (
            provider.base_url.removeprefix("http://").removesuffix("/v1").split(":")
        )
        async with await anyio.connect_tcp(host, int(port)) as stream:
            await stream.send(data)
            assert (await stream.receive()).startswith(b"HTTP/1.1 400 Bad Request")


async def test_it_must_be_started() -> None:
    provider = FakeProvider()
    with pytest.raises(RuntimeError, match="not running"):
        _ = provider.base_url
    await provider.aclose()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_its_address_and_ends_on_a_signal(
    number: signal.Signals,
) -> None:
    command = [
        sys.executable,
        "-m",
        "judgemesh.mesh.testing.fake_provider",
        "--port",
        "0",
        "--latency-ms",
        "50",
    ]
    command += [
        "--fault-rate",
        "0.1",
        "--sensitivity",
        ".9",
        "--specificity",
        ".9",
        "--seed",
        "1",
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        assert address.endswith("/v1")
        started = time.perf_counter()
        with httpx.Client(trust_env=False, timeout=10) as client:
            reply = client.post(
                f"{address}/chat/completions",
                json=body("TRUTH:yes\nQuestion: so, or not?"),
            )
            said = client.get(address.removesuffix("/v1") + "/bill").json()
        assert time.perf_counter() - started >= 0.05
        assert reply.json()["object"] == "chat.completion"
        assert (said["requests"], said["judged"], said["faults"]) == (1, 1, 0)
        process.send_signal(number)
        assert process.wait(10) == 0
        assert process.communicate()[1] == ""
    finally:
        process.kill()
        process.communicate()


def test_wrong_options_are_told_in_one_line() -> None:
    for wrong in (["--fault-rate", "2"], ["--faults", "fire"]):
        command = [sys.executable, "-m", "judgemesh.mesh.testing.fake_provider", *wrong]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


async def test_further_choices_are_draws_of_their_own_and_their_prompt_is_billed_once(
    client: httpx.AsyncClient,
) -> None:
    unsure = Behaviour(sensitivity=0.5, specificity=0.5)
    async with FakeProvider(unsure) as provider:
        one = (await ask(client, provider)).json()
        many = (await ask(client, provider, n=64)).json()
        said = await bill(client, provider)
    texts = [choice["message"]["content"] for choice in many["choices"]]
    assert [choice["index"] for choice in many["choices"]] == list(range(64))
    assert texts[0] == one["choices"][0]["message"]["content"]
    assert 16 < sum(text.endswith("\nyes") for text in texts) < 48
    assert many["usage"]["prompt_tokens"] == one["usage"]["prompt_tokens"]
    assert (
        many["usage"]["completion_tokens"] > 60 * one["usage"]["completion_tokens"] // 2
    )
    assert (said["requests"], said["judged"]) == (2, 2)


@pytest.mark.parametrize(
    ("choices", "status", "given"),
    [("give", 200, 3), ("ignore", 200, 1), ("reject", 400, 0)],
)
async def test_a_provider_may_not_know_what_choices_are(
    client: httpx.AsyncClient, choices: Any, status: int, given: int
) -> None:
    async with FakeProvider(choices=choices) as provider:
        reply = await ask(client, provider, n=3)
        single = await ask(client, provider, n=1)
        odd = await ask(client, provider, n="3")
    assert (reply.status_code, len(reply.json().get("choices", []))) == (status, given)
    assert (single.status_code, odd.status_code) == (200, 400)


async def test_several_questions_are_answered_each_for_itself_but_for_a_halo(
    client: httpx.AsyncClient,
) -> None:
    lines = [
        f"Question q{number}: number {number}? TRUTH:{'yes' if number % 2 else 'no'}"
        for number in range(1, 9)
    ]
    text = "TRUTH:yes\n\n" + "\n".join(lines) + "\n\nReply."
    async with FakeProvider() as honest, FakeProvider(Behaviour(halo=1.0)) as swayed:
        words = (await ask(client, honest, text=text)).json()["choices"][0]["message"][
            "content"
        ]
        format_ = {"type": "json_object"}
        data = (await ask(client, honest, text=text, response_format=format_)).json()
        follows = (await ask(client, swayed, text=text, response_format=format_)).json()
    assert words.splitlines()[-8:] == [
        f"q{number}: {'yes' if number % 2 else 'no'}" for number in range(1, 9)
    ]
    each = json.loads(data["choices"][0]["message"]["content"])
    assert [each[f"q{number}"]["verdict"] for number in range(1, 9)] == [
        "yes",
        "no",
    ] * 4
    alike = json.loads(follows["choices"][0]["message"]["content"])
    assert {entry["verdict"] for entry in alike.values()} == {"yes"}
