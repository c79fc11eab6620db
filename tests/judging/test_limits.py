"""Slots, rate limits, circuit breaker and retry budget, by the clock of the test."""

from __future__ import annotations

import itertools
from dataclasses import replace

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.gateway import ModelCall
from judgemesh.mesh.judging.client.breaker import Breaker, RetryBudget
from judgemesh.mesh.judging.client.channel import Channels
from judgemesh.mesh.judging.client.limits import RateLimit, Window
from judgemesh.mesh.judging.client.warm_up import CacheWarmUp, prefix_key
from judgemesh.mesh.judging.errors import CircuitOpen
from judgemesh.prompts.json_text import JsonText


@pytest.mark.anyio
async def test_a_window_lets_in_as_many_as_it_has_places_in_order() -> None:
    window, order = Window(2), list[int]()

    async def work(number: int) -> None:
        await window.enter()
        order.append(number)
        assert window.in_flight <= 2
        await anyio.sleep(0.001)
        window.leave()

    async with anyio.create_task_group() as tasks:
        for number in range(9):
            tasks.start_soon(work, number)
            await anyio.lowlevel.checkpoint()
    assert order == list(range(9))
    assert window.in_flight == 0


@pytest.mark.anyio
async def test_calls_of_the_result_that_was_begun_first_go_first() -> None:
    window, order = Window(1), list[tuple[int, int]]()

    async def work(begun: int, number: int) -> None:
        await window.enter(begun)
        order.append((begun, number))
        await anyio.lowlevel.checkpoint()
        window.leave()

    asked = [(3, 0), (1, 0), (2, 0), (1, 1), (3, 1), (0, 0)]
    await window.enter()
    async with anyio.create_task_group() as tasks:
        for begun, number in asked:
            tasks.start_soon(work, begun, number)
            await anyio.lowlevel.checkpoint()
        window.leave()
    assert order == sorted(asked)
    assert (window.in_flight, window.is_awaited()) == (0, False)


@pytest.mark.anyio
async def test_a_call_that_gave_up_is_not_waited_for() -> None:
    window = Window(1)
    await window.enter()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(window.enter, 1)
        await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert not window.is_awaited()
    window.leave()
    with anyio.fail_after(1):
        await window.enter(2)
    assert window.in_flight == 1


@pytest.mark.anyio
async def test_a_wait_that_was_abandoned_takes_no_place() -> None:
    window = Window(1)
    await window.enter()
    waiting = window.enter()
    waiting.send(None)
    waiting.close()
    assert not window.is_awaited()
    window.leave()
    assert window.in_flight == 0


@pytest.mark.anyio
async def test_a_window_knows_whether_a_place_given_back_is_taken_at_once() -> None:
    window, seen = Window(2), list[bool]()
    await window.enter()
    await window.enter()
    seen.append(window.is_awaited())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(window.enter)
        await anyio.lowlevel.checkpoint()
        seen.append(window.is_awaited())
        window.too_many(started=0.0, now=1.0)
        seen.append(window.is_awaited())  # one place is left, and two are taken
        window.leave()
        seen.append(window.is_awaited())
        window.leave()
    seen += [window.is_awaited(), window.is_awaited(others=True)]
    assert seen == [False, True, False, True, False, True]


@pytest.mark.anyio
async def test_a_cancelled_wait_gives_its_place_back() -> None:
    window = Window(1)

    async def use() -> None:
        await window.enter()
        try:
            await anyio.sleep(10)
        finally:
            window.leave()

    await window.enter()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(use)
        await anyio.sleep(0.001)
        window.leave()  # hands the place over, and in the same moment the wait is cancelled
        tasks.cancel_scope.cancel()
    with anyio.fail_after(1):
        await window.enter()
    assert window.in_flight == 1


def test_429_halves_once_for_all_calls_of_its_time_and_answers_grow_back() -> None:
    window = Window(16)
    window.too_many(started=0.0, now=1.0)
    window.too_many(started=0.5, now=1.1)  # sent before the shrinking: no news
    assert window.size == 8
    window.too_many(started=1.2, now=1.3)
    assert window.size == 4
    for _ in range(4):
        window.answered()
    assert window.size == pytest.approx(
        4.9, abs=0.1
    )  # about one more for a round of answers
    for _ in range(1000):
        window.answered()
    assert window.size == 16
    for number in range(20):
        window.too_many(started=3.0 + number, now=3.5 + number)
    assert window.size == 1


def test_a_failing_server_stops_the_growth_for_one_round_of_answers() -> None:
    window = Window(8)
    window.too_many(0.0, 0.0)
    window.troubled()
    for _ in range(4):
        window.answered()
    assert window.size == 4
    window.answered()
    assert window.size > 4


@given(
    rate=st.floats(1, 6000), arrivals=st.lists(st.floats(0, 5), min_size=1, max_size=80)
)
def test_a_rate_limit_is_never_exceeded(rate: float, arrivals: list[float]) -> None:
    limit, now, slots = RateLimit(rate), 0.0, list[float]()
    for gap in arrivals:
        now += gap
        slots.append(now + limit.reserve(now))
    apart = 60 / rate
    assert all(
        later - earlier >= apart * (1 - 1e-9) - 1e-6
        for earlier, later in itertools.pairwise(slots)
    )


def test_a_rate_limit_lets_ten_a_second_through_and_not_nineteen() -> None:
    limit = RateLimit(600)
    assert sum(limit.reserve(0.0) < 0.95 for _ in range(50)) == 10


def test_weights_share_a_rate_limit() -> None:
    limit = RateLimit(60_000)
    assert [limit.reserve(0.0, weight=6000) for _ in range(3)] == [0.0, 6.0, 12.0]


def test_the_circuit_opens_at_half_of_twenty_calls() -> None:
    breaker = Breaker()
    for _ in range(9):
        breaker.record(breaker.check(0.0), failed=True, now=0.0)
    number = breaker.check(0.0)  # nine failures are too few to tell
    breaker.record(number, failed=True, now=0.0)
    with pytest.raises(CircuitOpen, match="in 30 s"):
        breaker.check(0.0)
    probe = breaker.check(30.0)
    with pytest.raises(CircuitOpen):
        breaker.check(30.0)  # one call finds out, not all
    breaker.gave_up(number)  # an old call that ends now is not the one that finds out
    with pytest.raises(CircuitOpen):
        breaker.check(30.0)
    breaker.record(probe, failed=True, now=31.0)
    breaker.gave_up(probe)
    with pytest.raises(CircuitOpen):
        breaker.check(60.0)
    breaker.gave_up(
        breaker.check(61.0)
    )  # cancelled: nobody knows, so the next call finds out
    breaker.record(breaker.check(61.0), failed=False, now=62.0)
    breaker.check(62.0)
    breaker.check(62.0)


def test_one_fault_in_ten_opens_nothing() -> None:
    breaker = Breaker()
    for step in range(500):
        breaker.record(
            breaker.check(float(step)), failed=step % 10 == 0, now=float(step)
        )


def test_time_outs_that_come_back_in_a_row_are_taken_in_the_order_they_were_sent() -> (
    None
):
    breaker = Breaker()
    sent = [breaker.check(0.0) for _ in range(1000)]
    for number in sent:
        if number % 20:
            breaker.record(number, failed=False, now=0.1)
    for number in sent:
        if not number % 20:
            breaker.record(
                number, failed=True, now=2.0
            )  # fifty in a row, one in twenty of what was sent
    breaker.check(2.0)
    for number in [breaker.check(3.0) for _ in range(20)]:
        breaker.record(
            number, failed=bool(number % 2), now=5.0
        )  # every second one of twenty
    with pytest.raises(CircuitOpen):
        breaker.check(5.0)


def test_retries_are_a_share_of_the_calls() -> None:
    budget = RetryBudget(share=0.1, reserve=3)
    granted = 0
    for _ in range(1000):
        budget.first()
        granted += budget.take()
    assert 100 <= granted <= 103


def call(result: str, question: str) -> ModelCall:
    return ModelCall(
        model="m", messages=({"content": "Judge."}, {"content": result + question})
    )


def test_what_is_shared_is_told_from_what_is_asked() -> None:
    long, other = "a" * 24_000, "b" * 24_000
    assert prefix_key(call(long, "Is it polite?")) == prefix_key(
        call(long, "Does it name the date of the trip?")
    )
    assert prefix_key(call(long, "Is it polite?")) != prefix_key(
        call(other, "Is it polite?")
    )
    assert prefix_key(call("short", "Is it polite?")) is None


def prompt(result: str, question: str) -> ModelCall:
    asked = JsonText.joined(["Read this.", result, "Question: ", question])
    return ModelCall(model="m", messages=({"content": "Judge."}, {"content": asked}))


def test_prompts_share_what_stands_before_their_question() -> None:
    long, other = "a" * 24_000, "a" * 23_999 + "b"
    key = prefix_key(prompt(long, "Is it polite?"))
    assert key == prefix_key(prompt(long, "Does it name the date of the trip?"))
    assert key != prefix_key(prompt(other, "Is it polite?"))
    assert key != prefix_key(replace(prompt(long, "Is it polite?"), model="n"))
    assert prefix_key(prompt("short", "Is it polite?")) is None
    assert prefix_key(prompt("short", "Is it polite? " * 1000)) is not None


@pytest.mark.anyio
async def test_one_call_goes_ahead_and_the_rest_follow_together() -> None:
    warm_up, finished, at_once, most = CacheWarmUp(), list[int](), 0, 0

    async def ask(number: int) -> None:
        nonlocal at_once, most
        async with warm_up.turn(call("a" * 24_000, f"Question {number}?")):
            assert number == 0 or finished[0] == 0
            at_once += 1
            most = max(most, at_once)
            await anyio.sleep(0.01)
            at_once -= 1
            finished.append(number)

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(ask, number)
            await anyio.lowlevel.checkpoint()
    assert most == 7


@pytest.mark.anyio
@pytest.mark.parametrize("others", [0, 3])
async def test_the_first_call_says_when_the_rest_may_follow(others: int) -> None:
    warm_up, gone = CacheWarmUp(), list[int]()

    async def ask(number: int) -> None:
        async with warm_up.turn(call("a" * 24_000, f"Question {number}?")) as turn:
            gone.append(number)
            assert turn.end() is False

    first = warm_up.turn(call("a" * 24_000, "Question?"))
    async with anyio.create_task_group() as tasks, first:
        for number in range(others):
            tasks.start_soon(ask, number)
        await anyio.wait_all_tasks_blocked()
        assert gone == []
        assert first.end() is (others > 0)
        await anyio.wait_all_tasks_blocked()
        assert len(gone) == others


def test_one_model_has_one_channel() -> None:
    channels = Channels()
    assert channels.channel("litellm", "a") is channels.channel("litellm", "a")
    assert channels.channel("litellm", "a") is not channels.channel("litellm", "b")
