"""Cassettes: model calls are recorded during a run, and answered from the file later.

A cassette is JSONL, one call a line:

    {"question_id": "polite", "message_digest": "sha256:...", "sample_index": 0, "model": "openai/gpt-4.1-mini",
     "reply": {"text": "...", "usage": {...}, "model_served": "..."}}

or `"error": {"error_type": "rate_limited", "message": "..."}` instead of `reply`. A line
without `message_digest` answers its question whatever the messages are. Lines of the same
identity answer in their order; the last one answers all further calls.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError, JudgeError, JudgeRejected
from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
from judgemesh.mesh.inputs.files.limits import TABLE
from judgemesh.mesh.inputs.files.reading import read_text_file, unreadable
from judgemesh.mesh.judging.client.cache import reply_from_json, reply_to_json
from judgemesh.mesh.judging.errors import error_named
from judgemesh.mesh.judging.prompting.frame import message_digest

_KEYS: Final = frozenset(
    {"question_id", "message_digest", "sample_index", "model", "reply", "error"}
)

Identity = tuple[str, str | None, int]
"""Question id, message digest (None for any content), sample index."""


@dataclass(slots=True)
class _Takes:
    """The recorded outcomes of one identity, and how many were returned."""

    outcomes: list[ModelReply | tuple[str, str]] = field(
        default_factory=list["ModelReply | tuple[str, str]"]
    )
    returned: int = 0

    def next(self) -> ModelReply | tuple[str, str]:
        outcome = self.outcomes[min(self.returned, len(self.outcomes) - 1)]
        self.returned += 1
        return outcome


class ReplayJudge(Gateway):
    """A gateway that answers from a cassette, and rejects calls that it does not hold.

    Raises:
        ConfigError: the file cannot be read, or a line of it cannot be used.
    """

    def __init__(self, path: Path | str) -> None:
        self.name = "replay"
        self._path = Path(path)
        self._takes: dict[Identity, _Takes] = {}
        models: dict[str, None] = {}
        for number, line in enumerate(_lines(self._path), start=1):
            if line.strip():
                self._add(line, models, where=f"{self._path}:{number}")
        if not self._takes:
            raise ConfigError("holds no recorded call", where=str(self._path))
        self.model = next(iter(models)) if len(models) == 1 else None
        # A cassette of single votes has no answer to a second vote.
        self.votes = (
            "lead" if any(sample > 0 for _, _, sample in self._takes) else "single"
        )

    def _add(self, line: str, models: dict[str, None], *, where: str) -> None:
        try:
            data: Any = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"is not JSON: {error}", where=where) from error
        if not isinstance(data, dict):
            raise ConfigError("must be an object", where=where)
        row = cast("dict[str, Any]", data)
        identity, outcome = _read_row(row, where)
        self._takes.setdefault(identity, _Takes()).outcomes.append(outcome)
        if isinstance(row.get("model"), str):
            models[row["model"]] = None

    async def complete(self, call: ModelCall) -> ModelReply:
        """The recorded outcome of the call.

        Raises:
            JudgeRejected: the cassette does not hold the call.
            JudgeError: the recorded error.
        """
        digest = message_digest(call.messages)
        for content in (digest, None):
            takes = self._takes.get((call.question_id, content, call.sample_index))
            if takes is not None:
                outcome = takes.next()
                if isinstance(outcome, ModelReply):
                    return outcome
                raise error_named(*outcome)
        raise JudgeRejected(
            f"{self._path} holds no answer to question {call.question_id!r}, sample {call.sample_index}, "
            f"messages {digest}; record it again with the prompt and the results of now"
        )

    async def aclose(self) -> None:
        """Nothing to release."""


class RecordingJudge(Gateway):
    """A gateway that passes calls on to another one and writes them to a cassette.

    It has the attributes of the gateway inside, so recording changes no answer and no
    cache key. An existing file is continued.
    """

    def __init__(self, inner: Gateway, path: Path | str) -> None:
        self._inner = inner
        self._path = Path(path)
        self.name, self.model, self.votes = inner.name, inner.model, inner.votes
        self.takes_tools = inner.takes_tools

    async def complete(self, call: ModelCall) -> ModelReply:
        """Pass the call on and record its outcome.

        Raises:
            JudgeError: what the gateway inside raised.
        """
        try:
            reply = await self._inner.complete(call)
        except JudgeError as error:
            self._write(
                call, {"error": {"error_type": error.error_type, "message": str(error)}}
            )
            raise
        self._write(call, {"reply": reply_to_json(reply)})
        return reply

    async def aclose(self) -> None:
        """Close the gateway inside."""
        await self._inner.aclose()

    def _write(self, call: ModelCall, outcome: Mapping[str, object]) -> None:
        row = {
            "question_id": call.question_id,
            "message_digest": message_digest(call.messages),
            "sample_index": call.sample_index,
            "model": call.model,
            **outcome,
        }
        # A thread would cost more than this short append takes.
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=True) + "\n")


def _lines(path: Path) -> list[str]:
    try:
        return read_text_file(path, TABLE).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            unreadable(error),
            where=str(path),
            hint="expected a cassette, JSONL",
        ) from error


def _read_row(
    row: Mapping[str, Any], where: str
) -> tuple[Identity, ModelReply | tuple[str, str]]:
    unknown = sorted(set(row) - _KEYS)
    if unknown:
        raise ConfigError(
            f"unknown key {unknown[0]!r}",
            where=where,
            hint=f"expected {', '.join(sorted(_KEYS))}",
        )
    question, digest = row.get("question_id"), row.get("message_digest")
    sample = row.get("sample_index", 0)
    if (
        not isinstance(question, str)
        or not isinstance(digest, str | None)
        or type(sample) is not int
    ):
        raise ConfigError(
            "needs question_id (text), message_digest (text), sample_index (number)",
            where=where,
        )
    if ("reply" in row) == ("error" in row):
        raise ConfigError("needs either a reply or an error", where=where)
    identity = (question, digest, sample)
    if "error" in row:
        return identity, _read_error(row["error"], where)
    try:
        return identity, reply_from_json(row["reply"])
    except ValueError as error:
        raise ConfigError(str(error), where=f"{where}, reply") from error


def _read_error(data: Any, where: str) -> tuple[str, str]:
    fields = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    kind, message = fields.get("error_type"), fields.get("message", "")
    if not isinstance(kind, str) or not isinstance(message, str):
        raise ConfigError(
            "an error needs an error_type and a message, both text", where=where
        )
    return kind, message
