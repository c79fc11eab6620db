"""Web pages as a source: an address either answers, is gone, or cannot be seen from here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.mesh.sources.evidence import flag
from judgemesh.mesh.sources.fetch import Fetcher, Limits
from judgemesh.mesh.sources.protocol import SourceInaccessible
from judgemesh.mesh.sources.rows import known_options
from judgemesh.mesh.sources.texts import Document, kind_of, read_document

_ACCEPT: Final = "text/html, application/pdf;q=0.9, text/plain;q=0.8, */*;q=0.5"


class WebPages:
    """Any public address: `{type: http}`. `allow_hosts: [...]` permits names on a private network.

    For an address the server is the authority: 404 and 410 mean that the page does not exist.
    """

    remote = True

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:  # noqa: ARG002 (the protocol's)
        known_options(options, "authoritative", *Limits.OPTIONS)
        self._authoritative = flag(options, "authoritative", default=True)
        self._fetcher = Fetcher(Limits.of(options))

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The page at the query's `url`.

        Raises:
            SourceInaccessible: it cannot be seen from here: blocked, no network, a time-out, 401, 403, 429, 5xx.
        """
        url = need.query.get("url")
        if url is None:
            return NotFound(source="http", authoritative=False, covers=False)
        page = await self._fetcher.get(url, accept=_ACCEPT)
        if page is None:
            return NotFound(source="http", authoritative=self._authoritative)
        fields: dict[str, object] = {
            "web_page": True,
            "schemes": ["url"],
            "ids": {"url": sorted({url, page.url})},
        }
        document = await self._read(page.body, page.content_type, must=need.want_text)
        if document is not None:
            fields |= {"title": document.title, "authors": list(document.authors)}
            fields["years"] = [] if document.year is None else [document.year]
            fields["text"] = document.text if need.want_text else document.text[:20_000]
        kept = {name: value for name, value in fields.items() if value}
        return Found(
            ref=page.url, fields=kept, source="http", authoritative=self._authoritative
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._fetcher.aclose()

    async def _read(
        self, body: bytes, content_type: str, *, must: bool
    ) -> Document | None:
        """The page's text. A page that exists but cannot be read exists all the same, unless its text is asked for."""
        from anyio import to_thread

        try:
            return await to_thread.run_sync(
                read_document, body, content_type if kind_of(content_type) else "text"
            )
        except SourceInaccessible:
            if must:
                raise
            return None
