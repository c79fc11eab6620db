"""Parts of traces as the ledger keeps them, so that parts that come later can be added.

A part is the bodies of fragments of one family, as lines of JSON, compressed. A body that
is there already is not packed again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b, sha256
from typing import Final, TypeAlias

from judgemesh.contracts.tracing import Trace, TracePart
from judgemesh.mesh.tracing.readers.staging import loaded
from judgemesh.mesh.tracing.spans.json_values import JsonObject

_PART_BYTES: Final = 2**20
_FAST: Final = 1
_DIGEST_BYTES: Final = 16
_WHOLE: Final = ""
"""The family of a part that stands for a whole run."""

Fullness: TypeAlias = tuple[int, int, str]
"""How much a trace holds: steps, tokens, and a digest that decides between equals."""


class Packer:
    """Packs fragments of one trace and family."""

    def __init__(self, family: str) -> None:
        self._family = family
        self._known: set[bytes] = set()
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._parts: list[TracePart] = []

    def skip(self, bodies: Iterable[bytes]) -> None:
        """These bodies are packed already."""
        self._known.update(map(_digest, bodies))

    def tap(self, bodies: Iterable[bytes]) -> Iterator[JsonObject]:
        """The bodies, loaded; what passes is packed."""
        for body in bodies:
            self.add(body)
            yield loaded(body)

    def add(self, body: bytes) -> None:
        """Pack a body, unless it is known."""
        digest = _digest(body)
        if digest in self._known:
            return
        self._known.add(digest)
        self._waiting.append(body)
        self._waiting_bytes += len(body)
        if self._waiting_bytes >= _PART_BYTES:
            self._pack()

    def parts(self) -> tuple[TracePart, ...]:
        """Everything that was packed."""
        self._pack()
        return tuple(self._parts)

    def _pack(self) -> None:
        if self._waiting:
            data = b"\n".join(self._waiting)
            digest = sha256(self._family.encode() + b"\0" + data).hexdigest()
            body = zlib.compress(data, _FAST)
            self._parts.append(TracePart(digest, self._family, body))
        self._waiting = []
        self._waiting_bytes = 0


def unpacked(part: TracePart) -> Iterator[bytes]:
    """The bodies of a part, in the form of `staging.dumped`."""
    return iter(zlib.decompress(part.body).split(b"\n"))


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=_DIGEST_BYTES).digest()


def fullness_of(trace: Trace) -> Fullness:
    """How much a trace holds, whatever it is priced with."""
    digest = sha256(repr(replace(trace, steps=())).encode(errors="surrogatepass"))
    steps = tokens = 0
    for step in trace.steps:
        digest.update(repr(step).encode(errors="surrogatepass"))
        steps += 1
        tokens += 0 if step.usage is None else step.usage.total
    return steps, tokens, digest.hexdigest()


def whole_part(fullness: Fullness) -> TracePart:
    """The part that stands for a whole run, which is not kept beside its rows."""
    return TracePart(fullness[2], _WHOLE, json.dumps(fullness).encode())


def fullness_in(parts: Iterable[TracePart]) -> Fullness | None:
    """That of the whole run for which one of the parts stands; None where none does."""
    for part in parts:
        if part.family == _WHOLE:
            steps, tokens, digest = json.loads(part.body)
            return steps, tokens, digest
    return None
