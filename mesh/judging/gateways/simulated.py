"""The simulated judge of the fake provider: answers, faults and usage. No I/O, no clock.

Every draw follows from the seed and the content of the request, never from the order in which requests arrive.

**The truth** about a question is looked up in this order:

1. a marker in the question itself: `TRUTH:yes` or `TRUTH:no`;
2. a marker for one question in the judged text: `TRUTH(words):no` holds for a question that contains `words`;
3. a marker for every question in the judged text: `TRUTH:yes`;
4. without marker: a coin thrown from the seed and the content.

A message may ask several questions, one a line, as `Question q1: ...`, `Question q2: ...`: each is answered as if it
were the only one, but for a judge with a halo, whose earlier answers pull the later ones.

The question is what follows the last line that begins with `Question:` in the last message; without such a line, the
whole message. Where the question is turned round (a line `Claim: the correct answer ... is "no".` right before it),
what is true of the claim is the opposite. The judge reports a true "yes" with probability `sensitivity` and a true "no"
with probability `specificity`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import log
from typing import Any, Final, Literal, cast

Word = Literal["yes", "no"]


class ProviderFault(StrEnum):
    """What can go wrong with a call."""

    RATE_LIMIT = "429"
    SERVER_ERROR = "500"
    HANG = "hang"
    TRUNCATED = "truncated"
    INVALID_JSON = "invalid_json"
    REFUSAL = "refusal"


BILLED: Final = frozenset({ProviderFault.INVALID_JSON, ProviderFault.REFUSAL})
"""Faults in which a completion is delivered: it is paid for, good or not."""

_BLOCK: Final = 512  # bytes of a prompt that share one entry of the simulated prefix cache: 128 tokens
_BYTES_PER_TOKEN: Final = 4
_MAX_BLOCKS: Final = 500_000
_TRUTH: Final = re.compile(
    r"TRUTH(?:\(([^()\n]{1,200})\))?:\s?(yes|no)\b", re.IGNORECASE
)
_QUESTION: Final = re.compile(r"^Question:", re.MULTILINE)
_SEVERAL: Final = re.compile(r"^Question q\d{1,3}: (.*)$", re.MULTILINE)
_CLAIM: Final = re.compile(
    r'^Claim: the correct answer[^\n]{0,80} is "no"\.\s*\Z', re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """How the simulated judge behaves; rates and probabilities in 0..1.

    min_cached_tokens: shorter prefixes are not served from the prompt cache. 0 tokens are never cached.
    context_tokens: longer prompts are rejected, as a real provider rejects them; None for no limit.
    always: what it says to everything, whatever is true; None for a judge that looks.
    cache_writes: whether what goes into the prompt cache is reported, and billed, as written there.
    halo: of several questions in one message, the share of answers after the first that only follow the ones before
        (what most of them said; after a tie, the last), whatever is true.
    """

    sensitivity: float = 1.0
    specificity: float = 1.0
    fault_rate: float = 0.0
    faults: tuple[ProviderFault, ...] = tuple(ProviderFault)
    seed: int = 0
    prompt_cache: bool = True
    min_cached_tokens: int = 1024
    context_tokens: int | None = None
    always: Word | None = None
    cache_writes: bool = False
    halo: float = 0.0

    def __post_init__(self) -> None:
        for name in ("sensitivity", "specificity", "fault_rate", "halo"):
            value: float = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"{name} must lie in 0..1, got {value}")


def draw(*parts: object) -> float:
    """A number in [0, 1) that follows from the parts alone."""
    digest = hashlib.sha256(
        "\x1f".join(str(part) for part in parts).encode("utf-8", "surrogatepass")
    ).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def is_negated(text: str) -> bool:
    """Whether the last message of a prompt asks if "no" is right, instead of asking the question itself."""
    marks = list(_QUESTION.finditer(text))
    return bool(marks) and _CLAIM.search(text[: marks[-1].start()]) is not None


def truth_of(text: str, *, seed: int = 0) -> Word:
    """What is true about what the last message of a prompt asks: its question, or the claim about it."""
    truth = _truth_of_question(text, seed=seed)
    if is_negated(text):
        return _OPPOSITE[truth]
    return truth


def _truth_of_question(text: str, *, seed: int) -> Word:
    start = 0
    for mark in _QUESTION.finditer(text):
        start = mark.start()
    judged, question = text[:start], text[start:]
    for words, answer in _TRUTH.findall(question):
        if not words:
            return _word(answer)
    marked = _TRUTH.findall(judged)
    for words, answer in marked:
        if words and words.casefold() in question.casefold():
            return _word(answer)
    for words, answer in marked:
        if not words:
            return _word(answer)
    if draw("truth", seed, text) < _HALF:
        return "yes"
    return "no"


def verdict_of(text: str, content: str, behaviour: Behaviour) -> Word:
    """What the judge says about the last message `text` of the request `content`."""
    if behaviour.always is not None:
        return behaviour.always
    truth = truth_of(text, seed=behaviour.seed)
    if draw("verdict", behaviour.seed, content) < _accuracy(truth, behaviour):
        return truth
    return _OPPOSITE[truth]


def _accuracy(word: Word, behaviour: Behaviour) -> float:
    """The share of right verdicts where the truth is `word`."""
    if word == "yes":
        return behaviour.sensitivity
    return behaviour.specificity


def several(text: str) -> list[str]:
    """The last message once for each of the questions it asks, as if that were the only one; none for a single one."""
    start = text.rfind("\nQuestion q1: ")
    if start < 0:
        return []
    questions = _SEVERAL.findall(text[start:])
    return [f"{text[:start]}\nQuestion: {question}" for question in questions]


def verdicts_of(texts: Sequence[str], content: str, behaviour: Behaviour) -> list[Word]:
    """What the judge says to several questions of one request, in their order."""
    verdicts: list[Word] = []
    for number, text in enumerate(texts):
        word = verdict_of(text, f"{content}\x1f{number}", behaviour)
        swayed = draw("halo", behaviour.seed, content, number) < behaviour.halo
        if verdicts and swayed:
            word = _leader(verdicts)
        verdicts.append(word)
    return verdicts


def _leader(verdicts: Sequence[Word]) -> Word:
    """What most verdicts say; after a tie, the last one."""
    lead = verdicts.count("yes") - verdicts.count("no")
    if lead == 0:
        return verdicts[-1]
    if lead > 0:
        return "yes"
    return "no"


def probability_of(word: Word, content: str, behaviour: Behaviour) -> float:
    """The probability of "yes" that goes with a verdict: as sure as the judge is good, give or take."""
    rate = _accuracy(word, behaviour)
    sure = min(max(rate - 0.1 * draw("sure", behaviour.seed, content), 0.55), 0.99)
    if word == "yes":
        return sure
    return 1.0 - sure


def logprobs_of(p_yes: float, most: int) -> dict[str, Any]:
    """The `logprobs` of a choice whose first token is yes or no: spellings of both, and a little of something else."""
    shares = {
        "yes": 0.9 * p_yes,
        " Yes": 0.09 * p_yes,
        "no": 0.9 * (1 - p_yes),
        "No": 0.09 * (1 - p_yes),
        "The": 0.01,
    }
    ranked = sorted(shares.items(), key=lambda item: -item[1])[:most]
    top = [
        {"token": token, "logprob": log(share), "bytes": list(token.encode())}
        for token, share in ranked
    ]
    return {"content": [{**top[0], "top_logprobs": top}]}


def fault_of(
    content: str, times_seen: int, behaviour: Behaviour
) -> ProviderFault | None:
    """What goes wrong when this request is made for the `times_seen`-th time (0 the first)."""
    if (
        not behaviour.faults
        or draw("fault", behaviour.seed, content, times_seen) >= behaviour.fault_rate
    ):
        return None
    which = draw("kind", behaviour.seed, content, times_seen)
    return behaviour.faults[int(which * len(behaviour.faults))]


def content_of(body: Mapping[str, Any]) -> str:
    """The request as one canonical text: what every draw hangs on."""
    request = {key: body.get(key) for key in ("model", "messages", "seed")}
    return json.dumps(request, sort_keys=True, ensure_ascii=True)


def last_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """The text of the last message, whether given as text or as parts."""
    if not messages:
        return ""
    return _text(messages[-1])


def answer_text(word: Word, response_format: object) -> str:
    """The completion: JSON where a schema or JSON is asked for, else a sentence and the verdict on the last line."""
    reason = f"The record shows that the answer is {word}."
    schema = _schema_of(response_format)
    if schema is not None and "verdict" not in _mapping(schema.get("properties")):
        return json.dumps(instance_of(schema))
    if schema is not None or _mapping(response_format).get("type") == "json_object":
        return json.dumps({"reason": reason, "verdict": word})
    return f"{reason}\n{word}"


def answers_text(words: Sequence[Word], response_format: object) -> str:
    """The completion for several questions: an entry for each where JSON is asked for, else a last line for each."""
    reasons = [f"The record shows that the answer is {word}." for word in words]
    if (
        _schema_of(response_format) is None
        and _mapping(response_format).get("type") != "json_object"
    ):
        lines = [f"q{number}: {word}" for number, word in enumerate(words, start=1)]
        return "\n".join([*reasons, *lines])
    entries = {
        f"q{number}": {"reason": reason, "quote": "", "verdict": word}
        for number, (word, reason) in enumerate(
            zip(words, reasons, strict=True), start=1
        )
    }
    return json.dumps(entries)


def instance_of(schema: Mapping[str, Any]) -> object:
    """A small value that fits a plain JSON Schema (type, enum, const, properties, required, items, minItems)."""
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return cast("list[object]", schema["enum"])[0]
    kind: object = schema.get("type")
    if isinstance(kind, list):
        kind = cast("list[object]", kind)[0] if kind else None
    if kind == "object" or (kind is None and "properties" in schema):
        properties = _mapping(schema.get("properties"))
        return {key: instance_of(_mapping(part)) for key, part in properties.items()}
    if kind == "array":
        return [instance_of(_mapping(schema.get("items")))] * max(
            1, int(schema.get("minItems", 1))
        )
    return _PLAIN.get(str(kind), "text")


def token_count(text: str) -> int:
    """Tokens of a text: one for every four bytes, at least one."""
    return max(1, -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN))


@dataclass(slots=True)
class PrefixCache:
    """Which prompt prefixes were seen before, in blocks, as providers cache them."""

    _seen: OrderedDict[bytes, None] = field(default_factory=OrderedDict[bytes, None])

    def cached_tokens(self, prompt: str, *, model: str) -> int:
        """Tokens of the longest known prefix; the prompt itself is known from now on."""
        known = self.known_tokens(prompt, model=model)
        self.learn(prompt, model=model)
        return known

    def known_tokens(self, prompt: str, *, model: str) -> int:
        """Tokens of the longest known prefix."""
        known = 0
        for key in _blocks(prompt, model):
            if key not in self._seen:
                break
            known += _BLOCK // _BYTES_PER_TOKEN
        return known

    def learn(self, prompt: str, *, model: str) -> None:
        """The prompt is known from now on."""
        for key in _blocks(prompt, model):
            self._seen[key] = None
            self._seen.move_to_end(key)
        while len(self._seen) > _MAX_BLOCKS:
            self._seen.popitem(last=False)


def _blocks(prompt: str, model: str) -> Iterator[bytes]:
    """A key for each whole block of a prompt, which covers all that stands before it too."""
    data = prompt.encode("utf-8", "surrogatepass")
    state = hashlib.sha256(model.encode())
    for start in range(0, len(data) - _BLOCK + 1, _BLOCK):
        state.update(data[start : start + _BLOCK])
        yield state.digest()


def prompt_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """All messages as the one text whose prefix a provider would cache."""
    return "".join(f"{message.get('role')}\n{_text(message)}\n" for message in messages)


_HALF: Final = 0.5
_OPPOSITE: Final[Mapping[Word, Word]] = {"yes": "no", "no": "yes"}
_PLAIN: Final[Mapping[str, object]] = {
    "string": "text",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "null": None,
}


def _word(answer: str) -> Word:
    if answer.casefold() == "yes":
        return "yes"
    return "no"


def _mapping(value: object) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    return {}


def _schema_of(response_format: object) -> Mapping[str, Any] | None:
    fields = _mapping(response_format)
    if fields.get("type") != "json_schema":
        return None
    return _mapping(_mapping(fields.get("json_schema")).get("schema"))


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = cast("list[object]", content)
    return "".join(str(_mapping(part).get("text", "")) for part in parts)
