"""Who serves a model, under all the names that telemetry has for it. Pure.

A price is listed under one name of a provider and a model; telemetry writes others:
`mistral_ai`, `x_ai`, `ibm.watsonx.ai`, `gcp.vertex_ai`, `azure.ai.openai`,
`us.anthropic.claude-...`, `models/gemini-...`. A server of one's own (`ollama`, `vllm`, an
address in the local network) sells nothing: it never has the price of the API that the
model is also sold by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

LOCAL: Final = "local"
"""The provider of a model that is served from an address of the local network."""

_LOCAL_PROVIDERS: Final = frozenset(
    {
        LOCAL,
        "docker_model_runner",
        "hosted_vllm",
        "huggingface_local",
        "jan",
        "koboldcpp",
        "llama.cpp",
        "llama_cpp",
        "llamacpp",
        "llamafile",
        "lm_studio",
        "lmstudio",
        "localai",
        "mlx",
        "ollama",
        "ollama_chat",
        "oobabooga",
        "sglang",
        "tgi",
        "transformers",
        "triton",
        "vllm",
        "xinference",
    }
)
_PROVIDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "openai": ("openai", "open_ai"),
    "anthropic": ("anthropic",),
    "azure": (
        "azure",
        "azure.ai.openai",
        "az.ai.openai",
        "azure_openai",
        "azure-openai",
        "azureopenai",
    ),
    "azure_ai": (
        "azure_ai",
        "azure.ai.inference",
        "az.ai.inference",
        "azure_ai_foundry",
    ),
    "bedrock": (
        "bedrock",
        "bedrock_converse",
        "aws.bedrock",
        "aws_bedrock",
        "amazon_bedrock",
        "amazon-bedrock",
        "amazon",
        "aws",
    ),
    "vertex_ai": (
        "vertex_ai",
        "gcp.vertex_ai",
        "vertexai",
        "google_vertexai",
        "google-vertex",
        "google.vertex",
        "google_vertex",
    ),
    "gemini": (
        "gemini",
        "gcp.gemini",
        "gcp.gen_ai",
        "google",
        "google_genai",
        "google-gla",
        "google.generative-ai",
        "google_ai_studio",
    ),
    "mistral": ("mistral", "mistral_ai", "mistralai"),
    "xai": ("xai", "x_ai", "x-ai", "x.ai"),
    "watsonx": ("watsonx", "ibm.watsonx.ai", "ibm_watsonx", "ibm"),
    "cohere": ("cohere", "cohere_chat"),
    "together_ai": ("together_ai", "together", "togetherai"),
    "fireworks_ai": ("fireworks_ai", "fireworks", "fireworksai"),
    "moonshot": ("moonshot", "moonshot_ai", "moonshotai"),
    "voyage": ("voyage", "voyageai", "voyage_ai"),
    "deepseek": ("deepseek",),
    "groq": ("groq",),
    "perplexity": ("perplexity",),
}
_BY_ALIAS: Final[Mapping[str, str]] = {
    alias: name for name, aliases in _PROVIDERS.items() for alias in aliases
}
_API_SUFFIX: Final = re.compile(
    r"\.(chat|responses|messages|completion|embedding|embeddings|image)\Z"
)
_MODEL_PATH: Final = re.compile(
    r"\A(?:arn:[^/]+/|(?:projects/[^/]+/locations/[^/]+/)?publishers/[^/]+/models/|models/)"
)
_REGION: Final = re.compile(
    r"\A(?:us|eu|apac|global|us-gov|jp|au|ca|sa)\.(?=[a-z0-9-]+\.)"
)
_DATE_AT_END: Final = re.compile(r"-(\d{8})\Z")
_AT_DATE: Final = r"@\1"
_HOSTS: Final[Mapping[str, str]] = {
    "api.openai.com": "openai",
    "openai.azure.com": "azure",
    "cognitiveservices.azure.com": "azure",
    "services.ai.azure.com": "azure_ai",
    "api.anthropic.com": "anthropic",
    "api.deepseek.com": "deepseek",
    "api.fireworks.ai": "fireworks_ai",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "api.moonshot.ai": "moonshot",
    "api.perplexity.ai": "perplexity",
    "api.together.xyz": "together_ai",
    "api.together.ai": "together_ai",
    "api.x.ai": "xai",
    "generativelanguage.googleapis.com": "gemini",
    "aiplatform.googleapis.com": "vertex_ai",
    "openrouter.ai": "openrouter",
}
"""Client libraries of one provider are used for many: the address says who serves."""


def provider_name(provider: str) -> str:
    """The name under which prices list a provider; the name itself where it is unknown."""
    name = _API_SUFFIX.sub("", provider.strip().lower())
    return _BY_ALIAS.get(name, name)


def is_local(provider: str) -> bool:
    """Whether a provider is a server that one runs oneself."""
    return provider_name(provider) in _LOCAL_PROVIDERS


def provider_at(provider: str, address: str) -> str:
    """The provider of a call to an address: `local` where that is in the local network.

    address: a host, a host with its port, or an URL; empty where it is not known.
    """
    host = _host(address)
    if not host:
        return provider
    if _is_local_host(host):
        return provider if is_local(provider) else LOCAL
    for known, name in _HOSTS.items():
        if host == known or host.endswith((f".{known}", f"-{known}")):
            return name
    return provider


def _host(address: str) -> str:
    text = address if "//" in address else f"//{address}"
    try:
        return urlsplit(text).hostname or ""
    except ValueError:
        return ""


def _is_local_host(host: str) -> bool:
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        parsed = ip_address(host)
    except ValueError:
        return False
    return parsed.is_private or parsed.is_loopback or parsed.is_link_local


def price_names(provider: str, model: str) -> list[str]:
    """The names under which a call may be priced, the most exact first.

    The model's own name is the last: client libraries of one provider call others, and
    a reseller takes the provider's price. One's own server sells nothing.
    """
    if not model:
        return []
    if not provider:
        return [model]
    names = [f"{provider}/{model}"]
    if model.startswith(f"{provider}/"):
        names.insert(0, model)
    if not is_local(provider):
        names.append(_without_path(model))
    return names


def spellings(model: str) -> Iterator[str]:
    """A name `provider/model` as prices may spell it, itself first."""
    yield model
    provider, slash, name = model.partition("/")
    if not slash:
        return
    canonical, name = provider_name(provider), _without_path(name)
    yield f"{canonical}/{name}"
    if canonical == "bedrock":
        yield f"{canonical}/{_REGION.sub('', name)}"
    elif canonical == "vertex_ai":
        yield f"{canonical}/{_DATE_AT_END.sub(_AT_DATE, name)}"
        yield f"{canonical}/{name.partition('@')[0]}"
    elif name.startswith("ft:"):
        yield f"{canonical}/{':'.join(name.split(':')[:2])}"


def _without_path(model: str) -> str:
    return _MODEL_PATH.sub("", model)
