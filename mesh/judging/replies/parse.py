"""Read a verdict, or data, out of what a model wrote. Pure, and suspicious: no verdict is ever assumed.

The ladder: the whole text as JSON; else the last JSON object in the text that has a verdict; else, where there is no
JSON at all, a last line that is nothing but yes, no or cannot_assess. Whatever is doubtful - a key given twice, a
verdict of another word, a reply cut off, a second verdict begun after the first, verdicts that contradict each other -
is `JudgeMalformed`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, NoReturn, cast

from judgemesh.contracts.errors import JudgeMalformed, JudgeRefused, JudgeRejected
from judgemesh.contracts.gateway import ModelReply
from judgemesh.contracts.opinions import Vote

VERDICT_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "quote": {"type": "string"},
        "verdict": {"type": "string", "enum": [vote.value for vote in Vote]},
    },
    "required": ["reason", "quote", "verdict"],
    "additionalProperties": False,
}

_REFUSED: Final = frozenset(
    {
        "content_filter",
        "refusal",
        "safety",
        "recitation",
        "prohibited_content",
        "blocklist",
    }
)
CUT_OFF: Final = frozenset({"length", "max_tokens"})
WORDS: Final[Mapping[str, Vote]] = {
    "yes": Vote.YES,
    "no": Vote.NO,
    "cannot_assess": Vote.CANNOT_ASSESS,
    "cannot assess": Vote.CANNOT_ASSESS,
    "cannot-assess": Vote.CANNOT_ASSESS,
}
_SAID: Final[Mapping[str, Vote]] = {
    **WORDS,
    **dict.fromkeys(("ja", "oui", "sí"), Vote.YES),
    **dict.fromkeys(("nein", "non"), Vote.NO),
}
"""Verdicts in JSON: some judges answer in the language of the record."""
_LAST_LINE: Final = re.compile(
    r"(?:(?:final\s+)?(?:verdict|answer)\s*[:=]\s*)?(yes|no|cannot[ _-]assess)",
    re.IGNORECASE,
)
DECORATION: Final = "\t \"'`*_#>.!()"
MAX_STARTS: Final = 256
_MAX_REASON: Final = 4000
_MAX_TEXT: Final = 200_000


class VerdictReading(NamedTuple):
    """What the judge said. `reason` and `quote` are one paragraph of printable text each, possibly empty."""

    vote: Vote
    reason: str = ""
    quote: str = ""


def read_verdict(reply: ModelReply) -> VerdictReading:
    """The verdict of a reply.

    Raises:
        JudgeRefused: the model or its filter declined.
        JudgeMalformed: no verdict, or no unambiguous one, can be read.
    """
    text = text_of(reply)
    document = _whole(text)
    if isinstance(document, dict):
        return reading_of(cast("dict[str, Any]", document))
    if (reply.finish_reason or "").casefold() in CUT_OFF:
        raise JudgeMalformed(
            "the reply was cut off at the token limit before its verdict was complete"
        )
    verdicts = [pair for pair in _objects(text) if _has_verdict(pair[0])]
    if not verdicts:
        return _last_line(text)
    verdict, end = verdicts[-1]
    rest = text[end:]
    if '"verdict"' in rest.casefold():
        raise JudgeMalformed(
            f"another verdict begins after the last complete one: {glimpse(rest)}"
        )
    reading = reading_of(verdict)
    for other, _ in verdicts[:-1]:
        if reading_of(other).vote is not reading.vote:
            raise JudgeMalformed("the reply holds verdicts that contradict each other")
    return reading


def read_data(reply: ModelReply, schema: Mapping[str, object]) -> object:
    """The JSON value of a reply to `Extract`: the whole text, or the last JSON object in it.

    Raises:
        JudgeRefused: the model or its filter declined.
        JudgeMalformed: there is no JSON, or it does not fit the schema.
        JudgeRejected: the schema itself cannot be used.
    """
    text = text_of(reply)
    document = _whole(text)
    if document is _NOTHING:
        if (reply.finish_reason or "").casefold() in CUT_OFF:
            raise JudgeMalformed("the reply was cut off at the token limit")
        objects = list(_objects(text))
        if not objects:
            raise JudgeMalformed(f"no JSON in the reply: {glimpse(text)}")
        document = objects[-1][0]
    _check(document, schema)
    return document


def text_of(reply: ModelReply) -> str:
    """What a reply says, without the fence around it.

    Raises:
        JudgeRefused: the model or its filter declined.
        JudgeMalformed: it says nothing, or far too much.
    """
    text = reply.text.strip()
    if (reply.finish_reason or "").casefold() in _REFUSED:
        raise JudgeRefused(f"the model declined to answer ({reply.finish_reason})")
    if not text:
        raise JudgeMalformed("the reply is empty")
    if len(text) > _MAX_TEXT:
        raise JudgeMalformed(
            f"the reply is {len(text)} characters long; a verdict takes a few hundred"
        )
    return _unfenced(_without_thoughts(text))


def _without_thoughts(text: str) -> str:
    """What follows the thoughts of a model whose server does not take them out.

    They end with the first closing tag: one that stands behind it, in a quotation of the record, hides no verdict. The
    opening tag may be a part of the prompt. Without one a verdict in front of the closing tag still counts, because the
    tag may be a quotation.

    Raises:
        JudgeMalformed: the thoughts have no end.
    """
    if text.startswith(("{", "[", "```")):
        return text
    is_thinking = _THOUGHTS.match(text) is not None
    end = _THOUGHTS_END.search(text)
    if end is None:
        if is_thinking:
            raise JudgeMalformed("the reply was cut off in the thoughts of the model")
        return text
    if not is_thinking and '"verdict"' in text[: end.start()].casefold():
        return text
    return text[end.end() :].strip()


_TAG: Final = r"(?:think|thinking|thought|reasoning)>"
_THOUGHTS: Final = re.compile(rf"<{_TAG}", re.IGNORECASE)
_THOUGHTS_END: Final = re.compile(rf"</{_TAG}", re.IGNORECASE)


def _unfenced(text: str) -> str:
    """The inside, where the whole text is one fenced block."""
    match = _FENCE.fullmatch(text)
    return match[1].strip() if match and "```" not in match[1] else text


_FENCE: Final = re.compile(r"```[A-Za-z]{0,16}[ \t]*\n(.*)\n?```", re.DOTALL)


def reading_of(verdict: Mapping[str, Any]) -> VerdictReading:
    """The reading of one verdict object.

    Raises:
        JudgeMalformed: it holds no verdict, or one that is none of the three words.
    """
    named = {key.casefold(): value for key, value in verdict.items()}
    if len(named) != len(verdict):
        raise JudgeMalformed("keys of the reply differ in case alone")
    if "verdict" not in named:
        raise JudgeMalformed("the reply is JSON without a verdict")
    word = named["verdict"]
    vote = (
        _SAID.get(word.strip(DECORATION).casefold()) if isinstance(word, str) else None
    )
    if vote is None:
        raise JudgeMalformed(
            f"the verdict is {glimpse(repr(word))}, expected yes, no or cannot_assess"
        )
    return VerdictReading(vote, _text(named, "reason"), _text(named, "quote"))


def _has_verdict(document: Mapping[str, Any]) -> bool:
    return any(key.casefold() == "verdict" for key in document)


def _text(verdict: Mapping[str, Any], key: str) -> str:
    value = verdict.get(key)
    return one_line(value) if isinstance(value, str) else ""


def _last_line(text: str) -> VerdictReading:
    if "{" in text:
        raise JudgeMalformed(
            f"no readable verdict object in the reply: {glimpse(text)}"
        )
    lines = [line for line in text.splitlines() if line.strip(DECORATION)]
    last = lines[-1] if lines else text
    match = _LAST_LINE.fullmatch(last.replace("*", "").strip(DECORATION))
    if match is None:
        raise JudgeMalformed(
            f"no verdict on the last line of the reply: {glimpse(last)}"
        )
    return VerdictReading(WORDS[match[1].casefold()], one_line(" ".join(lines[:-1])))


# --- JSON with guards: no NaN, no key twice, no depth that breaks the stack ---


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = max(counts, key=lambda key: counts[key])
        raise JudgeMalformed(f"key {repeated!r} is given twice")
    return result


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(
    # Small models write line breaks into texts.
    strict=False,
    object_pairs_hook=_no_duplicates,
    parse_constant=_no_constant,
)
_NOTHING: Final = object()


def _decode(text: str, start: int) -> tuple[Any, int] | None:
    """The JSON value that begins at `start`, and where it ends. A key given twice raises `JudgeMalformed`."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _whole(text: str) -> object:
    """The text as one JSON value, or `_NOTHING`."""
    decoded = _decode(text, 0)
    if decoded is None or text[decoded[1] :].strip():
        return _NOTHING
    return decoded[0]


def _objects(text: str) -> Iterator[tuple[dict[str, Any], int]]:
    """The JSON objects in a text, outermost only, each with the place where it ends.

    Raises:
        JudgeMalformed: so many opening braces that the text is no honest reply.
    """
    start, tried = text.find("{"), 0
    while start >= 0:
        tried += 1
        if tried > MAX_STARTS:
            raise JudgeMalformed(f"more than {MAX_STARTS} opening braces in the reply")
        decoded = _decode(text, start)
        end = start + 1
        if decoded is not None:
            value, end = decoded
            yield cast("dict[str, Any]", value), end
        start = text.find("{", end)


def _check(document: object, schema: Mapping[str, object]) -> None:
    if not schema:
        return
    import jsonschema_rs  # only an extraction needs it

    try:
        validator = jsonschema_rs.validator_for(dict(schema), retriever=_no_remote)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise JudgeRejected(
            f"the schema of the extraction cannot be used: {glimpse(str(error))}"
        ) from error
    try:
        fault = next(validator.iter_errors(document), None)
    except ValueError as error:  # nested deeper than a schema is checked
        raise JudgeMalformed(
            f"the data cannot be checked: {glimpse(str(error))}"
        ) from None
    if fault is not None:
        where = "/".join(str(step) for step in fault.instance_path) or "the top"
        raise JudgeMalformed(
            f"the data does not fit the schema at {where}: {glimpse(fault.message)}"
        )


def _no_remote(uri: str) -> NoReturn:
    raise ValueError(f"a schema may not refer to {uri}")


def one_line(text: str) -> str:
    """Printable, storable, one paragraph: a lone surrogate in a reason must not break the ledger."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    if not clean.isprintable():
        clean = "".join(char if char.isprintable() else " " for char in clean)
    return " ".join(clean.split())[:_MAX_REASON]


def glimpse(text: str) -> str:
    """The beginning of a text, for a message."""
    line = one_line(text)
    return line if len(line) <= _GLIMPSE else f"{line[:_GLIMPSE]}..."


_GLIMPSE: Final = 120
