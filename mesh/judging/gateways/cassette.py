"""Recorded model calls: write them while a run goes on, answer from them later without a model.

A cassette is JSONL, one call a line:

    {"question_id": "polite", "message_digest": "sha256:...", "sample_index": 0, "model": "openai/gpt-4.1-mini",
     "reply": {"text": "...", "usage": {...}, "model_served": "..."}}

or `"error": {"error_type": "rate_limited", "message": "..."}` instead of `reply`. A line without `message_digest`
answers its question for whatever content. Lines of the same identity answer in their order; the last one stays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError, JudgeError, JudgeRejected
from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
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
    """The recorded outcomes of one identity, and how many were given out."""

    outcomes: list[ModelReply | tuple[str, str]] = field(
        default_factory=list["ModelReply | tuple[str, str]"]
    )
    given: int = 0

    def following(self) -> ModelReply | tuple[str, str]:
        outcome = self.outcomes[min(self.given, len(self.outcomes) - 1)]
        self.given += 1
        return outcome


class ReplayJudge(Gateway):
    """A gateway that answers from a cassette. What the cassette does not hold is rejected, never made up.

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
        """The model all lines name; None when they name none, or several."""
        self.votes = (
            "lead" if any(sample > 0 for _, _, sample in self._takes) else "single"
        )
        """The way of voting it was recorded with: a cassette of single votes has no answer to a second one."""

    def _add(self, line: str, models: dict[str, None], *, where: str) -> None:
        try:
            data: Any = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"is no JSON: {error}", where=where) from error
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
                outcome = takes.following()
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
    """A gateway around another one that writes every call to a cassette, as it ends.

    `name` is that of the gateway inside: recording changes no answer and no cache key. An existing file is
    continued.
    """

    def __init__(self, inner: Gateway, path: Path | str) -> None:
        self._inner = inner
        self._path = Path(path)
        self.name, self.model, self.votes = inner.name, inner.model, inner.votes
        self.takes_tools = inner.takes_tools

    async def complete(self, call: ModelCall) -> ModelReply:
        """Pass the call on and write down what became of it.

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
        # One short append to a local file for each model call; a thread for it would cost more than it saves.
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=True) + "\n")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"cannot be read: {error}",
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
    question, digest, sample = (
        row.get("question_id"),
        row.get("message_digest"),
        row.get("sample_index", 0),
    )
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
    given = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    kind, message = given.get("error_type"), given.get("message", "")
    if not isinstance(kind, str) or not isinstance(message, str):
        raise ConfigError(
            "an error needs an error_type and a message, both text", where=where
        )
    return kind, message
