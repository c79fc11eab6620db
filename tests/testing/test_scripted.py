from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from judgemesh.contracts.errors import JudgeRejected, JudgeUnavailable
from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.testing import ScriptedJudge

pytestmark = pytest.mark.anyio


def call(question_id: str = "q", text: str = "Is it so?", sample: int = 0) -> ModelCall:
    return ModelCall(
        model="m",
        messages=({"role": "user", "content": text},),
        question_id=question_id,
        sample_index=sample,
    )


def verdict(reply: ModelReply) -> str:
    return str(json.loads(reply.text)["verdict"])


async def test_a_word_becomes_a_verdict_and_other_text_stays() -> None:
    gateway: Gateway = ScriptedJudge("no")
    assert verdict(await gateway.complete(call())) == "no"
    assert (await ScriptedJudge("Hm.").complete(call())).text == "Hm."
    whole = ModelReply(text="x", finish_reason="length")
    assert await ScriptedJudge(whole).complete(call()) is whole


async def test_by_question_id_first_then_by_words() -> None:
    gateway = ScriptedJudge({"voucher": "no", "q1": "yes", "so": "cannot_assess"})
    assert verdict(await gateway.complete(call("q1", "Is a voucher offered?"))) == "yes"
    assert verdict(await gateway.complete(call("q2", "Is a voucher offered?"))) == "no"
    assert verdict(await gateway.complete(call("q3"))) == "cannot_assess"
    with pytest.raises(JudgeRejected, match="q4"):
        await gateway.complete(call("q4", "?"))
    assert [each.question_id for each in gateway.calls] == ["q1", "q2", "q3", "q4"]


async def test_a_sequence_is_said_once_for_each_question_and_sample() -> None:
    gateway = ScriptedJudge({"q": [JudgeUnavailable("down"), "yes"]})
    for each in (call(), call(text="Another?"), call(sample=1)):
        with pytest.raises(JudgeUnavailable):
            await gateway.complete(each)
        assert [verdict(await gateway.complete(each)) for _ in range(2)] == [
            "yes",
            "yes",
        ]


async def test_a_function_computes_the_answer() -> None:
    gateway = ScriptedJudge(
        lambda each: "yes" if "polite" in each.messages[-1]["content"] else "no"
    )
    assert verdict(await gateway.complete(call(text="polite?"))) == "yes"
    assert verdict(await gateway.complete(call())) == "no"


async def test_usage_and_delay_are_as_told() -> None:
    usage = Usage(input_tokens_uncached=3)
    started = time.perf_counter()
    assert (
        await ScriptedJudge("yes", usage=usage, delay_s=0.05).complete(call())
    ).usage is usage
    assert time.perf_counter() - started >= 0.05
    assert (await ScriptedJudge("yes").complete(call())).usage is None


def test_importing_the_judge_and_its_doubles_is_light() -> None:
    heavy = [
        "litellm",
        "numpy",
        "sqlalchemy",
        "tenacity",
        "jsonschema_rs",
        "httpx",
        "openai",
    ]
    code = (
        "import sys, judgemesh.mesh.judging.voting.judge, judgemesh.mesh.judging.gateways.open, judgemesh.mesh.testing, "
        "judgemesh.mesh.judging.gateways.litellm, judgemesh.mesh.testing.fake_provider\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
