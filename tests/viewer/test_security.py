"""Who is let in: host, site, token, form token, method, path."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.viewer.addresses import Addresses
from judgemesh.mesh.viewer.app import create_app
from judgemesh.mesh.viewer.security import MAX_FORM_BYTES, Access, Guard
from judgemesh.mesh.viewer.viewer import Viewer

from .conftest import PORT, SITE

pytestmark = pytest.mark.anyio

TOKEN = "a token"
LOCAL = Addresses("127.0.0.1", PORT)


@pytest.fixture
def place(tmp_path: Path) -> str:
    """What is let in does not depend on the database."""
    return str(tmp_path / "ledger.db")


async def _ask(
    client: httpx.AsyncClient,
    path: str = "/",
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
) -> httpx.Response:
    return await client.request(method, path, headers=dict(headers or {}))


@pytest.mark.parametrize(
    ("addresses", "host", "answers"),
    [
        (LOCAL, f"127.0.0.1:{PORT}", True),
        (LOCAL, f"localhost:{PORT}", True),
        (LOCAL, f"LOCALHOST:{PORT}", True),
        (LOCAL, f"[::1]:{PORT}", True),
        (LOCAL, "127.0.0.1", False),
        (LOCAL, f"127.0.0.1:{PORT + 1}", False),
        (LOCAL, f"127.0.0.2:{PORT}", False),
        (LOCAL, f"evil.example:{PORT}", False),
        (LOCAL, f"127.0.0.1.evil.example:{PORT}", False),
        (LOCAL, f"localhost.:{PORT}", False),
        (LOCAL, f"localhost.evil.example:{PORT}", False),
        (LOCAL, f"user@127.0.0.1:{PORT}", False),
        (LOCAL, f"127.0.0.1:{PORT}:80", False),
        (LOCAL, f"127.0.0.1:{PORT} evil", False),
        (LOCAL, f"0x7f000001:{PORT}", False),
        (LOCAL, f"192.168.1.7:{PORT}", False),
        (LOCAL, "", False),
        (Addresses("127.0.0.1", 80), "127.0.0.1", True),
        (Addresses("0.0.0.0", PORT), f"192.168.1.7:{PORT}", True),  # noqa: S104 (an address to compare)
        (Addresses("0.0.0.0", PORT), f"[2001:db8::1]:{PORT}", True),  # noqa: S104
        (Addresses("0.0.0.0", PORT), f"evil.example:{PORT}", False),  # noqa: S104
        (Addresses("0.0.0.0", PORT), f"2130706433:{PORT}", False),  # noqa: S104
        (Addresses("192.168.1.7", PORT), f"192.168.1.7:{PORT}", True),
        (Addresses("192.168.1.7", PORT), f"192.168.1.8:{PORT}", False),
        (
            Addresses("0.0.0.0", PORT, frozenset({"evals.example"})),  # noqa: S104
            "evals.example",
            True,
        ),
        (
            Addresses("0.0.0.0", PORT, frozenset({"evals.example"})),  # noqa: S104
            "x.evals.example",
            False,
        ),
    ],
)
async def test_only_its_own_host_names_are_answered(
    addresses: Addresses, host: str, answers: bool
) -> None:
    assert addresses.answers_to(host) is answers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"origin": SITE}, 200),
        ({"origin": "null"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": f"{SITE}.evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9"}, 403),
        ({"origin": f"http://localhost:{PORT}"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, 403),
        ({"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"}, 403),
    ],
)
async def test_pages_of_other_sites_read_nothing(
    client: httpx.AsyncClient, headers: Mapping[str, str], status: int
) -> None:
    for path in ("/", "/assets/htmx.js"):
        answer = await _ask(client, path, headers=headers)
        assert answer.status_code == status


async def test_two_host_headers_are_none(client: httpx.AsyncClient) -> None:
    headers = [("host", f"127.0.0.1:{PORT}"), ("host", "evil.example")]
    answer = await client.get("/", headers=headers)
    assert answer.status_code == 421


def _form(viewer: Viewer, **changed: str) -> dict[str, str]:
    fields = {
        "csrf": viewer.access.form_token,
        "run_id": "old",
        "result_id": "r000",
        "question_id": "polite",
        "labeler": "ann",
        "label": "yes",
        "at": "0",
    }
    return {name: value for name, value in (fields | changed).items() if value}


@pytest.mark.parametrize(
    ("headers", "fields", "status", "labels"),
    [
        ({"origin": SITE}, {}, 303, 1),
        ({}, {}, 403, 0),
        ({"origin": "null"}, {}, 403, 0),
        ({"origin": "http://evil.example"}, {}, 403, 0),
        ({"origin": SITE, "host": f"evil.example:{PORT}"}, {}, 421, 0),
        ({"origin": SITE, "sec-fetch-site": "cross-site"}, {}, 403, 0),
        ({"origin": SITE}, {"csrf": ""}, 403, 0),
        ({"origin": SITE}, {"csrf": "another"}, 403, 0),
        ({"origin": SITE, "content-type": "text/plain"}, {}, 415, 0),
        ({"origin": SITE, "content-type": "application/json"}, {}, 415, 0),
        ({"origin": SITE}, {"note": "x" * MAX_FORM_BYTES}, 413, 0),
        ({"origin": SITE}, {"label": "maybe"}, 400, 0),
        ({"origin": SITE}, {"label": ""}, 400, 0),
        ({"origin": SITE}, {"question_id": ""}, 400, 0),
        ({"origin": SITE}, {"labeler": ""}, 400, 0),
        ({"origin": SITE}, {"note": "x" * 2_001}, 400, 0),
        ({"origin": SITE}, {"label": "", "outcome_class": "splendid"}, 400, 0),
        ({"origin": SITE}, {"label": "", "outcome_class": "partial+"}, 303, 1),
        ({"origin": SITE}, {"result_id": "nobody"}, 404, 0),
        ({"origin": SITE}, {"run_id": "nobody"}, 404, 0),
        ({"origin": SITE}, {"result_id": "r000' OR 1=1 --"}, 404, 0),
    ],
)
async def test_a_label_needs_host_origin_and_form_token(
    client: httpx.AsyncClient,
    viewer: Viewer,
    headers: Mapping[str, str],
    fields: Mapping[str, str],
    status: int,
    labels: int,
) -> None:
    answer = await client.post(
        "/labels", headers=dict(headers), data=_form(viewer, **fields)
    )
    assert answer.status_code == status, answer.text
    assert len(await viewer.ledger.labels()) == labels


async def test_a_read_only_viewer_writes_nothing(ledger: Ledger) -> None:
    viewer = Viewer(ledger=ledger, access=Access(LOCAL), labeler="ann", read_only=True)
    transport = httpx.ASGITransport(app=create_app(viewer))
    async with httpx.AsyncClient(transport=transport, base_url=SITE) as client:
        answer = await client.post(
            "/labels", headers={"origin": SITE}, data=_form(viewer)
        )
        assert answer.status_code == 403
        assert "csrf" not in (await client.get("/labels?run=old")).text
    assert await ledger.labels() == []


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "X"])
async def test_other_methods_are_refused(
    client: httpx.AsyncClient, method: str
) -> None:
    answer = await _ask(client, "/labels", method=method, headers={"origin": SITE})
    assert answer.status_code == 405


@pytest.mark.parametrize("path", ["/", "/run?id=old", "/failures", "/assets/htmx.js"])
async def test_pages_are_only_for_reading(
    client: httpx.AsyncClient, viewer: Viewer, path: str
) -> None:
    answer = await client.post(path, headers={"origin": SITE}, data=_form(viewer))
    assert answer.status_code == 405
    assert (await _ask(client, path, method="HEAD")).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../app.py",
        "/assets/..%2fapp.py",
        "/assets/%2e%2e/%2e%2e/app.py",
        "/assets/..%5capp.py",
        "/assets//etc/passwd",
        "/assets/manifest.json",
        "/assets/",
        "/assets/page.css%00",
        "/ledger.db",
        "/.judgemesh/ledger.db",
        "/docs",
        "/openapi.json",
        "/run/old",
    ],
)
async def test_no_path_leads_to_a_file(client: httpx.AsyncClient, path: str) -> None:
    assert (await _ask(client, path)).status_code == 404


async def test_every_answer_has_the_headers_of_a_safe_page(
    client: httpx.AsyncClient,
) -> None:
    for path in ("/", "/nothing", "/assets/htmx.js", "/run?id=nobody"):
        for host in (f"127.0.0.1:{PORT}", "evil.example"):
            headers = (await _ask(client, path, headers={"host": host})).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"
            assert "access-control-allow-origin" not in headers


@pytest.fixture
async def asked(ledger: Ledger) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a viewer that asks for a token."""
    viewer = Viewer(ledger=ledger, access=Access(LOCAL, TOKEN), labeler="ann")
    transport = httpx.ASGITransport(app=create_app(viewer))
    async with httpx.AsyncClient(transport=transport, base_url=SITE) as client:
        yield client


async def test_without_the_token_nothing_is_shown(asked: httpx.AsyncClient) -> None:
    for path in ("/", "/run?id=old", "/assets/htmx.js", "/?token=", "/?token=wrong"):
        answer = await asked.get(path)
        assert answer.status_code == 401
        assert answer.cookies.get(f"judgemesh_view_{PORT}") is None


async def test_the_token_becomes_a_cookie_and_leaves_the_address(
    asked: httpx.AsyncClient,
) -> None:
    answer = await asked.get("/run", params={"id": "old", "token": TOKEN})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/run?id=old"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert (await asked.get("/run", params={"id": "old"})).status_code == 200


async def test_a_cookie_of_somebody_else_opens_nothing(
    asked: httpx.AsyncClient,
) -> None:
    for value in ("", "x", TOKEN):
        cookie = {"cookie": f"judgemesh_view_{PORT}={value}"}
        assert (await asked.get("/", headers=cookie)).status_code == 401


@pytest.mark.parametrize(
    "path", ["//evil.example", "/%2F%2Fevil.example", "/\\evil.example"]
)
async def test_the_token_leads_to_no_other_site(
    asked: httpx.AsyncClient, path: str
) -> None:
    answer = await asked.get(f"{SITE}{path}?token={TOKEN.replace(' ', '+')}")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/")
    assert answer.headers["location"][1:2] not in {"/", "\\"}


async def test_a_web_socket_is_not_accepted() -> None:
    sent: list[object] = []

    async def app(_: Scope, __: Receive, ___: Send) -> None:
        raise AssertionError

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: object) -> None:
        sent.append(message)

    scope: Scope = {"type": "websocket", "path": "/", "headers": []}
    await Guard(app, Access(LOCAL))(scope, receive, send)
    assert sent == []
