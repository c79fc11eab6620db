"""The messages of a call as JSON: a digest of the prompt, a cache key and a request body all need it. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache


def messages_json(
    messages: Sequence[Mapping[str, str]], *, comma: str = ",", colon: str = ":"
) -> str:
    """ASCII JSON of the messages, their keys sorted."""
    parts: list[str] = []
    for message in messages:
        members = [
            f"{_text(key)}{colon}{_text(message[key])}" for key in sorted(message)
        ]
        parts.append(f"{{{comma.join(members)}}}")
    return f"[{comma.join(parts)}]"


@lru_cache(maxsize=256)
def _text(text: str) -> str:
    """Cached, because a text of many kilobytes is asked for again and again while its call is made."""
    return json.dumps(text)
