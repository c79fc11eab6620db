"""How many tokens of a result fit into one call to a model."""

from __future__ import annotations

from typing import Final

from judgemesh.mesh.pricing.client_library import library_entry

UNKNOWN_CONTEXT: Final = 16_384
"""Tokens that a model nobody knows is trusted with."""
MOST_PROMPT: Final = 100_000
"""Tokens of one prompt, however large the model's context is: beyond that a question costs more than it is worth."""
_SPARE: Final = (
    0.05  # of the context: roles, the provider's own tokens, what the estimate misses
)


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
    most: int = MOST_PROMPT,
) -> int:
    """The most tokens that a prompt to the model may be estimated at.

    Args:
        model: as the gateway calls it.
        reply_tokens: room kept for the reply.
        context: the model's context, where the caller knows better than the list.
        most: the limit that holds for every model.
    """
    size = context or context_tokens(model) or UNKNOWN_CONTEXT
    room = int(size * (1 - _SPARE)) - (reply_tokens or 1024)
    return max(min(room, most), _LEAST)


_LEAST: Final = 512
