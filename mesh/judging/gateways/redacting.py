"""A gateway whose replies and errors hold no secret, whatever the server sends back.

A server, or a proxy before it, may repeat the key of a request in an error, or in the text that the model is said to
have written. Both are stored in the ledger and shown in reports.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import orjson

from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
from judgemesh.contracts.redaction import Redactor
from judgemesh.contracts.usage import Usage


class RedactingGateway(Gateway):
    """The other gateway, with `***` for every secret in what it returns and raises.

    Args:
        gateway: the connection to the model.
        secrets: the values that may not come back.
    """

    def __init__(self, gateway: Gateway, secrets: Iterable[str]) -> None:
        self._gateway = gateway
        self._redactor = Redactor(secrets)
        self.name = self._redactor.text(gateway.name)
        self.model = gateway.model
        self.votes = gateway.votes
        self.takes_tools = gateway.takes_tools
        self.is_live = gateway.is_live
        self.keeps_time = gateway.keeps_time

    async def complete(self, call: ModelCall) -> ModelReply:
        """Answer the call once.

        Raises:
            JudgeError: that of the other gateway, with its message redacted.
        """
        try:
            reply = await self._gateway.complete(call)
        except JudgeError as error:
            message = str(error)
            clean = self._redactor.text(message)
            if clean == message:
                raise
            # Without the original as its cause, which would be printed with a traceback.
            raise type(error)(clean, retry_after_s=error.retry_after_s) from None
        return self._clean(reply) if self._may_hold_secret(reply) else reply

    async def aclose(self) -> None:
        """Close the other gateway. Safe to call twice."""
        await self._gateway.aclose()

    def _may_hold_secret(self, reply: ModelReply) -> bool:
        """Whether the reply has to be looked at part by part: nearly none has."""
        if not self._redactor:
            return False
        texts = [reply.text, reply.model_served or "", reply.finish_reason or ""]
        texts += [token for token, _ in reply.first_token]
        if reply.usage is not None:
            texts.append(reply.usage.service_tier)
            try:
                texts.append(orjson.dumps(reply.usage.raw).decode())
            except TypeError:  # no JSON of orjson's
                return True
        return self._redactor.holds("\0".join(texts))

    def _clean(self, reply: ModelReply) -> ModelReply:
        """The reply without secrets; itself where it holds none, as nearly every one."""
        redact = self._redactor.text
        text, usage = redact(reply.text), self._clean_usage(reply.usage)
        served = reply.model_served and redact(reply.model_served)
        finish = reply.finish_reason and redact(reply.finish_reason)
        tokens = tuple((redact(token), value) for token, value in reply.first_token)
        known = (reply.text, reply.model_served, reply.finish_reason, reply.first_token)
        # Usages are equal whatever the provider's own figures hold: only the same one is clean.
        if usage is reply.usage and (text, served, finish, tokens) == known:
            return reply
        return replace(
            reply,
            text=text,
            usage=usage,
            model_served=served,
            finish_reason=finish,
            first_token=tokens,
        )

    def _clean_usage(self, usage: Usage | None) -> Usage | None:
        if usage is None:
            return None
        raw = self._redactor.data(usage.raw)
        service_tier = self._redactor.text(usage.service_tier)
        if raw == usage.raw and service_tier == usage.service_tier:
            return usage
        return replace(usage, raw=raw, service_tier=service_tier)
