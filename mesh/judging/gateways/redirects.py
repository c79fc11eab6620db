"""No gateway follows a redirect: the judged text goes to the server that was named, and only its answers count.

A client library that follows one sends the judged text to an address that nobody chose (307, 308), or asks it without
the text (301, 302, 303), and takes the page it gets for the judge's answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

from judgemesh.mesh.judging.errors import AccessDenied

REDIRECTS: Final = range(300, 400)


def refused_redirect(status: int, location: str) -> AccessDenied:
    """The error for a response that points elsewhere. Of the other address only scheme, host and port are named."""
    try:
        parts = urlsplit(location)
        target = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    except ValueError:
        target = ""
    if target in ("", "://"):
        target = "another path"
    return AccessDenied(
        f"HTTP {status}: the server redirects to {target}; judged text is sent only to the address that is given"
    )


def without_redirects(create: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes transports of httpx, each of which raises `AccessDenied` for a redirect."""

    def made(*arguments: Any, **options: Any) -> Any:
        transport = create(*arguments, **options)
        if transport is None:
            return None
        send = transport.handle_async_request

        async def handle_async_request(request: Any) -> Any:
            response = await send(request)
            if response.status_code in REDIRECTS:
                location = response.headers.get("location", "")
                await response.aclose()
                raise refused_redirect(response.status_code, location)
            return response

        transport.handle_async_request = handle_async_request
        return transport

    return made


def redirect_of(error: BaseException) -> AccessDenied | None:
    """The refused redirect that an error of a client library was made from."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        if isinstance(current, AccessDenied):
            return current
        seen.add(id(current))
        current = current.__cause__ or current.__context__
    return None
