"""What stands before every page: who may ask, from where, and what a browser may do with the answer.

Reading needs a Host header of the viewer's own, no foreign Origin and, where a token is set, its cookie. Writing needs
these, an Origin that is the viewer's own, and the form token of this process.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from judgemesh.mesh.viewer.addresses import Addresses

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

READING: Final = frozenset({"GET", "HEAD"})
WRITING: Final = "POST"
MAX_FORM_BYTES: Final = 64 * 1024
FORM_TOKEN: Final = "csrf"
TOKEN: Final = "token"
_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use a viewer.

    token: what a browser has to show once; None asks for none. session: the value of the cookie it gets then.
    form_token: stands in every form of this process.
    """

    addresses: Addresses
    token: str | None = None
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    form_token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def cookie(self) -> str:
        """Cookies do not know ports: each viewer of a machine has a name of its own."""
        return f"judgemesh_view_{self.addresses.port}"


class Refusal(Exception):
    """Why a request is not answered: a status and one line."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


class Guard:
    """ASGI middleware that lets through what `Access` allows, and adds the headers of safe pages to every answer."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        from starlette.responses import PlainTextResponse, RedirectResponse

        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # A web socket that is not accepted is closed.

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                message = {**message, "headers": [*headers, *_HEADERS]}
            await send(message)

        try:
            destination = self._destination(scope)
            if destination is None:
                receive = await self._admitted(scope, receive)
        except Refusal as refusal:
            response = PlainTextResponse(f"{refusal}\n", refusal.status)
            await response(scope, receive, send_safely)
            return
        if destination is None:
            await self._app(scope, receive, send_safely)
            return
        redirect = RedirectResponse(destination, status_code=303)
        redirect.set_cookie(
            self._access.cookie,
            self._access.session,
            httponly=True,
            samesite="strict",
        )
        await redirect(scope, receive, send_safely)

    def _destination(self, scope: Scope) -> str | None:
        """Where a browser that shows the token goes on without it; None for every other request.

        Raises:
            Refusal: the host, the site or the token is a wrong one.
        """
        self._check_address(Headers(scope))
        return self._signed_in(scope)

    async def _admitted(self, scope: Scope, receive: Receive) -> Receive:
        """What the application reads the body from.

        Raises:
            Refusal: why it may not.
        """
        headers = Headers(scope)
        self._check_session(headers)
        if scope["method"] in READING:
            return receive
        if scope["method"] != WRITING:
            raise Refusal(405, "this viewer answers to GET, HEAD and POST")
        return _again(await self._checked_form(headers, receive))

    def _check_address(self, headers: Headers) -> None:
        """Refuse other names and other sites.

        Raises:
            Refusal: says which.
        """
        host = headers.only("host")
        if host is None or not self._access.addresses.answers_to(host):
            raise Refusal(
                421,
                "this viewer does not answer to that host name; `judgemesh view --allow-host` adds one",
            )
        origins = headers.all("origin")
        if origins and origins != [*_own_origins(host, origins)]:
            raise Refusal(403, "a page of another site may not use this viewer")
        site = headers.only("sec-fetch-site") or "none"
        is_link = headers.only("sec-fetch-mode") == "navigate"
        if site in {"cross-site", "same-site"} and not is_link:
            raise Refusal(
                403, "a page of another site may not load parts of this viewer"
            )

    def _signed_in(self, scope: Scope) -> str | None:
        """The address without the token, where the right token is part of it."""
        token = self._access.token
        query = parse_qsl(
            scope["query_string"].decode("latin-1"), keep_blank_values=True
        )
        shown = [value for name, value in query if name == TOKEN]
        if token is None or scope["method"] not in READING or not shown:
            return None
        if not _same(shown[0], token):
            raise Refusal(401, "this is not the token that `judgemesh view` printed")
        others = urlencode([pair for pair in query if pair[0] != TOKEN])
        # The path as the router reads it, so that `//elsewhere` cannot become the name of a host.
        path = "/" + scope["path"].lstrip("/\\")
        return f"{path}?{others}" if others else path

    def _check_session(self, headers: Headers) -> None:
        if self._access.token is None:
            return
        if not _same(headers.cookie(self._access.cookie) or "", self._access.session):
            raise Refusal(
                401,
                "this viewer needs the address with the token that `judgemesh view` printed",
            )

    async def _checked_form(self, headers: Headers, receive: Receive) -> bytes:
        """The body of a form of this process.

        Raises:
            Refusal: it comes from elsewhere, or is no form.
        """
        if not headers.all("origin"):
            raise Refusal(403, "a change needs the Origin header that browsers send")
        kind = (headers.only("content-type") or "").partition(";")[0].strip().lower()
        if kind != _FORM_TYPE:
            raise Refusal(415, f"expected a form ({_FORM_TYPE})")
        body = await _body(receive)
        tokens = form_of(body).get(FORM_TOKEN, [])
        if len(tokens) != 1 or not _same(tokens[0], self._access.form_token):
            raise Refusal(
                403,
                "this form is of another session of the viewer; load the page again",
            )
        return body


class Headers:
    """The headers of a request by name; one that occurs twice where there may be one counts as none."""

    def __init__(self, scope: Scope) -> None:
        self._pairs: Sequence[tuple[bytes, bytes]] = scope["headers"]

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        wanted = name.encode()
        return [value.decode("latin-1") for key, value in self._pairs if key == wanted]

    def only(self, name: str) -> str | None:
        """The value of a header that occurs once."""
        values = self.all(name)
        return values[0] if len(values) == 1 else None

    def cookie(self, name: str) -> str | None:
        """The value of a cookie."""
        for line in self.all("cookie"):
            try:
                found = SimpleCookie(line).get(name)
            except CookieError:
                continue
            if found is not None:
                return found.value
        return None


def form_of(body: bytes) -> dict[str, list[str]]:
    """The fields of a form."""
    return parse_qs(
        body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=50
    )


def _own_origins(host: str, origins: Sequence[str]) -> Sequence[str]:
    """Those of `origins` that are the site of the Host header itself."""
    own: list[str] = []
    for origin in origins:
        try:
            parts = urlsplit(origin)
        except ValueError:
            continue
        if parts.scheme in {"http", "https"} and parts.netloc.lower() == host.lower():
            own.append(origin)
    return own[:1]


def _same(shown: str, expected: str) -> bool:
    return secrets.compare_digest(shown.encode("utf-8", "replace"), expected.encode())


async def _body(receive: Receive) -> bytes:
    """The whole body.

    Raises:
        Refusal: it is larger than a form of the viewer can be.
    """
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_FORM_BYTES:
            raise Refusal(413, f"a form has at most {MAX_FORM_BYTES} bytes")
        if message["type"] != "http.request" or not message.get("more_body"):
            return bytes(body)


def _again(body: bytes) -> Receive:
    """Give a body that was read to the application."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
