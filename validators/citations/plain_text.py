"""A citation in one plain string: an id, a title, an address, a file, a reference, or a passage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from judgemesh.validators.citations.cited import Cited, Standing
from judgemesh.validators.citations.hollow import is_hollow
from judgemesh.validators.citations.mentions import looks_like_id
from judgemesh.validators.citations.reference_text import read_reference

_MAX_NAME_CHARS: Final = 300
_SEVERAL = re.compile(r"\s*[;,]\s+(?:and\s)?|\s+(?:and|&)\s+|\s*;\s*")


def plain_citation(ref: str, text: str, *, strict: bool = False) -> Iterator[Cited]:
    """The citation of a string, if it holds any text.

    Args:
        ref: where it is in the result.
        text: the string.
        strict: what it says beside a reference is a passage; otherwise it may be a comment.
    """
    text = text.strip()
    if not text:
        return
    pieces = _SEVERAL.split(text)
    if len(pieces) > 1 and all(map(looks_like_id, pieces)):
        for piece in pieces:
            yield from plain_citation(ref, piece, strict=strict)
        return
    cited = read_reference(ref, text)
    if " " not in text:
        cited = replace(cited, title="")
    names = (text,) if len(text) <= _MAX_NAME_CHARS and cited.text else ()
    standing = Standing.NAMED if is_hollow(text) else Standing.CITED
    remarks = (text,) if cited.text else ()
    yield replace(cited, names=names, remarks=remarks, strict=strict, standing=standing)
