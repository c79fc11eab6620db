"""One small question to a judge, asked before a run and by `judgemesh doctor`: whether it answers at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import JudgeError, JudgeMalformed, JudgeRejected
from judgemesh.contracts.gateway import ModelReply
from judgemesh.mesh.judging.client.sample import Sample, SampleAnswer
from judgemesh.mesh.judging.errors import Unreachable
from judgemesh.mesh.judging.prompting.frame import Framed
from judgemesh.prompts.loader import Prompt

if TYPE_CHECKING:
    from judgemesh.mesh.judging.client.client import Client

PREFLIGHT: Final = "preflight"
"""The validator name and the question id under which the ledger keeps the call."""
_QUESTION: Final = "Answer with the word yes."
_DIGEST: Final = f"{PREFLIGHT}: {_QUESTION}"
_PROMPT: Final = Prompt(
    name=PREFLIGHT, version=1, system="", material="", user=_QUESTION, digest=_DIGEST
)
_FRAMED: Final = Framed(
    messages=({"role": "user", "content": _QUESTION},), digest=_DIGEST, replaced=0
)
_LASTING: Final = (JudgeRejected, JudgeMalformed, Unreachable)


async def probe(client: Client, context: CallContext) -> SampleAnswer[ModelReply]:
    """The answer of a judge to a question of one line, sent as every question of a run is.

    An answer that the client has in its cache is taken from there.

    Raises:
        JudgeError: there is no answer.
    """
    sample = Sample(
        question_id=PREFLIGHT,
        prompt=_PROMPT,
        framed=_FRAMED,
        schema=None,
        read=_reply,
        context=context,
    )
    return await client.ask(sample)


def is_lasting(error: JudgeError) -> bool:
    """Whether every further question would end with the same error: no access, no such model, no server there.

    Time-outs, 5xx and rate limits may pass.
    """
    return isinstance(error, _LASTING)


def _reply(reply: ModelReply) -> ModelReply:
    return reply
