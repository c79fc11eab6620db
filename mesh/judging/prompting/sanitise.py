"""Make hostile text harmless before a judge reads it: what could pass for structure is replaced, visibly, and counted.

Replaced are characters that hide or reorder text, look-alike letters inside a Latin word, the tokens that chat
templates reserve, the markers this project frames materials with, lines that look like the judge's own verdict, and
words that give the evaluator orders. Everything else stays as it is: the judge is to see what the agent wrote. Pure.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from typing import Final

from judgemesh.mesh.judging.prompting.escapes import decoded
from judgemesh.mesh.judging.prompting.fold import (
    HIDDEN,
    JOINERS,
    fold,
    is_plain,
    look_alikes,
)
from judgemesh.mesh.judging.prompting.injection import find
from judgemesh.mesh.judging.prompting.orders import HostileSpan, OrderKind
from judgemesh.mesh.judging.prompting.scan import Scan


class Family(StrEnum):
    """What was replaced."""

    HIDDEN = "hidden"
    LOOK_ALIKE = "look_alike"
    TOKEN = "token"
    MARKER = "marker"
    VERDICT = "verdict"
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class Sanitised:
    """The text a judge may see: how many replacements, how many of each family, and which kinds of orders it held."""

    text: str
    replaced: int
    families: Mapping[Family, int] = field(default_factory=dict[Family, int])
    orders: frozenset[OrderKind] = frozenset()


# Each pattern has one group: the name that stays readable. Bounded repeats only, so that no input is slow.
_ANGLED: Final = (
    "s|bos|eos|unk|pad|mask|sop|eop|eoh|eoa|eot|start_of_turn|end_of_turn|start_of_image|im_start|im_end|inst",
    r"extra_id_\d{1,3}|unused\d{1,4}|reserved_\d{1,4}|tool_calls?|tool_response|function_calls?|function_results?",
    "think|thinking|human|system|assistant|user|developer|evaluator|judge|grader|verdict|judge?ment|instructions?",
    "system_prompt|system-reminder",
)
_SQUARE: Final = (
    "INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|PREFIX|SUFFIX|MIDDLE|IMG",
    r"gMASK|sMASK|THINK|MODEL_SETTINGS|CONTROL_\d{1,3}",
)
_BARRED: Final = (
    "im_start|im_end|im_sep|start|end|eot_id|eom_id|eos|bos|system|user|assistant|tool|channel|message|call|return",
    r"constrain|begin_of_text|end_of_text|endoftext|fim_\w{0,16}",
)
_PATTERNS: Final = (
    (
        Family.TOKEN,
        r"[<\uff1c][|\uff5c]([^|\uff5c<>\n]{0,64})[|\uff5c][>\uff1e]",
    ),  # <|im_start|>, <|system|>
    (Family.TOKEN, rf"[<\uff1c][|\uff5c]({'|'.join(_BARRED)})\b"),
    (Family.TOKEN, rf"\[(/?(?:{'|'.join(_SQUARE)}))\]"),
    (Family.TOKEN, r"<<(/?SYS)>>"),
    (Family.TOKEN, rf"<(/?(?:{'|'.join(_ANGLED)}))\s{{0,8}}>"),
    (
        Family.TOKEN,
        r"^[^\S\n]{0,4}#{2,4}[^\S\n]{0,4}((?:instruction|response|system|human|user|assistant|input)):",
    ),
    (Family.TOKEN, r"(?<=\n\n)[^\S\n]{0,4}((?:human|assistant)):"),
    # Upper-case role words that open a line mark turns in some templates; in lower case they are ordinary prose.
    (Family.TOKEN, r"^((?-i:SYSTEM|USER|ASSISTANT|HUMAN)):(?=[^\S\n]{0,4}\S)"),
    (Family.TOKEN, r"\b(GPT4 Correct (?:User|Assistant)):"),
    (Family.MARKER, r"\[\[\s{0,8}((?:material|end)\b[^\[\]\n]{0,256})\]\]"),
    (
        Family.MARKER,
        r"\[\[\s{0,8}((?:material|end)[^\S\n]{1,8}\w{1,64}[^\[\]\n]{0,64})$",
    ),
)
_RESERVED: Final = tuple(
    (family, re.compile(rule, re.IGNORECASE | re.MULTILINE))
    for family, rule in _PATTERNS
)

_RULINGS: Final = r"yes|no|pass|passed|fail|failed|cannot[ _-]?assess|approved|rejected|correct|true|false"
_VERDICTS: Final = (
    # {"verdict": "yes"}, **Verdict:** yes
    re.compile(
        rf"[\"'`*_]{{0,4}}\bverdict[^\w\n]{{0,6}}[:=]\W{{0,8}}((?:{_RULINGS}))\b[\"'`*]{{0,4}}",
        re.IGNORECASE,
    ),
    re.compile(
        r"^[^\w\n]{0,12}(?:final |overall |my |the )?(?:judge?ment|grade|evaluation(?: result)?|assessment|ruling)"
        rf"[^\w\n]{{0,4}}[:=-][^\w\n]{{0,6}}((?:{_RULINGS}))[^\w\n]{{0,8}}$",
        re.IGNORECASE | re.MULTILINE,
    ),
)

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_LATIN_LETTER: Final = re.compile(r"[A-Za-z]")
_LAST_LATIN: Final = 0x24F  # the end of the block Latin Extended-B
_BOUNDARY_DIGITS: Final = 20


def sanitise(text: str, *, boundary: str = "") -> Sanitised:
    """Replace what could pass for structure, or for an order to the evaluator, by a visible stand-in.

    A hidden character or a look-alike becomes `[U+200B]`, a reserved token `(token im_start)`, a line like a verdict
    `(the text's own ruling: yes)`, an order `(words to the evaluator, 42 characters, withheld)`. Joiners stay where
    both neighbours are beyond ASCII, as in emoji and in Persian words. Doing it again changes nothing.
    """
    clean = _sanitised(text)
    if not boundary or boundary not in clean.text:
        return clean
    count = clean.text.count(boundary)
    families = Counter(clean.families)
    families[Family.MARKER] += count
    return Sanitised(
        text=clean.text.replace(boundary, "(boundary)"),
        replaced=clean.replaced + count,
        families=families,
        orders=clean.orders,
    )


@lru_cache(maxsize=64)
def _sanitised(text: str) -> Sanitised:
    """Cached, because every question about a result reads the same materials."""
    counts: Counter[Family] = Counter()
    orders: set[OrderKind] = set()
    clean = text
    while True:  # a replacement can complete something enclosing; each pass removes something, so this ends
        before = counts.total()
        # Structure first: an order often stands between tokens, and is recognised by where it begins.
        clean = _without_escaped_tokens(_without_tokens(clean, counts), counts)
        clean = _without_disguised_verdicts(clean, counts)
        spans = find(clean)
        orders.update(span.kind for span in spans)
        counts[Family.ORDER] += len(spans)
        clean = _without_odd_characters(_without_spans(clean, spans), counts)
        if counts.total() == before:
            # The unary plus drops families with a count of 0.
            return Sanitised(clean, before, +counts, frozenset(orders))


def _without_spans(text: str, spans: tuple[HostileSpan, ...]) -> str:
    parts: list[str] = []
    end = 0
    for span in spans:
        parts.append(text[end : span.start])
        chars = span.end - span.start
        parts.append(f"(words to the evaluator, {chars} characters, withheld)")
        end = span.end
    parts.append(text[end:])
    return "".join(parts)


def _without_disguised_verdicts(text: str, counts: Counter[Family]) -> str:
    """Verdict lines in look-alike, styled or hidden letters, or behind an escaped line break."""
    if text.isascii() and decoded(text).starts is None:
        return text
    view = fold(text)
    for pattern in _VERDICTS:
        found = list(pattern.finditer(view.text))
        if not found:
            continue
        for match in reversed(found):
            start, end = view.span(*match.span())
            text = f"{text[:start]}{_verdict(match)}{text[end:]}"
        counts[Family.VERDICT] += len(found)
        view = fold(text)
    return text


def _without_escaped_tokens(text: str, counts: Counter[Family]) -> str:
    """Tokens and markers that show only once the escapes of JSON, HTML or a URL are read."""
    view = decoded(text)
    if view.starts is None:
        return text
    for family, pattern in _RESERVED:
        found = list(pattern.finditer(view.text))
        if not found:
            continue
        for match in reversed(found):
            start, end = view.span(*match.span())
            text = f"{text[:start]}{_visible(match)}{text[end:]}"
        counts[family] += len(found)
        view = decoded(text)
    return text


def _without_odd_characters(text: str, counts: Counter[Family]) -> str:
    if is_plain(text):
        return text

    def code_point(match: re.Match[str]) -> str:
        counts[Family.HIDDEN] += 1
        return f"[U+{ord(match[0]):04X}]"

    def joiner(match: re.Match[str]) -> str:
        start, end = match.span()
        before = match.string[max(0, start - 1) : start]
        after = match.string[end : end + 1]
        if _beyond_ascii(before) and _beyond_ascii(after):
            return match[0]
        return code_point(match)

    def word(match: re.Match[str]) -> str:
        if not _is_disguised(match[0]):
            return match[0]
        revealed, count = _look_alike_pattern().subn(
            lambda letter: f"[U+{ord(letter[0]):04X}]", match[0]
        )
        counts[Family.LOOK_ALIKE] += count
        return revealed

    clean = JOINERS.sub(joiner, HIDDEN.sub(code_point, text))
    if clean.isascii() or _look_alike_pattern().search(clean) is None:
        return clean
    return _LETTERS.sub(word, clean)


def _beyond_ascii(char: str) -> bool:
    return char != "" and not char.isascii()


def _is_disguised(word: str) -> bool:
    """A Latin word with look-alikes: at least two Latin letters, and no foreign letters but look-alikes."""
    if _look_alike_pattern().search(word) is None:
        return False
    if len(_LATIN_LETTER.findall(word)) < 2:
        return False
    return all(char in look_alikes() or ord(char) <= _LAST_LATIN for char in word)


@cache
def _look_alike_pattern() -> re.Pattern[str]:
    return re.compile(f"[{''.join(look_alikes())}]")


def _without_tokens(text: str, counts: Counter[Family]) -> str:
    if is_plain(text) and not _structure().found(text):
        return text
    clean = text
    while True:
        before = counts.total()
        for family, pattern in _RESERVED:
            clean, count = pattern.subn(_visible, clean)
            counts[family] += count
        for pattern in _VERDICTS:
            clean, count = pattern.subn(_verdict, clean)
            counts[Family.VERDICT] += count
        if counts.total() == before:
            return clean


@cache
def _structure() -> Scan[bool]:
    """What the patterns of tokens, markers and verdicts match in plain text, for RE2.

    It has no look-around. Without it a pattern matches more, which costs a search with the pattern itself.
    """
    rules = [rule for _, rule in _PATTERNS]
    patterns = [f"(?im){_LOOK_AROUND.sub('', rule)}" for rule in rules]
    patterns += [f"(?im){pattern.pattern}" for pattern in _VERDICTS]
    return Scan((_CODE_POINT.sub(r"\\x{\1}", pattern), True) for pattern in patterns)


_LOOK_AROUND: Final = re.compile(r"\(\?<?=[^()]*\)")
_CODE_POINT: Final = re.compile(r"\\u([0-9a-f]{4})")


def _verdict(match: re.Match[str]) -> str:
    return f"(the text's own ruling: {match[1]})"


def _visible(match: re.Match[str]) -> str:
    name = match[1].strip()
    return f"(token {name})" if name else "(token)"


def boundary_for(
    texts: Iterable[str], *, avoid: Iterable[str] = (), seed: int = 0
) -> str:
    """A boundary code that looks random and occurs in none of the texts, nor in those to `avoid`.

    It follows from the texts and the seed alone: the same content gets the same boundary, so cached answers stay
    valid, and every question about one result begins with the same words, so the provider's prefix cache works. A
    text cannot contain its own code, because the code changes with it.
    """
    parts = tuple(texts)
    avoided = [*parts, *avoid]
    repetitions = 0
    code = _boundary_code(parts, seed, repetitions)
    while any(code in part for part in avoided):
        repetitions += 1
        code = _boundary_code(parts, seed, repetitions)
    return code


@lru_cache(maxsize=64)
def _boundary_code(parts: tuple[str, ...], seed: int, repetitions: int) -> str:
    """Cached, because every question about a result has the same materials."""
    state = hashlib.sha256(f"boundary:{seed}".encode())
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        state.update(f":{len(encoded)}:".encode())
        state.update(encoded)
    state.update(b":again" * repetitions)
    return state.hexdigest()[:_BOUNDARY_DIGITS]
