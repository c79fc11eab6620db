"""Execution records from an HTTP service on 127.0.0.1."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.needs import Records, RecordsFound, Unanswered
from judgemesh.mesh.sources.record_sources import RecordSources
from judgemesh.mesh.testing.http_server import (
    Request,
    Response,
    json_response,
    serve_connection,
)

pytestmark = pytest.mark.anyio

ROWS = [{"kind": "pay", "target": "A", "amount": 5}, {"kind": "mail", "target": "B"}]


@asynccontextmanager
async def service(answer: Callable[[Request], Response]) -> AsyncGenerator[str, None]:
    """A service that answers every request so; its address."""

    async def handle(request: Request) -> Response:
        return answer(request)

    server = await asyncio.start_server(
        partial(serve_connection, handler=handle), "127.0.0.1", 0
    )
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def ask(
    options: dict[str, Any], *, allowed: bool = True, trace_id: str | None = None
) -> RecordsFound | Unanswered:
    source = {
        "type": "http",
        "timeout_s": 2,
        **({"allow_hosts": ["127.0.0.1"]} if allowed else {}),
        **options,
    }
    with RecordSources(Path()) as sources:
        answer = await sources.answer(
            Records(source=source, result_id="r/1 &", task_id="t1", trace_id=trace_id)
        )
    assert isinstance(answer, RecordsFound | Unanswered)
    return answer


async def test_rows_by_id_with_pages() -> None:
    asked: list[str] = []

    def answer(request: Request) -> Response:
        asked.append(request.path)
        page = len(asked)
        following = f"{base}/more" if page == 1 else None
        return json_response(
            {"data": {"items": ROWS[page - 1 : page]}, "next": following}
        )

    async with service(answer) as base:
        found = await ask(
            {"url": f"{base}/log/{{result_id}}", "rows": "data.items", "next": "next"}
        )
    assert isinstance(found, RecordsFound)
    assert [(one.kind, one.target, one.parameters) for one in found.records] == [
        ("pay", "A", {"amount": 5}),
        ("mail", "B", {}),
    ]
    assert asked == ["/log/r%2F1%20%26", "/more"]


async def test_rows_without_an_id_in_the_address_are_matched() -> None:
    rows = [{"task_id": "t1", "kind": "x"}, {"task_id": "t2", "kind": "y"}]
    async with service(lambda _request: json_response(rows)) as base:
        found = await ask({"url": base})
    assert isinstance(found, RecordsFound)
    assert [one.kind for one in found.records] == ["x"]


@pytest.mark.parametrize(
    ("key", "value"), [("confirmed_by", "the client"), ("success", False)]
)
async def test_flags_and_confirmations_stay_on_the_record(
    key: str, value: object
) -> None:
    rows = [{"task_id": "t1", "kind": "x", key: value}]
    async with service(lambda _request: json_response(rows)) as base:
        found = await ask({"url": base})
    assert isinstance(found, RecordsFound)
    assert (found.records[0].model_extra or {})[key] == value


async def test_not_found_is_an_empty_answer() -> None:
    async with service(lambda _request: Response(status=404)) as base:
        found = await ask({"url": f"{base}/{{result_id}}"})
    assert isinstance(found, RecordsFound)
    assert found.records == ()


@pytest.mark.parametrize(
    ("response", "options", "message"),
    [
        (Response(status=500), {}, ""),
        (Response(status=403), {}, ""),
        (Response(body=b"<html>"), {}, "no JSON"),
        (Response(silent=True), {}, ""),
        (json_response({"items": []}), {}, "`rows`"),
        (json_response({"items": [1]}), {"rows": "items"}, "row 1: expected an object"),
        (json_response({"items": [{"target": "x"}]}), {"rows": "items"}, "kind"),
        (
            json_response({"items": ROWS, "next": "/log"}),
            {"rows": "items", "next": "next"},
            "",
        ),
    ],
)
async def test_what_cannot_be_read_is_never_empty(
    response: Response, options: dict[str, Any], message: str
) -> None:
    async with service(lambda _request: response) as base:
        answer = await ask({"url": f"{base}/log", **options})
    assert isinstance(answer, Unanswered)
    assert answer.inaccessible
    assert message in answer.message


async def test_pages_that_go_round_end() -> None:
    async with service(
        lambda _request: json_response({"items": ROWS, "next": f"{base}/log"})
    ) as base:
        answer = await ask({"url": f"{base}/log", "rows": "items", "next": "next"})
    assert isinstance(answer, Unanswered)
    assert "do not end" in answer.message


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/log",
        "http://localhost:9/",
        "http://[::1]:9/",
        "http://169.254.169.254/latest/meta-data",
        "http://2130706433/",
        "http://[::ffff:10.0.0.1]/",
    ],
)
async def test_private_addresses_are_not_asked(url: str) -> None:
    answer = await ask({"url": url}, allowed=False)
    assert isinstance(answer, Unanswered)
    assert answer.inaccessible


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "file:///etc/passwd"}, "no http(s) address"),
        ({"url": "http://a.example/", "rows": 1}, "rows"),
        ({"url": "http://a.example/", "verify": False}, "unknown option"),
        ({}, "`url` is missing"),
        ({"url": "http://a.example/{trace_id}"}, "the result has no trace_id"),
    ],
)
async def test_wrong_options(options: dict[str, Any], message: str) -> None:
    answer = await ask(options)
    assert isinstance(answer, Unanswered)
    assert message in answer.message
