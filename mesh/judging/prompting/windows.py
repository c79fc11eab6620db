"""How many tokens of a result fit into one call to a model."""

from __future__ import annotations

from typing import Final

from judgemesh.mesh.pricing.client_library import library_entry

UNKNOWN_CONTEXT_TOKENS: Final = 16_384
"""The context assumed for a model that the bundled list does not name."""
MAX_PROMPT_TOKENS: Final = 100_000
"""The limit of one prompt, however large the model's context is: beyond it a question costs more than it is worth."""
_MIN_PROMPT_TOKENS: Final = 512
_REPLY_TOKENS: Final = 1024
_SPARE_SHARE: Final = 0.05
"""The share of the context left for roles, the provider's own tokens, and errors of the estimate."""


def context_tokens(model: str) -> int | None:
    """The size of a model's context, by the bundled list; None where it does not say."""
    entry = library_entry(model) or {}
    for key in ("max_input_tokens", "max_tokens"):
        value = entry.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None


def prompt_budget(
    model: str,
    *,
    reply_tokens: int | None = None,
    context: int | None = None,
    max_prompt_tokens: int = MAX_PROMPT_TOKENS,
) -> int:
    """The most tokens that a prompt to the model may be estimated at.

    Args:
        model: as the gateway calls it.
        reply_tokens: room kept for the reply.
        context: the model's context, where the caller knows better than the list.
        max_prompt_tokens: the limit for every model.
    """
    size = context or context_tokens(model) or UNKNOWN_CONTEXT_TOKENS
    room = int(size * (1 - _SPARE_SHARE)) - (reply_tokens or _REPLY_TOKENS)
    return max(min(room, max_prompt_tokens), _MIN_PROMPT_TOKENS)
