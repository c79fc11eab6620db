"""A streamed reply: passed on as it comes, and recorded when it ends.

The usage of a stream is in its chunks: in the last one (OpenAI, where it was asked for;
Google), in the first and in the last (Anthropic), or in none. A stream that its reader
leaves early, or that breaks, has the usage reported so far, and says so.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Final, Protocol, Self, cast

from judgemesh.mesh.tracing.recording.encoding import plain
from judgemesh.mesh.tracing.recording.model_boundary import (
    attribute,
    model_of,
    response_fields,
    usage_of,
)

_HOLDERS: Final = ("message", "response", "data")
"""Where events of streams keep the response that they are a part of."""
_SNAPSHOTS: Final = ("current_message_snapshot", "current_completion_snapshot")
_ENDS: Final = frozenset(
    {"message_stop", "response.completed", "response.incomplete", "response.failed"}
)


class OpenCall(Protocol):
    """A recorded call whose result is still coming."""

    def end(
        self, fields: Mapping[str, object], error: BaseException | None = None
    ) -> None:
        """Write the event with these fields, and end its step."""
        ...

    def resume(self) -> None:
        """Be the step that this task is in."""
        ...

    def release(self) -> None:
        """Be it no longer."""
        ...


def is_stream(value: object) -> bool:
    """Whether a result has to be read to its end: an iterator, sync or async."""
    return hasattr(value, "__next__") or hasattr(value, "__anext__")


def is_stream_manager(value: object) -> bool:
    """Whether a result gives its stream when it is entered."""
    can_enter = hasattr(value, "__enter__") or hasattr(value, "__aenter__")
    return can_enter and usage_of(value) is None and not is_stream(value)


class StreamReport:
    """What the chunks of a stream say of the call."""

    def __init__(self) -> None:
        self.fields: dict[str, object] = {}
        self._usage: dict[str, Any] = {}
        self._reports = 0
        self._start_ns = time.perf_counter_ns()
        self.is_complete = False

    def add(self, chunk: object) -> None:
        """Take what one chunk reports."""
        if "first_chunk_ms" not in self.fields:
            waited = (time.perf_counter_ns() - self._start_ns) / 1e6
            self.fields["first_chunk_ms"] = round(waited, 3)
        holders = [chunk]
        for name in _HOLDERS:
            holder = attribute(chunk, name)
            if holder is not None:
                holders.append(holder)
        for holder in holders:
            self._add_usage(usage_of(holder))
            model = model_of(holder)
            if model is not None:
                self.fields["model_name"] = model
            self.fields.update(response_fields(holder))
        if attribute(chunk, "type") in _ENDS:
            self.is_complete = True

    def add_snapshot(self, stream: object) -> None:
        """Take what a stream gathered itself, whose parts were read in another way."""
        for name in _SNAPSHOTS:
            snapshot = attribute(stream, name)
            if snapshot is not None:
                self.add(snapshot)
                if attribute(snapshot, "stop_reason") is not None:
                    self.is_complete = True

    def _add_usage(self, usage: object) -> None:
        report = plain(usage)
        if isinstance(report, dict):
            self._reports += 1
            _merge(self._usage, cast("dict[str, Any]", report))

    def usage(self) -> Mapping[str, object] | None:
        """The usage of the reports together; None for none.

        Counts of a stream only grow. A total of several reports is that of none of them.
        """
        usage = dict(self._usage)
        if self._reports > 1 and {"input_tokens", "output_tokens"} <= usage.keys():
            usage.pop("total_tokens", None)
        return usage or None


def _merge(known: dict[str, Any], report: Mapping[str, Any]) -> None:
    for key, value in report.items():
        before: object = known.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            _merge(cast("dict[str, Any]", before), cast("dict[str, Any]", value))
        elif isinstance(value, int) and isinstance(before, int):
            known[key] = max(value, before)
        elif value is not None:
            known[key] = value


class _Watched:
    """What both kinds of streams have in common. Everything else is the stream's own."""

    def __init__(self, stream: object, call: OpenCall) -> None:
        self._judgemesh_stream = stream
        self._judgemesh_call = call
        self._judgemesh_report = StreamReport()
        self._judgemesh_ended = False

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride] (read only)
        """The stream's own class, for `isinstance`."""
        return type(self._judgemesh_stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._judgemesh_stream, name)

    def _end(
        self, error: BaseException | None = None, *, is_over: bool = False
    ) -> None:
        if self._judgemesh_ended:
            return
        self._judgemesh_ended = True
        report = self._judgemesh_report
        report.add_snapshot(self._judgemesh_stream)
        fields = dict(report.fields)
        usage = report.usage()
        if usage is not None:
            fields["usage"] = usage
        if error is None and not is_over and not report.is_complete:
            fields["stream"] = "left early"
        if usage is not None and (error is not None or "stream" in fields):
            fields["usage_partial"] = True
        self._judgemesh_call.end(fields, error)

    def __del__(self) -> None:
        self._end()


class WatchedStream(_Watched):
    """A stream that is read with `for`."""

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            chunk = next(cast("Iterator[Any]", self._judgemesh_stream))
        except StopIteration:
            self._end(is_over=True)
            raise
        except BaseException as error:
            self._end(error)
            raise
        self._judgemesh_report.add(chunk)
        return chunk

    def close(self) -> None:
        """Close the stream."""
        close = attribute(self._judgemesh_stream, "close")
        if callable(close):
            close()
        self._end()

    def __enter__(self) -> Self:
        enter = attribute(self._judgemesh_stream, "__enter__")
        if callable(enter):
            enter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Any:
        leave = attribute(self._judgemesh_stream, "__exit__")
        try:
            return leave(kind, error, trace) if callable(leave) else None
        finally:
            self._end(error)


class WatchedAsyncStream(_Watched):
    """A stream that is read with `async for`."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            chunk = await anext(cast("AsyncIterator[Any]", self._judgemesh_stream))
        except StopAsyncIteration:
            self._end(is_over=True)
            raise
        except BaseException as error:
            self._end(error)
            raise
        self._judgemesh_report.add(chunk)
        return chunk

    async def close(self) -> None:
        """Close the stream."""
        for name in ("close", "aclose"):
            close = attribute(self._judgemesh_stream, name)
            if callable(close):
                await cast("Any", close())
                break
        self._end()

    aclose = close

    async def __aenter__(self) -> Self:
        enter = attribute(self._judgemesh_stream, "__aenter__")
        if callable(enter):
            await cast("Any", enter())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Any:
        leave = attribute(self._judgemesh_stream, "__aexit__")
        try:
            if callable(leave):
                return await cast("Any", leave(kind, error, trace))
            return None
        finally:
            self._end(error)


class WatchedStreamOfBoth(WatchedStream):
    """A stream that is read in either way."""

    __aiter__ = WatchedAsyncStream.__aiter__
    __anext__ = WatchedAsyncStream.__anext__
    __aenter__ = WatchedAsyncStream.__aenter__
    __aexit__ = WatchedAsyncStream.__aexit__
    aclose = WatchedAsyncStream.aclose


def watched_stream(stream: object, call: OpenCall) -> object:
    """The stream, which ends the call's step when it ends itself."""
    if hasattr(stream, "__anext__") and hasattr(stream, "__next__"):
        return WatchedStreamOfBoth(stream, call)
    if hasattr(stream, "__anext__"):
        return WatchedAsyncStream(stream, call)
    return WatchedStream(stream, call)


class WatchedManager:
    """A context manager that gives a stream, or a response, when it is entered."""

    def __init__(
        self, manager: object, conclude: Callable[[object], object], call: OpenCall
    ) -> None:
        self._manager = manager
        self._conclude = conclude
        self._call = call
        self._given: object = None

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride] (read only)
        """The manager's own class, for `isinstance`."""
        return type(self._manager)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._manager, name)

    def _enter(self, given: object) -> object:
        self._given = self._conclude(given)
        return self._given

    def _left(self, error: BaseException | None) -> None:
        end = getattr(self._given, "_end", None)
        if callable(end):
            end(error)

    def __enter__(self) -> Any:
        try:
            return self._enter(cast("Any", self._manager).__enter__())
        except BaseException as error:
            self._call.end({}, error)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Any:
        self._left(error)
        return cast("Any", self._manager).__exit__(kind, error, trace)

    async def __aenter__(self) -> Any:
        try:
            return self._enter(await cast("Any", self._manager).__aenter__())
        except BaseException as error:
            self._call.end({}, error)
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Any:
        self._left(error)
        return await cast("Any", self._manager).__aexit__(kind, error, trace)
