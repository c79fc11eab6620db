from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.judging.gateways.simulated import (
    Behaviour,
    PrefixCache,
    ProviderFault,
    answer_text,
    content_of,
    draw,
    fault_of,
    instance_of,
    last_text,
    token_count,
    truth_of,
    verdict_of,
)


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("TRUTH:yes\nQuestion: Is it polite?", "yes"),
        ("TRUTH: no\nQuestion: Is it polite?", "no"),
        ("truth:No\nQuestion: Is it polite?", "no"),
        ("TRUTH:yes TRUTH(polite):no\nQuestion: Is it Polite?", "no"),
        ("TRUTH:yes TRUTH(polite):no\nQuestion: Is it short?", "yes"),
        ("TRUTH:yes\nQuestion: Is it polite? TRUTH:no", "no"),
        (
            "TRUTH(polite):yes\nQuestion: not this one\nTRUTH:yes\nQuestion: polite, TRUTH:no?",
            "no",
        ),
        ("Is TRUTH:yes so?", "yes"),
    ],
)
def test_the_truth_stands_in_the_marker(text: str, truth: str) -> None:
    assert truth_of(text) == truth


def test_without_marker_it_is_a_coin_that_follows_the_seed() -> None:
    thrown = [truth_of(f"Question: {number}?", seed=3) for number in range(400)]
    assert thrown == [truth_of(f"Question: {number}?", seed=3) for number in range(400)]
    assert thrown != [truth_of(f"Question: {number}?", seed=4) for number in range(400)]
    assert 150 < thrown.count("yes") < 250


@pytest.mark.parametrize(("truth", "rate"), [("yes", 0.9), ("no", 0.7)])
def test_sensitivity_and_specificity_are_met(truth: str, rate: float) -> None:
    behaviour = Behaviour(sensitivity=0.9, specificity=0.7, seed=1)
    texts = [f"TRUTH:{truth}\nQuestion: {number}?" for number in range(2000)]
    right = sum(verdict_of(text, text, behaviour) == truth for text in texts)
    assert abs(right / 2000 - rate) < 4 * (rate * (1 - rate) / 2000) ** 0.5


def test_faults_come_at_their_rate_in_every_kind_and_may_pass() -> None:
    behaviour = Behaviour(fault_rate=0.1, seed=2)
    faults = [fault_of(str(number), 0, behaviour) for number in range(3000)]
    hit = [fault for fault in faults if fault is not None]
    assert abs(len(hit) / 3000 - 0.1) < 0.025
    assert set(hit) == set(ProviderFault)
    stuck = [
        number
        for number, fault in enumerate(faults)
        if fault and fault_of(str(number), 1, behaviour)
    ]
    assert len(stuck) < len(hit) / 3


@given(st.lists(st.text(), max_size=3))
def test_a_draw_lies_in_its_range(parts: list[str]) -> None:
    assert 0 <= draw(*parts) < 1


def test_what_is_drawn_on_is_the_content() -> None:
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "temperature": 0,
    }
    assert content_of(body) == content_of({**body, "temperature": 1, "max_tokens": 5})
    assert content_of(body) != content_of(
        {**body, "seed": 1}
    )  # another vote on the same question
    assert (
        last_text([{"content": [{"type": "text", "text": "a"}, {"text": "b"}]}]) == "ab"
    )
    assert last_text([]) == ""


def wanted(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}


def test_the_form_of_the_answer_is_the_one_asked_for() -> None:
    assert answer_text("no", None).splitlines()[-1] == "no"
    assert json.loads(answer_text("no", {"type": "json_object"}))["verdict"] == "no"
    assert (
        json.loads(answer_text("no", wanted({"properties": {"verdict": {}}})))[
            "verdict"
        ]
        == "no"
    )
    assert json.loads(
        answer_text(
            "no", wanted({"type": "object", "properties": {"n": {"type": "integer"}}})
        )
    ) == {"n": 1}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"const": 3}, 3),
        ({"enum": ["a", "b"]}, "a"),
        ({"type": ["null", "string"]}, None),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2}, [True, True]),
        ({"properties": {"a": {"type": "number"}}}, {"a": 1.5}),
        ({}, "text"),
    ],
)
def test_instances(schema: dict[str, Any], value: object) -> None:
    assert instance_of(schema) == value


def test_prefixes_that_were_seen_before_are_cached() -> None:
    cache, shared = PrefixCache(), "s" * 5120
    assert cache.cached_tokens(shared + "a" * 600, model="m") == 0
    assert cache.cached_tokens(shared + "b" * 600, model="m") == 1280
    assert cache.cached_tokens(shared + "b" * 600, model="other") == 0
    assert cache.cached_tokens("x" + shared, model="m") == 0
    assert cache.cached_tokens(shared, model="m") == 1280


def test_tokens_follow_the_length() -> None:
    assert [token_count(text) for text in ("", "abcd", "abcde", "ä" * 4, "\ud800")] == [
        1,
        1,
        2,
        2,
        1,
    ]


@pytest.mark.parametrize(
    "wrong", [{"fault_rate": 1.1}, {"sensitivity": -0.1}, {"specificity": float("nan")}]
)
def test_rates_lie_between_0_and_1(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must lie in 0\.\.1"):
        Behaviour(**wrong)  # type: ignore[arg-type]
