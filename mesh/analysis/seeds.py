"""Seeds of resampling that follow from the data, whatever its order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def seed_of(lines: Iterable[str]) -> int:
    """A seed from one line of text for each record: the same records, the same digits."""
    text = "\n".join(sorted(lines))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
