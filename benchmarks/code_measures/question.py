"""What one plain yes/no question passes on its way from the engine to the gateway: frames, and types of records.

The frames are those of the call stack in `Gateway.complete`, up to the engine. Where a task was started on the way, the
stack of whoever started it goes on: asyncio's task factory keeps it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import sys
from collections.abc import Coroutine, Iterator
from types import CodeType, FrameType
from typing import Any, Final, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.mesh import Mesh
from judgemesh.mesh.testing import ScriptedJudge

_PACKAGE: Final = "judgemesh."
_ENGINE: Final = "judgemesh.mesh.grading.engine"
_QUESTION: Final = {"id": "polite", "question": "Is the answer polite?"}
_RESULT: Final = {"result_id": "r", "task_id": "t", "output": "Thank you. It is done."}


def code_frames() -> Iterator[tuple[str, CodeType]]:
    """The module and the code of every frame of the current stack, innermost first."""
    frame = inspect.currentframe()
    while frame is not None:
        yield frame.f_globals.get("__name__", ""), frame.f_code
        frame = frame.f_back


class StackKeeper:
    """A task factory that keeps the stack in which each task was started."""

    def __init__(self) -> None:
        self._stacks: dict[int, list[tuple[str, str]]] = {}
        self._tasks: list[asyncio.Task[Any]] = []  # keeps ids unique

    def __call__(
        self,
        loop: asyncio.AbstractEventLoop,
        coroutine: Coroutine[Any, Any, Any],
        **options: Any,
    ) -> asyncio.Task[Any]:
        """Start a task as asyncio does."""
        task = asyncio.Task(coroutine, loop=loop, **options)
        self._tasks.append(task)
        self._stacks[id(task)] = self.stack()
        return task

    def stack(self) -> list[tuple[str, str]]:
        """Our frames from here up, innermost first, through the tasks that lead here."""
        frames = [
            (module, code.co_qualname)
            for module, code in code_frames()
            if module.startswith(_PACKAGE)
        ]
        try:
            task = asyncio.current_task()
        except RuntimeError:
            return frames
        return frames + self._stacks.get(id(task), [])


class WatchedGateway(ScriptedJudge):
    """Answers every question with yes, and keeps the stack of the first call."""

    def __init__(self, keeper: StackKeeper) -> None:
        super().__init__("yes")
        self._keeper = keeper
        self.frames: list[tuple[str, str]] = []

    async def complete(self, call: ModelCall) -> ModelReply:
        """Answer, after a look at the stack."""
        if not self.frames:
            self.frames = self._keeper.stack()
        return await super().complete(call)


def frames_of_a_question() -> list[str]:
    """Our frames between the engine and the gateway, from the engine down, both ends left out."""
    keeper = StackKeeper()
    gateway = WatchedGateway(keeper)

    async def grade() -> None:
        asyncio.get_running_loop().set_task_factory(cast("Any", keeper))
        await _grade(gateway, criteria=True)

    asyncio.run(grade())
    between: list[str] = []
    for module, function in gateway.frames:
        if module == _ENGINE:
            break
        if module != __name__ and not function.startswith(ScriptedJudge.__name__):
            between.append(f"{module.removeprefix(_PACKAGE)}:{function}")
    return between[::-1]


def record_types_of_a_question() -> list[str]:
    """Dataclasses made for a graded result with a question and not for one without."""
    with_question = _records_made(criteria=True)
    return sorted(with_question - _records_made(criteria=False))


def _records_made(*, criteria: bool) -> set[str]:
    made: set[str] = set()

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        if event != "call" or frame.f_code.co_name != "__init__":
            return
        record = cast("type", type(frame.f_locals.get("self")))
        if dataclasses.is_dataclass(record) and record.__module__.startswith(_PACKAGE):
            made.add(f"{record.__module__.removeprefix(_PACKAGE)}.{record.__name__}")

    async def grade() -> None:
        await _grade(ScriptedJudge("yes"), criteria=criteria)

    sys.setprofile(watch)
    try:
        asyncio.run(grade())
    finally:
        sys.setprofile(None)
    return made


async def _grade(gateway: ScriptedJudge, *, criteria: bool) -> None:
    checks = {"criteria": [_QUESTION]} if criteria else {"validators": ["completion"]}
    contract = EvalContract.model_validate({"task_id": "t", **checks})
    async with Mesh.from_config(
        contracts=[contract], judge=gateway, votes="single"
    ) as mesh:
        report = await mesh.grade(_RESULT)
    if criteria and not gateway.calls:
        raise SystemExit(f"the judge was not asked: {report.explanation}")
