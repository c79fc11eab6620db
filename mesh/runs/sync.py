"""The public API in code that cannot await."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.runs.mesh import Mesh, ResultLike

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report


def grade_sync(
    results: Iterable[ResultLike] | ResultLike, config: Any = None, **options: Any
) -> list[Report]:
    """Grade from code that cannot await, also inside a running event loop: the work happens in a thread of its own.

    Takes one result or many, and the settings of `Mesh.from_config`; returns the reports in the order of the results.
    """
    from anyio.from_thread import start_blocking_portal

    # What is neither is one result that is none: it is rejected in words, as an item of many.
    several: Any = results
    if isinstance(results, AgentResult | Mapping | str) or not isinstance(
        several, Iterable
    ):
        several = [results]
    items = cast("Iterable[ResultLike]", several)

    async def run() -> list[Report]:
        async with Mesh.from_config(config, **options) as mesh:
            return [report async for report in mesh.grade_many(items, ordered=True)]

    with start_blocking_portal("asyncio") as portal:
        return portal.call(run)
