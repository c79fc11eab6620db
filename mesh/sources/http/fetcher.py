"""HTTP GET for sources: to permitted addresses only, limited in size and time, few requests at a time.

Redirects are followed here, each checked like the first address. Proxies and credentials of the environment are not
used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

import anyio

from judgemesh.contracts.version import VERSION
from judgemesh.mesh.inputs.files.unpacking import Body
from judgemesh.mesh.inputs.strict_json import from_json
from judgemesh.mesh.sources.http.limits import FetchLimits
from judgemesh.mesh.sources.http.transport import (
    PORTS,
    Blocked,
    guarded_transport,
    one_line,
)
from judgemesh.mesh.sources.protocols import SourceInaccessible

if TYPE_CHECKING:
    import httpx

_MAX_REDIRECTS: Final = 5
_MAX_REQUESTS_PER_HOST: Final = 2
_CHUNK_BYTES: Final = 64 * 1024
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_SERVER_ERROR: Final = 500
_BUSY: Final = frozenset({408, 425, 429})
_GONE: Final = frozenset({404, 410})
"""Statuses that say that the page does not exist. Every other failure only says that it could not be read."""
_CODINGS: Final = frozenset({"identity", "gzip", "x-gzip", "deflate"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A response that was read whole. `url` is its address after redirects."""

    url: str
    status: int
    body: bytes
    content_type: str = ""

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            SourceInaccessible: it is not JSON.
        """
        try:
            return from_json(self.body, unique_keys=False)
        except ValueError as error:
            raise SourceInaccessible(
                f"{self.url} answered with something that is no JSON: {error}"
            ) from None


@dataclass(frozen=True, slots=True)
class _Redirect:
    """Where a response redirects to."""

    location: str


class Fetcher:
    """GET with limits. One for each source; at most two requests at a time go to one host."""

    def __init__(self, limits: FetchLimits) -> None:
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
                f"{_host_of(url)}: no answer within {self._limits.timeout_s:g} s",
                transient=True,
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise SourceInaccessible(
                f"{_host_of(url)}: {type(error).__name__}: {one_line(error)}",
                transient=isinstance(error, httpx.ReadError | httpx.TimeoutException),
            ) from None
        except (UnicodeError, ValueError) as error:
            raise SourceInaccessible(
                f"{url[:200]!r} cannot be asked: {one_line(error)}"
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
            answer = await self._request(url, params, accept)
            if not isinstance(answer, _Redirect):
                return answer
            url, params = urljoin(url, answer.location), None
        raise SourceInaccessible(
            f"{_host_of(url)}: more than {_MAX_REDIRECTS} redirects"
        )

    async def _request(
        self, url: str, params: Mapping[str, str] | None, accept: str
    ) -> Page | _Redirect | None:
        """One request: the page, where it redirects to, or None when there is no such page."""
        host = _checked_host(url)
        limiter = self._hosts.setdefault(
            host, anyio.CapacityLimiter(_MAX_REQUESTS_PER_HOST)
        )
        headers = {
            "Accept": accept,
            "Accept-Encoding": "gzip",
            "User-Agent": f"judgemesh/{VERSION} (evidence check)",
        }
        request = self._open_client().stream("GET", url, params=params, headers=headers)
        async with limiter, request as response:
            status = response.status_code
            if status in _REDIRECTS and "location" in response.headers:
                return _Redirect(response.headers["location"])
            if status in _GONE:
                return None
            if status != 200:
                raise SourceInaccessible(
                    f"{host} answered with status {status}",
                    transient=status >= _SERVER_ERROR or status in _BUSY,
                )
            return Page(
                url=str(response.url),
                status=status,
                body=await self._body(response, host),
                content_type=response.headers.get("content-type", ""),
            )

    async def _body(self, response: httpx.Response, host: str) -> bytes:
        """The body, decompressed chunk by chunk, so that a small body that expands to a huge one is refused too."""
        max_bytes = self._limits.max_bytes
        coding = response.headers.get("content-encoding", "identity").strip().casefold()
        if coding not in _CODINGS:
            raise SourceInaccessible(
                f"{host}: the answer is encoded as {coding[:60]!r}, which was not asked for"
            )
        body = Body(max_bytes, is_packed=coding != "identity")
        try:
            async for chunk in response.aiter_raw(_CHUNK_BYTES):
                body.add(chunk)
        except ValueError as error:
            raise SourceInaccessible(f"{host}: the answer {error}") from None
        if not body.is_whole:
            raise SourceInaccessible(f"{host}: the compressed answer is cut off")
        return bytes(body.content)

    def _open_client(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            self._client = httpx.AsyncClient(
                transport=guarded_transport(self._limits),
                trust_env=False,
                follow_redirects=False,
                timeout=self._limits.timeout_s,
            )
        return self._client


def _checked_host(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        raise Blocked(f"{url[:200]!r} is no http(s) address")
    if parts.username is not None or parts.password is not None:
        raise Blocked(f"{parts.hostname}: an address with a user name is not asked")
    return parts.hostname.casefold()


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or url[:200]
    except ValueError:
        return url[:200]
