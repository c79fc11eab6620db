"""Whether the answers of one call sway each other: noticed where they do, and nobody accused where they do not."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from judgemesh.mesh.calibration.batch_effect import (
    MIN_CALLS,
    Answered,
    Halo,
    calls_by_model,
    measure,
)
from judgemesh.mesh.ledger.opinions import AuditedQuestion


def world(
    calls: int, *, halo: float = 0.0, mild: float = 0.0, seed: int = 0, size: int = 8
) -> list[list[Answered]]:
    """Calls about results of every quality, judged together and alone with sensitivity and specificity .8."""
    draw = random.Random(seed)  # noqa: S311 - a simulation
    found: list[list[Answered]] = []
    for _ in range(calls):
        good = draw.betavariate(1.5, 1.5)
        call: list[Answered] = []
        said: list[bool] = []
        for place, question in enumerate(draw.sample(range(size), size)):
            true = draw.random() < good
            together, alone = (
                draw.random() < (0.8 if true else 0.2) + more for more in (mild, 0.0)
            )
            if said and draw.random() < halo:
                together = sum(said) * 2 > len(said) or (
                    sum(said) * 2 == len(said) and said[-1]
                )
            said.append(together)
            call.append(Answered(f"c{question}", place, _word(together), _word(alone)))
        found.append(call)
    return found


def _word(answer: bool) -> str:
    return "yes" if answer else "no"


def alarms(make: Callable[[int], list[list[Answered]]], runs: int) -> int:
    return sum(measure(make(seed), seed=seed, swaps=199).alarm for seed in range(runs))


def test_a_halo_is_noticed() -> None:
    assert alarms(lambda seed: world(60, halo=0.6, seed=seed), 4) == 4


def test_a_judge_without_one_is_not_accused_whatever_its_results_are_like() -> None:
    assert (
        alarms(lambda seed: world(40, seed=seed), 12) <= 2
    )  # .3 expected at alpha .025; 3 or more: p < .004
    assert alarms(lambda seed: world(40, mild=0.15, seed=seed), 6) <= 1


def test_what_it_says() -> None:
    swayed, clean = measure(world(80, halo=0.6, seed=1)), measure(world(80, seed=1))
    assert swayed.excess is not None
    assert swayed.interval is not None
    assert 0.1 < swayed.interval[0] < swayed.excess < swayed.interval[1]
    assert "sway each other" in swayed.sentence()
    assert (swayed.alarm, clean.alarm) == (True, False)
    assert "agree no more" in clean.sentence()
    assert (swayed.calls, swayed.questions) == (80, 640)
    assert measure(world(80, halo=0.6, seed=1)) == swayed
    assert swayed.to_json()["alarm"] is True


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ([], "0 calls asked both ways: too few"),
        (world(MIN_CALLS - 1, halo=1.0), "too few to tell"),
        ([call[:1] for call in world(50)], "0 calls"),
        ([[Answered(f"c{n}", n, "yes", "yes") for n in range(4)]] * 40, "do not vary"),
    ],
)
def test_too_little_to_tell_is_said_and_no_alarm(
    calls: list[list[Answered]], words: str
) -> None:
    found = measure(calls)
    assert not found.enough
    assert not found.alarm
    assert words in found.sentence()
    assert found.to_json()["p_value"] is None


def test_questions_that_are_asked_once_each_are_compared_all_the_same() -> None:
    found = measure(
        [
            [Answered(f"{n}:{one.question}", *_rest(one)) for one in call]
            for n, call in enumerate(world(60, halo=0.8))
        ]
    )
    assert found.alarm


def _rest(one: Answered) -> tuple[int, str, str]:
    return one.position, one.together, one.alone


def audit(call: str, position: int, **facts: str) -> AuditedQuestion:
    said = {"model": "m", "together": "yes", "alone": "no", **facts}
    return AuditedQuestion(
        criterion=f"c{position}", call=call, position=position, **said
    )


def test_audits_are_told_apart_by_call_and_model() -> None:
    audits = [
        audit("x", 1),
        audit("x", 0),
        audit("x", 0, model="other"),
        audit("y", 0),
        audit("y", 1, alone="cannot_assess"),
    ]
    found = calls_by_model(audits)
    assert {model: [len(call) for call in calls] for model, calls in found.items()} == {
        "m": [2, 2],
        "other": [1],
    }
    assert measure(found["m"]) == Halo(calls=2, questions=4, changed=1.0)
