"""A worker: connects to the driver, grades the jobs it is sent, and returns their outcomes, until the driver leaves."""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from judgemesh.mesh.isolation.faults import carried
from judgemesh.mesh.runs.line_grading import LineGrader
from judgemesh.mesh.runs.mesh import Mesh
from judgemesh.mesh.runs.opening import worker_parts
from judgemesh.mesh.runs.stream import windowed_groups
from judgemesh.mesh.runs.workers.channel import Channel, ChannelRefused, connect
from judgemesh.mesh.runs.workers.messages import Broken, Finished, Setup, Work
from judgemesh.mesh.runs.workers.ports import DriverPorts


def work(host: str, port: int, key: bytes) -> None:
    """Grade for the driver at an address until it closes the connection. Blocks.

    Raises:
        OSError, ChannelRefused: the driver cannot be reached, or has another key.
    """
    asyncio.run(_serve(host, port, key))


async def _serve(host: str, port: int, key: bytes) -> None:
    channel = await connect(host, port, key)
    async with AsyncExitStack() as stack:
        stack.callback(channel.close)
        setup: Setup | None = await channel.receive()
        if setup is None:
            return
        ports = DriverPorts(channel)
        opening = partial(
            worker_parts,
            contracts=setup.contracts,
            judge=ports if setup.has_judge else None,
            sources=ports,
            economy=setup.economy,
        )
        mesh = await stack.enter_async_context(Mesh(setup.config, opening=opening))
        grader = LineGrader(mesh, setup.run_id, setup.retry_errors)
        tasks: set[asyncio.Task[None]] = set()

        def start(coroutine: Coroutine[Any, Any, None]) -> None:
            task = asyncio.create_task(coroutine)
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        while (message := await channel.receive()) is not None:
            if isinstance(message, Work):
                start(_grade(message, grader, channel))
            else:
                ports.take(message)
        for task in tasks:
            task.cancel()


async def _grade(message: Work, grader: LineGrader, channel: Channel) -> None:
    """Grade jobs, and send outcomes as they come."""
    groups = windowed_groups(message.jobs, grader.grade, limit=len(message.jobs))
    try:
        async for outcomes in groups:
            await channel.send(Finished(outcomes))
    except Exception as error:  # noqa: BLE001 (what would end the run ends it at the driver)
        await channel.send(Broken(carried(error)))
    finally:
        await groups.aclose()


def main() -> None:
    """The program of a worker on this machine: standard input says where the driver is, and its key."""
    host, port, key = sys.stdin.readline().split()
    status = 1
    try:
        work(host, int(port), bytes.fromhex(key))
        status = 0
    except (OSError, ChannelRefused):
        pass  # the driver is gone
    except Exception:  # noqa: BLE001 (the process ends below)
        traceback.print_exc()
    # A thread of a plug-in that never ends must not keep the process.
    os._exit(status)


if __name__ == "__main__":
    main()
