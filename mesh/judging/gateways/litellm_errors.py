"""Errors of litellm, and of HTTP status codes, as judge errors. Pure; litellm is not imported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, cast

from judgemesh.contracts.errors import (
    JudgeError,
    JudgeMalformed,
    JudgeRateLimited,
    JudgeRefused,
    JudgeRejected,
    JudgeTimeout,
    JudgeUnavailable,
)
from judgemesh.mesh.judging.errors import (
    AccessDenied,
    ConnectionBroken,
    LogprobsRejected,
    StructuredOutputRejected,
    Unreachable,
)

_BY_NAME: Final[Mapping[str, type[JudgeError]]] = {
    "Timeout": JudgeTimeout,
    "APITimeoutError": JudgeTimeout,
    "ContextWindowExceededError": JudgeRejected,
    "ContentPolicyViolationError": JudgeRefused,
    "UnsupportedParamsError": JudgeRejected,
    "APIResponseValidationError": JudgeMalformed,
    "JSONSchemaValidationError": JudgeMalformed,
}
NO_ENDPOINT: Final = (404, 405, 501)
"""Statuses of a server that does not have the path that was asked for."""
_BY_STATUS: Final[Mapping[int, type[JudgeError]]] = {
    401: AccessDenied,
    402: AccessDenied,
    403: AccessDenied,
    404: AccessDenied,
    405: AccessDenied,
    407: AccessDenied,
    408: JudgeTimeout,
    409: JudgeUnavailable,
    425: JudgeUnavailable,
    429: JudgeRateLimited,
}
_NEVER_REACHED: Final = frozenset(
    {"ConnectError", "ConnectTimeout", "ClientConnectorError", "PoolTimeout"}
)
_NO_QUOTA: Final = (
    "insufficient_quota",
    "billing_hard_limit",
    "exceeded your current quota",
)
_NO_ACCESS: Final = (
    "api key not valid",
    "incorrect api key",
    "invalid api key",
    "invalid model",
    "invalid_api_key",
    "llm provider not provided",
    "model does not exist",
    "model not exist",
    "model_not_found",
)
"""What some providers say about a key or a model with status 400."""
_NOTHING_SENT: Final = (
    "api_key client option must be set",
    "credentials",
    "missing api key",
)
"""What a client library says when it has no key to send."""
_NO_SCHEMA: Final = (
    "response_format",
    "json_schema",
    "response_schema",
    "output_format",
    "structured output",
    "tool",
)
_NO_LOGPROBS: Final = ("logprob",)
_CONTEXT: Final = (
    "context_length_exceeded",
    "maximum context length",
    "context window",
)
_FILTERED: Final = ("content_filter", "content_policy")
_FLAGGED: Final = ("moderation", "flagged", *_FILTERED)
_TOLD_BY_WORDS: Final[tuple[tuple[tuple[str, ...], type[JudgeError]], ...]] = (
    (_CONTEXT, JudgeRejected),
    (_NO_LOGPROBS, LogprobsRejected),
    (_NO_SCHEMA, StructuredOutputRejected),
    (_FLAGGED, JudgeRefused),
    (_NO_ACCESS, AccessDenied),
)
"""What a rejected request was rejected for; the first that the message names."""
_MAX_MESSAGE: Final = 300
_CLASS_NAMES: Final = re.compile(
    r"^(?:(?:litellm\.)?[A-Z]\w*(?:Error|Exception)(?:: | - ))+"
)
"""What litellm puts in front of a message."""
_MS_PER_S: Final = 1000


def judge_error(error: Exception, *, structured: bool) -> JudgeError:
    """The judge error for an error of litellm.

    Args:
        error: what litellm raised.
        structured: whether the call asked for JSON of a schema.
    """
    message = _one_line(error)
    kind = next((_BY_NAME[name] for name in _names(error) if name in _BY_NAME), None)
    headers = _headers(error)
    if kind is None:
        kind = _by_status(getattr(error, "status_code", None))
    kind = _by_words(kind, message.casefold(), structured=structured)
    if kind is JudgeUnavailable and headers is None:
        kind = _without_response(error, message)
    text = _CLASS_NAMES.sub("", message) or message
    return kind(text, retry_after_s=_retry_after_s(headers or {}))


def _without_response(error: Exception, message: str) -> type[JudgeError]:
    """The kind of an error that came without an HTTP response."""
    if _never_reached(error):
        return Unreachable
    if any(words in message.casefold() for words in _NOTHING_SENT):
        return AccessDenied
    return ConnectionBroken


def status_error(
    status: int, message: str, headers: Mapping[str, str], *, structured: bool
) -> JudgeError:
    """The judge error for an HTTP response that is no success; header names in lower case."""
    kind = _by_words(_by_status(status), message.casefold(), structured=structured)
    text = " ".join(message.split())
    return kind(f"HTTP {status}: {_cut(text)}", retry_after_s=_retry_after_s(headers))


def _by_words(
    kind: type[JudgeError], message: str, *, structured: bool
) -> type[JudgeError]:
    """The kind of error that the provider's message tells beyond its status."""

    def says(words: tuple[str, ...]) -> bool:
        return any(word in message for word in words)

    if issubclass(kind, JudgeRejected):
        for words, told in _TOLD_BY_WORDS:
            if says(words) and (structured or told is not StructuredOutputRejected):
                return told
    if kind is JudgeRateLimited and says(_NO_QUOTA):
        return AccessDenied  # waiting does not fill an empty account
    return kind


def _by_status(status: object) -> type[JudgeError]:
    if not isinstance(status, int):
        return JudgeUnavailable
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status in _CLIENT_ERRORS:
        return JudgeRejected
    return JudgeUnavailable


_CLIENT_ERRORS: Final = range(400, 500)


def _names(error: BaseException) -> list[str]:
    return [kind.__name__ for kind in type(error).__mro__]


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _never_reached(error: BaseException) -> bool:
    """Whether the request was not sent: no address, or no server at it."""
    for link in _chain(error):
        if not _NEVER_REACHED.isdisjoint(_names(link)):
            return True
    return False


def _headers(error: Exception) -> Mapping[str, str] | None:
    """The headers of the provider's HTTP response; None if there was none."""
    for link in _chain(error):
        for owner in (link, getattr(link, "response", None)):
            for name in ("litellm_response_headers", "headers"):
                headers = getattr(owner, name, None)
                if isinstance(headers, Mapping) and headers:
                    items = cast("Mapping[object, object]", headers).items()
                    return {str(key).casefold(): str(value) for key, value in items}
    return None


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The wait that the headers ask for: milliseconds, seconds or a date."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / _MS_PER_S)
        return max(0.0, float(headers["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        return _until(headers.get("retry-after", ""))


def _until(date: str) -> float | None:
    try:
        when = parsedate_to_datetime(date)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def _one_line(error: BaseException) -> str:
    """The message in one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    for link in _chain(error):
        if _never_reached(link) and type(link).__name__ == "ClientConnectorError":
            text = f"cannot connect: {' '.join(str(link.__cause__ or link).split())}"
    return _cut(text)


def _cut(text: str) -> str:
    """The text, or its beginning."""
    if len(text) <= _MAX_MESSAGE:
        return text
    return f"{text[:_MAX_MESSAGE]}..."
