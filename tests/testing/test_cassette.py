from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgemesh.contracts.attempts import CallContext, JudgeAttempt
from judgemesh.contracts.errors import (
    ConfigError,
    JudgeError,
    JudgeRateLimited,
    JudgeRefused,
    JudgeRejected,
)
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.needs import Ask, Judged, Material, Unanswered
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.judging.client.retry import RetryPolicy
from judgemesh.mesh.judging.gateways.open import model_of, open_gateway
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.testing import RecordingJudge, ReplayJudge, ScriptedJudge

pytestmark = pytest.mark.anyio
MODEL = "openai/gpt-4.1-mini"
NEEDS = [
    Ask(
        question_id="polite",
        question="Is it polite?",
        materials=(Material("final_answer", text),),
    )
    for text in ("Dear Ms Lind", "Go away")
]


async def grade(
    judge: VotingJudge,
) -> tuple[list[Judged | Unanswered], list[JudgeAttempt]]:
    rows: list[JudgeAttempt] = []

    async def record(row: JudgeAttempt) -> None:
        rows.append(row)

    answers: list[Judged | Unanswered] = []
    for need in NEEDS:
        context = CallContext(validator_name="v", record=record)
        answers += await judge.ask_many([need], context)
    await judge.aclose()
    return answers, rows


def judge_of(gateway: RecordingJudge | ReplayJudge) -> VotingJudge:
    return VotingJudge(
        gateway, model=MODEL, votes="single", policy=RetryPolicy(base_s=0.001)
    )


async def test_a_replay_repeats_the_recording_faults_included(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    script = ScriptedJudge(
        {
            "Dear": [JudgeRateLimited("slow"), "maybe", "yes"],
            "Go away": JudgeRefused("I would rather not"),
        },
        usage=Usage(
            input_tokens_uncached=100, output_tokens=10, raw={"prompt_tokens": 100}
        ),
    )
    recorded, first_rows = await grade(judge_of(RecordingJudge(script, path)))
    replayed, second_rows = await grade(judge_of(ReplayJudge(path)))
    assert recorded == replayed
    assert isinstance(recorded[0], Judged)
    assert isinstance(recorded[1], Unanswered)
    assert [(row.error_type, row.cost, row.usage) for row in first_rows] == [
        (row.error_type, row.cost, row.usage) for row in second_rows
    ]
    assert [row.error_type for row in second_rows] == [
        "rate_limited",
        "malformed",
        None,
        "refused",
    ]
    assert ReplayJudge(path).model == MODEL
    assert script.closed


async def test_what_was_never_recorded_is_rejected_by_name(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    await grade(judge_of(RecordingJudge(ScriptedJudge("yes"), path)))
    other = ModelCall(
        model=MODEL,
        messages=({"role": "user", "content": "new"},),
        question_id="polite",
    )
    with pytest.raises(
        JudgeRejected,
        match=r"judge\.jsonl holds no answer to question 'polite', sample 0",
    ):
        await ReplayJudge(path).complete(other)


async def test_a_line_by_hand_answers_for_any_content(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    path.write_text('{"question_id": "polite", "reply": {"text": "no"}}\n\n')
    answers, _ = await grade(judge_of(ReplayJudge(path)))
    assert [answer.vote for answer in answers if isinstance(answer, Judged)] == [
        "no",
        "no",
    ]
    assert ReplayJudge(path).model is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no recorded call"),
        ("\n\n{", ":3: is not JSON"),
        ("[" * 100_000, ":1: is not JSON"),
        ("[]", ":1: must be an object"),
        ('{"question_id": "q"}', "either a reply or an error"),
        (
            '{"question_id": "q", "reply": {"text": "x"}, "error": {}}',
            "either a reply or an error",
        ),
        ('{"question_id": 3, "reply": {"text": "x"}}', "needs question_id"),
        (
            '{"question_id": "q", "sample_index": true, "reply": {"text": "x"}}',
            "sample_index",
        ),
        ('{"question_id": "q", "reply": {"txt": "x"}}', "unknown key 'txt'"),
        ('{"question_id": "q", "answer": "x"}', "unknown key 'answer'"),
        ('{"question_id": "q", "error": "x"}', "needs an error_type"),
        (
            '{"question_id": "q", "reply": {"text": "x", "usage": {"output_tokens": 1.5}}}',
            "whole numbers",
        ),
    ],
)
def test_a_broken_cassette_says_where(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "judge.jsonl"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        ReplayJudge(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_an_error_of_unknown_kind_is_a_judge_error(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    path.write_text(
        json.dumps(
            {
                "question_id": "polite",
                "error": {"error_type": "from_the_future", "message": "m"},
            }
        )
    )
    with pytest.raises(JudgeError, match="m"):
        await ReplayJudge(path).complete(
            ModelCall(model="m", messages=(), question_id="polite")
        )


def test_a_specification_names_a_gateway(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    path.write_text(
        json.dumps({"question_id": "q", "model": MODEL, "reply": {"text": "yes"}})
    )
    replay = open_gateway(f"replay:{path}")
    assert isinstance(replay, ReplayJudge)
    assert model_of(f"replay:{path}", replay) == MODEL
    live = open_gateway("openai/gpt-4.1", api_base="http://127.0.0.1:9/v1")
    assert live.name == "litellm"
    assert live.is_live
    assert model_of("openai/gpt-4.1", live) == "openai/gpt-4.1"
    for wrong in ("", "  ", "replay:", f"replay:{tmp_path / 'none.jsonl'}"):
        with pytest.raises(ConfigError):
            open_gateway(wrong)
