"""The evidence source `http`: a web page exists, does not exist, or cannot be read from here."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.mesh.sources.evidence.document_text import (
    SourceDocument,
    kind_of,
    read_untrusted,
)
from judgemesh.mesh.sources.evidence.json_answers import without_empty
from judgemesh.mesh.sources.http.fetcher import Page
from judgemesh.mesh.sources.http.source import NetworkSource
from judgemesh.mesh.sources.protocols import SourceInaccessible

_NAME: Final = "http"
_ACCEPT: Final = "text/html, application/pdf;q=0.9, text/plain;q=0.8, */*;q=0.5"
_MAX_EXCERPT_CHARS: Final = 20_000


class WebPages(NetworkSource):
    """Any public address: `{type: http}`. `allow_hosts: [...]` permits names on a private network.

    The server is the authority for its addresses: 404 and 410 mean that the page does not exist.
    """

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The page at the query's `url`.

        Raises:
            SourceInaccessible: it cannot be read from here: blocked, no network, a time-out, 401, 403, 429, 5xx.
        """
        url = need.query.get("url")
        if url is None:
            return NotFound(source=_NAME, authoritative=False, covers=False)
        page = await self._fetcher.get(url, accept=_ACCEPT)
        if page is None:
            return NotFound(source=_NAME, authoritative=self._authoritative)
        fields: dict[str, object] = {
            "web_page": True,
            "schemes": ["url"],
            "ids": {"url": sorted({url, page.url})},
        }
        document = await self._document(page, required=need.want_text)
        if document is not None:
            max_chars = None if need.want_text else _MAX_EXCERPT_CHARS
            fields |= {
                "title": document.title,
                "authors": list(document.authors),
                "years": [] if document.year is None else [document.year],
                "text": document.text[:max_chars],
                "excerpt": not document.is_whole,
            }
        return Found(
            ref=page.url,
            fields=without_empty(fields),
            source=_NAME,
            authoritative=self._authoritative,
        )

    async def _document(self, page: Page, *, required: bool) -> SourceDocument | None:
        """The page's text; None where it cannot be read and is not required, because the page exists all the same."""
        from anyio import to_thread

        kind = page.content_type if kind_of(page.content_type) else "text"
        try:
            document = await to_thread.run_sync(
                read_untrusted, page.body, kind, abandon_on_cancel=True
            )
        except SourceInaccessible:
            if required:
                raise
            return None
        if required and not document.text:
            # No answer that may be kept: the page may have its text the next time.
            raise SourceInaccessible("has no text")
        return document
