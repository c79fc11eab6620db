"""HTTP for evidence sources: guarded against being sent to private places, capped in size and time, polite.

A name is resolved once, every address it has is checked, and the connection goes to a checked address: a name that
changes its mind between check and connect (DNS rebinding) gains nothing. Redirects are followed by hand, each checked
the same way. Proxies and credentials of the environment are not used.
"""

from __future__ import annotations

import socket
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urljoin, urlsplit

import anyio

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.sources.addresses import is_public, parse
from judgemesh.mesh.sources.protocol import SourceInaccessible

if TYPE_CHECKING:
    import ssl

    import httpx

_MAX_REDIRECTS: Final = 5
_PER_HOST: Final = 2
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_CODINGS: Final = frozenset({"identity", "gzip", "x-gzip", "deflate"})
_PORTS: Final = {"http": 80, "https": 443}
GONE: Final = frozenset({404, 410})
"""Statuses that say that there is no such thing. Every other failure only says that it could not be seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Options every network source has.

    allow_hosts: names (or addresses) that may lie on a private network. allow_private: any may. max_bytes: of one
    body, after decompression. timeout_s: for one request with its redirects.
    """

    allow_hosts: frozenset[str] = frozenset()
    allow_private: bool = False
    max_bytes: int = 8 * 2**20
    timeout_s: float = 20.0

    OPTIONS = ("allow_hosts", "allow_private", "max_bytes", "timeout_s")

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Limits:
        """The limits that a source's options set.

        Raises:
            ConfigError: one of them has a value of the wrong type.
        """
        hosts = options.get("allow_hosts", [])
        if not isinstance(hosts, list) or not all(
            isinstance(host, str) for host in cast("list[object]", hosts)
        ):
            raise ConfigError(
                "allow_hosts: expected a list of host names",
                hint="such as [wiki.example.org]",
            )
        private = options.get("allow_private", False)
        if not isinstance(private, bool):
            raise ConfigError("allow_private: expected true or false")
        return cls(
            allow_hosts=frozenset(host.casefold() for host in cast("list[str]", hosts)),
            allow_private=private,
            max_bytes=int(_number(options, "max_bytes", 8 * 2**20, 256 * 2**20)),
            timeout_s=_number(options, "timeout_s", 20.0, 300.0),
        )


def _number(
    options: Mapping[str, object], name: str, default: float, largest: float
) -> float:
    value = options.get(name, default)
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 < value <= largest
    ):
        raise ConfigError(f"{name}: expected a number above 0 and up to {largest:g}")
    return value


class Blocked(SourceInaccessible):
    """The address is not one that an evidence source may ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A response that was read whole. `url` is where it was in the end."""

    url: str
    status: int
    body: bytes
    content_type: str = ""

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            SourceInaccessible: it is none.
        """
        import jiter

        try:
            return jiter.from_json(self.body, allow_inf_nan=False)
        except ValueError as fault:
            raise SourceInaccessible(
                f"{self.url} answered with something that is no JSON: {fault}"
            ) from None


class Fetcher:
    """GET with guards. One for each source; at most two requests at a time go to one host."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._client: httpx.AsyncClient | None = None
        self._hosts: dict[str, anyio.CapacityLimiter] = {}

    async def get(
        self,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        accept: str = "application/json",
    ) -> Page | None:
        """The page at `url`; None when the server says that there is none (404, 410).

        Raises:
            Blocked: the address, or one it redirects to, is not public.
            SourceInaccessible: no network, a time-out, a status that is no answer, or a body that is too large.
        """
        import httpx

        try:
            with anyio.fail_after(self._limits.timeout_s):
                return await self._follow(url, params, accept)
        except TimeoutError:
            raise SourceInaccessible(
                f"{_host_of(url)}: no answer within {self._limits.timeout_s:g} s"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as fault:
            raise SourceInaccessible(
                f"{_host_of(url)}: {type(fault).__name__}: {_line(fault)}"
            ) from None
        except (UnicodeError, ValueError) as fault:
            raise SourceInaccessible(
                f"{url[:200]!r} cannot be asked: {_line(fault)}"
            ) from None

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _follow(
        self, url: str, params: Mapping[str, str] | None, accept: str
    ) -> Page | None:
        for _ in range(_MAX_REDIRECTS + 1):
            page, location = await self._one(url, params, accept)
            if location is None:
                return page
            url, params = urljoin(url, location), None
        raise SourceInaccessible(
            f"{_host_of(url)}: more than {_MAX_REDIRECTS} redirects"
        )

    async def _one(
        self, url: str, params: Mapping[str, str] | None, accept: str
    ) -> tuple[Page | None, str | None]:
        """One request: the page (None for "there is none"), or where it redirects to."""
        host = _checked_host(url)
        limiter = self._hosts.setdefault(host, anyio.CapacityLimiter(_PER_HOST))
        headers = {
            "Accept": accept,
            "Accept-Encoding": "gzip",
            "User-Agent": f"judgemesh/{VERSION} (evidence check)",
        }
        async with (
            limiter,
            self._opened().stream(
                "GET", url, params=params, headers=headers
            ) as response,
        ):
            if response.status_code in _REDIRECTS and "location" in response.headers:
                return None, response.headers["location"]
            if response.status_code in GONE:
                return None, None
            if response.status_code != 200:
                raise SourceInaccessible(
                    f"{host} answered with status {response.status_code}"
                )
            body = await self._body(response, host)
            return Page(
                url=str(response.url),
                status=response.status_code,
                body=body,
                content_type=response.headers.get("content-type", ""),
            ), None

    async def _body(self, response: httpx.Response, host: str) -> bytes:
        """The body, unpacked piece by piece: neither a huge one nor a small one that unpacks to a huge one gets in."""
        largest = self._limits.max_bytes
        coding = response.headers.get("content-encoding", "identity").strip().casefold()
        if coding not in _CODINGS:
            raise SourceInaccessible(
                f"{host}: the answer is packed as {coding[:60]!r}, which was not asked for"
            )
        unpack = zlib.decompressobj(wbits=47) if coding != "identity" else None
        body = bytearray()
        async for piece in response.aiter_raw(64 * 1024):
            try:
                body += (
                    piece
                    if unpack is None
                    else unpack.decompress(piece, largest + 1 - len(body))
                )
            except zlib.error as fault:
                raise SourceInaccessible(
                    f"{host}: the answer cannot be unpacked: {fault}"
                ) from None
            if len(body) > largest or (unpack is not None and unpack.unconsumed_tail):
                raise SourceInaccessible(
                    f"{host}: the answer is larger than {largest} bytes"
                )
        return bytes(body)

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            import httpx

            self._client = httpx.AsyncClient(
                transport=_transport(self._limits),
                trust_env=False,
                follow_redirects=False,
                timeout=self._limits.timeout_s,
            )
        return self._client


def _checked_host(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise Blocked(f"{url[:200]!r} is no http(s) address")
    if parts.username is not None or parts.password is not None:
        raise Blocked(f"{parts.hostname}: an address with a user name is not asked")
    return parts.hostname.casefold()


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or url[:200]
    except ValueError:
        return url[:200]


def _line(fault: Exception) -> str:
    return " ".join(str(fault).split())[:300] or "no reason given"


def _transport(limits: Limits) -> httpx.AsyncBaseTransport:
    """A transport that goes to checked addresses. No connection is kept: one address may serve many names."""
    import httpx

    limited = httpx.Limits(max_connections=16, max_keepalive_connections=0)
    inner = httpx.AsyncHTTPTransport(
        verify=_certificates(), trust_env=False, retries=0, limits=limited
    )

    class _Guarded(httpx.AsyncBaseTransport):
        """Resolves, checks, and connects to what was checked; the name stays in `Host` and in the TLS handshake."""

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            name, port = (
                request.url.host,
                request.url.port or _PORTS[request.url.scheme],
            )
            fault: httpx.TransportError | None = None
            for address in await addresses_of(name, port, limits):
                try:
                    return await inner.handle_async_request(_to(request, address, name))
                except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                    fault = error
            raise fault or httpx.ConnectError(f"{name} has no address")

        async def aclose(self) -> None:
            await inner.aclose()

    return _Guarded()


@cache
def _certificates() -> ssl.SSLContext:
    """The certificates that are trusted. Reading them takes a tenth of a second: once for all sources."""
    import httpx

    return httpx.create_ssl_context(trust_env=False)


def _to(request: httpx.Request, address: str, name: str) -> httpx.Request:
    import httpx

    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        extensions={**request.extensions, "sni_hostname": name},
    )


async def addresses_of(host: str, port: int, limits: Limits) -> list[str]:
    """All addresses of a host, resolved once, if each of them may be asked.

    Raises:
        Blocked: one of them is not public.
        SourceInaccessible: the name cannot be resolved.
    """
    try:
        found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as fault:
        raise SourceInaccessible(f"{host} cannot be resolved: {_line(fault)}") from None
    texts = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if (
        not limits.allow_private
        and host.casefold().strip("[]") not in limits.allow_hosts
    ):
        for text in texts:
            address = parse(text)
            if address is None or not is_public(address):
                raise Blocked(
                    f"{host} leads to {text}, which is no public address; `allow_hosts` permits it"
                )
    return texts
