"""What a result holds, kept beside its verdicts: answer, conversation, state and records as compressed JSON.

A content that is larger than `LIMIT_BYTES` is cut: its long texts end in `… [cut at N bytes]`, then its long lists lose
their ends. What is left stays valid JSON. A content that cannot be kept never keeps the verdicts out of the ledger.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson
from sqlalchemy import Connection, select

from judgemesh.mesh.ledger.encoding import dumps, loads
from judgemesh.mesh.ledger.report_rows import eval_id_of
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import eval_result_content

Content = Mapping[str, object]
"""JSON-ready; `mesh.grading.content` says which keys it has."""

LIMIT_BYTES: Final = 4 * 2**20
_TEXT_BYTES: Final = (2**20, 2**18, 2**16, 2**14, 2**12, 2**10, 2**8)
_LIST_ITEMS: Final = (10_000, 1_000, 100)
_SHORTEST_TEXT: Final = _TEXT_BYTES[-1]
_LEVEL: Final = 1  # half the time of level 6 for a tenth more bytes
_SORTED: Final = orjson.OPT_SORT_KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredContent:
    """A content as the ledger holds it.

    full_bytes: size of its JSON before it was cut. cut_at_bytes: where its long texts were cut; None for a whole one.
    """

    content: dict[str, Any]
    full_bytes: int
    cut_at_bytes: int | None = None


def content_row(
    eval_id: str, build: Callable[[], Content], *, limit_bytes: int = LIMIT_BYTES
) -> Row | None:
    """The row of a content; None for one that cannot be written as JSON."""
    try:
        body, full_bytes, cut_at_bytes = _fitted(build(), limit_bytes)
    except Exception:  # noqa: BLE001 (the verdicts were paid for: no fault of the content may lose them)
        return None
    return {
        "eval_id": eval_id,
        "body": zlib.compress(body, _LEVEL),
        "full_bytes": full_bytes,
        "cut_at_bytes": cut_at_bytes,
    }


def read_content(
    connection: Connection, run_id: str, result_id: str
) -> StoredContent | None:
    """What a result of a run holds; None where the ledger does not keep it.

    Raises:
        ValueError: the row is damaged.
    """
    column = eval_result_content.c
    query = select(eval_result_content).where(
        column.eval_id == eval_id_of(run_id, result_id)
    )
    row = connection.execute(query).mappings().first()
    if row is None:
        return None
    try:
        content = loads(zlib.decompress(row["body"]))
    except zlib.error as error:
        raise ValueError(
            f"the content of result {result_id!r} is damaged: {error}"
        ) from None
    return StoredContent(
        content=cast("dict[str, Any]", content),
        full_bytes=row["full_bytes"],
        cut_at_bytes=row["cut_at_bytes"],
    )


def _fitted(content: Content, limit_bytes: int) -> tuple[bytes, int, int | None]:
    """The JSON of a content, its size before it was cut, and where texts were cut, if they were.

    Raises:
        ValueError: no cut makes it small enough.
    """
    body = _json(content)
    full_bytes = len(body)
    if full_bytes <= limit_bytes:
        return body, full_bytes, None
    plain = loads(body)
    cuts: list[tuple[int, int | None]] = [(size, None) for size in _TEXT_BYTES]
    cuts += [(_SHORTEST_TEXT, items) for items in _LIST_ITEMS]
    for text_bytes, items in cuts:
        body = _json(_cut(plain, text_bytes, items))
        if len(body) <= limit_bytes:
            return body, full_bytes, text_bytes
    raise ValueError(f"{full_bytes} bytes of content cannot be cut to {limit_bytes}")


def _json(value: object) -> bytes:
    """Canonical JSON: keys are sorted."""
    try:
        return orjson.dumps(value, option=_SORTED)
    except TypeError:
        return dumps(value).encode()


def _cut(value: object, text_bytes: int, items: int | None) -> object:
    if isinstance(value, str):
        return _cut_text(value, text_bytes)
    if isinstance(value, list):
        some = cast("list[object]", value)[:items]
        return [_cut(item, text_bytes, items) for item in some]
    if isinstance(value, dict):
        named = cast("dict[str, object]", value)
        return {
            key[:text_bytes]: _cut(item, text_bytes, items)
            for key, item in list(named.items())[:items]
        }
    return value


def _cut_text(text: str, text_bytes: int) -> str:
    if len(text) * 4 <= text_bytes:
        return text
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= text_bytes:
        return text
    kept = encoded[:text_bytes].decode("utf-8", "ignore")
    return f"{kept}… [cut at {text_bytes} bytes]"
