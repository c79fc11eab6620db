"""Close sources one by one: one that cannot be closed neither keeps the others open nor ends the run."""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

from judgemesh.mesh.isolation.faults import carried, is_own
from judgemesh.mesh.isolation.interrupting import Interrupted, interrupt
from judgemesh.mesh.sources.protocols import RecordSource

_LOG: Final = logging.getLogger(__name__)


CLOSING_S: Final = 2.0
"""How long a plug-in may take to close its source."""


def close_source(source: RecordSource) -> None:
    """Close a source of records; a plug-in is not waited for longer than 2 s."""
    if is_own(source):
        with reported(source):
            source.close()
        return
    thread = threading.Thread(
        target=_close, args=(source,), name="judgemesh-closing", daemon=True
    )
    thread.start()
    thread.join(CLOSING_S)
    interrupt(thread)


def _close(source: RecordSource) -> None:
    with suppress(Interrupted), reported(source):
        try:
            source.close()
        except Interrupted:
            raise
        except BaseException as error:
            raise carried(error) from error


@contextmanager
def reported(source: object) -> Generator[None]:
    """Log what a source raises while it is closed; every answer was given before."""
    try:
        yield
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a plug-in may raise anything)
        _LOG.warning("%s cannot be closed: %r", type(source).__qualname__, error)
