"""From a judge specification (`openai/gpt-4.1-mini`, `replay:answers.jsonl`) to a gateway."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.gateway import Gateway

_REPLAY: Final = "replay:"
_COMPATIBLE: Final = "openai-compatible:"


def open_gateway(
    spec: str,
    *,
    api_base: str | None = None,
    api_key: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Gateway:
    """The gateway that a judge specification names.

    `replay:PATH` is a cassette, `openai-compatible:MODEL` a server with OpenAI's API;
    anything else is a model of litellm.

    Raises:
        ConfigError: the specification is empty, or the cassette cannot be used.
    """
    if not spec.strip():
        raise ConfigError(
            "names no model",
            where="--judge",
            hint="for example openai/gpt-4.1-mini, or replay:PATH",
        )
    if spec.startswith(_REPLAY):
        from judgemesh.mesh.judging.gateways.cassette import ReplayJudge

        return ReplayJudge(Path(spec.removeprefix(_REPLAY)))
    if spec.startswith(_COMPATIBLE):
        from judgemesh.mesh.judging.gateways.openai_http import HttpGateway

        if not spec.removeprefix(_COMPATIBLE).strip():
            raise ConfigError(
                "names no model",
                where="--judge",
                hint=f"for example {_COMPATIBLE}gpt-4.1-mini",
            )
        return HttpGateway(api_base=api_base, api_key=api_key)
    from judgemesh.mesh.judging.gateways.litellm import LitellmGateway

    return LitellmGateway(api_base=api_base, api_key=api_key, options=options)


def model_of(spec: str, gateway: Gateway) -> str:
    """The model to ask for: that of the specification, or the one a cassette was recorded with."""
    if spec.startswith(_COMPATIBLE):
        return spec.removeprefix(_COMPATIBLE)
    if spec.startswith(_REPLAY) and gateway.model is not None:
        return gateway.model
    return spec
