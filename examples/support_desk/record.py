"""Write judge.jsonl, the recorded answers that the demo replays.

    python examples/support_desk/record.py

No model is called. The answers below were written by hand, once for each question and reply; the tokens are counted
with the tokenizer of the model named, on the very messages that a live judge would be sent. Run it again after a change
of prompts, criteria or answers.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
from judgemesh.contracts.usage import Usage
from judgemesh.mesh import Mesh
from judgemesh.mesh.testing import RecordingJudge

HERE = Path(__file__).resolve().parent
MODEL = "openai/gpt-4.1-mini"

ANSWERS = {
    "complaint-answered": {
        "offers_voucher": (
            "The reply says 'we would like to give you a voucher of 10 EUR'.",
            "yes",
        ),
        "promises_nothing_else": ("The voucher is the only compensation named.", "no"),
        "says_sorry": (
            "It opens with 'I am sorry that parcel P-31 arrived six days late'.",
            "yes",
        ),
        "next_step": (
            "It tells the customer to enter the code LATE10 with the next order.",
            "yes",
        ),
    },
    "complaint-promises-more": {
        "offers_voucher": ("'Please take this voucher of 10 EUR'.", "yes"),
        "promises_nothing_else": (
            "It adds 'we will also pay back the shipping', a second compensation.",
            "yes",
        ),
        "says_sorry": ("'We are sorry for the delay of parcel P-31'.", "yes"),
        "next_step": (
            "It tells the customer to enter the code LATE10 with the next order.",
            "yes",
        ),
    },
    "complaint-unclear": {
        "offers_voucher": (
            "It speaks of 'our usual goodwill gift' without saying what that is.",
            "cannot_assess",
        ),
        "promises_nothing_else": (
            "Whether the gift is the voucher or something else is not said.",
            "cannot_assess",
        ),
        "says_sorry": ("'Sorry about the delay of your parcel'.", "yes"),
        "next_step": ("It asks the customer to look into the account.", "yes"),
    },
}


class HandWritten(Gateway):
    """A gateway that gives the answers above."""

    name = MODEL

    async def complete(self, call: ModelCall) -> ModelReply:
        """The answer to one question, with the tokens it would take."""
        shown = call.messages[-1]["content"]
        replies = {
            result["result_id"]: result["output"]["final_answer"]
            for result in results()
        }
        reply_id = next(
            result_id for result_id, text in replies.items() if text in shown
        )
        reason, verdict = ANSWERS[reply_id][call.question_id]
        text = json.dumps({"reason": reason, "verdict": verdict})
        return ModelReply(
            text=text,
            model_served=MODEL,
            usage=count_tokens(call, text),
            finish_reason="stop",
        )

    async def aclose(self) -> None:
        """Nothing to release."""


def count_tokens(call: ModelCall, text: str) -> Usage:
    """Input and output tokens by the model's tokenizer, nothing cached."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    name = MODEL.partition("/")[2]
    messages = [dict(message) for message in call.messages]
    count = cast("Callable[..., int]", litellm.token_counter)  # pyright: ignore[reportUnknownMemberType]  # untyped there
    return Usage(
        input_tokens_uncached=count(model=name, messages=messages),
        output_tokens=count(model=name, text=text),
    )


def results() -> list[dict[str, Any]]:
    """The results that questions are asked about."""
    with (HERE / "results.jsonl").open(encoding="utf-8") as lines:
        return [
            result
            for result in map(json.loads, lines)
            if result["result_id"] in ANSWERS
        ]


async def main() -> None:
    """Grade those results, and write down what the judge says."""
    cassette = HERE / "judge.jsonl"
    cassette.unlink(missing_ok=True)
    judge = RecordingJudge(HandWritten(), cassette)
    contracts = HERE / "contracts.yaml"
    async with Mesh.from_config(
        contracts=contracts, judge=judge, votes="single", max_concurrency=1
    ) as mesh:
        for result in results():
            report = await mesh.grade(result)
            print(report.result_id, report.gate, report.evaluator_cost)


if __name__ == "__main__":
    asyncio.run(main())
