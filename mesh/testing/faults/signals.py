"""Kinds of faults that are a signal to the own process."""

from __future__ import annotations

import os
import signal
from types import MappingProxyType
from typing import Final

SIGNALS: Final = MappingProxyType(
    {
        "kill": signal.SIGKILL,
        "interrupt": signal.SIGINT,
        "terminate": signal.SIGTERM,
    }
)


def send(kind: str) -> None:
    """Send the signal of this kind to the own process."""
    os.kill(os.getpid(), SIGNALS[kind])
