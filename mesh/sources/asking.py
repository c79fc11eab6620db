"""Ask a source: one of ours on the event loop, a plug-in away from it and with a limit of time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import anyio

from judgemesh.mesh.inputs.entry_points import installed
from judgemesh.mesh.isolation.plugin_loop import PLUGINS
from judgemesh.mesh.sources.protocols import SourceInaccessible

T = TypeVar("T")

PLUGIN_TIMEOUT_S: Final = 60.0
_OWN: Final = "judgemesh."


def is_plugin(kind: str, *groups: str) -> bool:
    """Whether the source type of that name comes from another package."""
    for group in groups:
        point = installed(group, "source type").get(kind)
        if point is not None:
            return not point.value.startswith(_OWN)
    return False


async def asked(
    ask: Callable[[], Awaitable[T]],
    *,
    plugin: bool,
    timeout_s: float = PLUGIN_TIMEOUT_S,
) -> T:
    """What the source answers.

    Raises:
        SourceInaccessible: a plug-in did not answer in time.
        PluginFault: a plug-in raised what would have ended the run.
    """
    if not plugin:
        return await ask()
    try:
        with anyio.fail_after(timeout_s):
            return await PLUGINS.run(ask)
    except TimeoutError:
        raise SourceInaccessible(
            f"no answer within {timeout_s:g} s", transient=True
        ) from None
