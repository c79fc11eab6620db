"""From a judge specification (`openai/gpt-4.1-mini`, `replay:answers.jsonl`) to a gateway."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.gateway import Gateway
from judgemesh.contracts.redaction import (
    names_secret,
    secrets_of_address,
    secrets_of_environment,
)
from judgemesh.mesh.judging.gateways.redacting import RedactingGateway

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
        gateway: Gateway = HttpGateway(api_base=api_base, api_key=api_key)
    else:
        from judgemesh.mesh.judging.gateways.litellm import LitellmGateway

        gateway = LitellmGateway(api_base=api_base, api_key=api_key, options=options)
    return RedactingGateway(gateway, _secrets(api_base, api_key, options))


def _secrets(
    api_base: str | None, api_key: str | None, options: Mapping[str, Any] | None
) -> frozenset[str]:
    """What a server may repeat, and nobody may read: keys of options, address and environment."""
    given = {str(api_key)} if api_key else set[str]()
    for name, value in (options or {}).items():
        fields = cast("Mapping[str, Any]", value if isinstance(value, Mapping) else {})
        given.update(
            str(held) for key, held in fields.items() if held and names_secret(key)
        )
        if isinstance(value, str) and names_secret(name):
            given.add(value)
    return (
        frozenset(given)
        | secrets_of_address(api_base or "")
        | secrets_of_environment(os.environ)
    )


def model_of(spec: str, gateway: Gateway) -> str:
    """The model to ask for: that of the specification, or the one a cassette was recorded with."""
    if spec.startswith(_COMPATIBLE):
        return spec.removeprefix(_COMPATIBLE)
    if spec.startswith(_REPLAY) and gateway.model is not None:
        return gateway.model
    return spec
