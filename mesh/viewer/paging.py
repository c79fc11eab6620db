"""Pages by key: what an address says about where a list goes on. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slice(Generic[T]):
    """Rows of a list. after: the key that the next slice begins behind; None at the end."""

    rows: Sequence[T]
    after: Key | None

    @property
    def next(self) -> str | None:
        """The key as it stands in an address."""
        return None if self.after is None else encoded(self.after)


def encoded(key: Key) -> str:
    """A key as text for an address."""
    packed = json.dumps(key, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def decoded(text: str | None, length: int) -> Key | None:
    """The key of an address; None where there is none, or no list could have made it."""
    if not text:
        return None
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        key: Any = json.loads(packed)
    except (ValueError, RecursionError):
        return None
    if not isinstance(key, list):
        return None
    parts = cast("list[object]", key)
    texts = tuple(part for part in parts if isinstance(part, str))
    return texts if len(texts) == len(parts) == length else None
