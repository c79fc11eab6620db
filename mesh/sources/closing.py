"""Close sources one by one: one that cannot be closed neither keeps the others open nor ends the run."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

_LOG: Final = logging.getLogger(__name__)


@contextmanager
def reported(source: object) -> Generator[None]:
    """Log what a source raises while it is closed; every answer was given before."""
    try:
        yield
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a plug-in may raise anything)
        _LOG.warning("%s cannot be closed: %r", type(source).__qualname__, error)
