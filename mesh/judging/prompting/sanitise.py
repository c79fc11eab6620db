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

from judgemesh.mesh.judging.prompting.fold import HIDDEN, JOINERS, fold, look_alikes
from judgemesh.mesh.judging.prompting.injection import Found, Kind, find


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
    """The text a judge may see. `replaced` counts the places replaced, `families` by kind; `found` are the orders."""

    text: str
    replaced: int
    families: Mapping[Family, int] = field(default_factory=dict[Family, int])
    found: frozenset[Kind] = frozenset()


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

_GOOD: Final = r"yes|no|pass|passed|fail|failed|cannot[ _-]?assess|approved|rejected|correct|true|false"
_VERDICTS: Final = (
    # {"verdict": "yes"}, **Verdict:** yes
    re.compile(
        rf"[\"'`*_]{{0,4}}\bverdict[^\w\n]{{0,6}}[:=][^\w\n]{{0,8}}((?:{_GOOD}))\b[\"'`*]{{0,4}}",
        re.IGNORECASE,
    ),
    re.compile(
        r"^[^\w\n]{0,12}(?:final |overall |my |the )?(?:judge?ment|grade|evaluation(?: result)?|assessment|ruling)"
        rf"[^\w\n]{{0,4}}[:=-][^\w\n]{{0,6}}((?:{_GOOD}))[^\w\n]{{0,8}}$",
        re.IGNORECASE | re.MULTILINE,
    ),
)

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_LATIN_LETTER: Final = re.compile(r"[A-Za-z]")


def sanitise(text: str, *, boundary: str = "") -> Sanitised:
    """Replace what could pass for structure, or for an order to the evaluator, by a visible stand-in.

    A hidden character or a look-alike becomes `[U+200B]`, a reserved token `(token im_start)`, a line like a verdict
    `(the text's own ruling: yes)`, an order `(words to the evaluator, 42 characters, withheld)`. Joiners stay where
    both neighbours are beyond ASCII, as in emoji and in Persian words. Doing it again changes nothing.
    """
    done = _sanitised(text)
    if not boundary or boundary not in done.text:
        return done
    count = done.text.count(boundary)
    families = {
        **done.families,
        Family.MARKER: done.families.get(Family.MARKER, 0) + count,
    }
    return Sanitised(
        done.text.replace(boundary, "(boundary)"),
        done.replaced + count,
        families,
        done.found,
    )


@lru_cache(maxsize=64)
def _sanitised(text: str) -> Sanitised:
    """Kept for a while, because every question about a result reads the same materials."""
    counts: Counter[Family] = Counter()
    kinds: set[Kind] = set()
    out = text
    while True:  # a replacement can complete something enclosing; each pass takes something away, so this ends
        before = counts.total()
        # Structure first: an order often stands between tokens, and is told by where it begins.
        out = _disguised_verdicts(_tokens(out, counts), counts)
        found = find(out)
        kinds |= {place.kind for place in found}
        counts[Family.ORDER] += len(found)
        out = _characters(_withheld(out, found), counts)
        if counts.total() == before:
            return Sanitised(
                out,
                before,
                {family: n for family, n in counts.items() if n},
                frozenset(kinds),
            )


def _withheld(text: str, found: tuple[Found, ...]) -> str:
    parts: list[str] = []
    last = 0
    for place in found:
        parts += [
            text[last : place.start],
            f"(words to the evaluator, {place.end - place.start} characters, withheld)",
        ]
        last = place.end
    return "".join([*parts, text[last:]])


def _disguised_verdicts(text: str, counts: Counter[Family]) -> str:
    """Verdict lines in look-alike, styled or hidden letters."""
    if text.isascii():
        return text
    for pattern in _VERDICTS:
        view = fold(text)
        for match in reversed(list(pattern.finditer(view.text))):
            start, end = view.span(*match.span())
            text = f"{text[:start]}{_verdict(match)}{text[end:]}"
            counts[Family.VERDICT] += 1
    return text


def _characters(text: str, counts: Counter[Family]) -> str:
    def code_point(match: re.Match[str]) -> str:
        counts[Family.HIDDEN] += 1
        return f"[U+{ord(match[0]):04X}]"

    def joiner(match: re.Match[str]) -> str:
        start, end = match.span()
        between = match.string[max(0, start - 1) : start], match.string[end : end + 1]
        return (
            match[0]
            if all(side and not side.isascii() for side in between)
            else code_point(match)
        )

    def word(match: re.Match[str]) -> str:
        if not _disguised(match[0]):
            return match[0]
        odd, count = _odd().subn(lambda letter: f"[U+{ord(letter[0]):04X}]", match[0])
        counts[Family.LOOK_ALIKE] += count
        return odd

    out = JOINERS.sub(joiner, HIDDEN.sub(code_point, text))
    return (
        out if out.isascii() or _odd().search(out) is None else _LETTERS.sub(word, out)
    )


def _disguised(word: str) -> bool:
    """A Latin word with look-alikes from elsewhere: at least two Latin letters, and nothing foreign but look-alikes."""
    odd = len(_odd().findall(word))
    latin = len(_LATIN_LETTER.findall(word))
    return (
        odd > 0
        and latin >= 2
        and all(char in look_alikes() or ord(char) < 0x250 for char in word)
    )


@cache
def _odd() -> re.Pattern[str]:
    return re.compile(f"[{''.join(look_alikes())}]")


def _tokens(text: str, counts: Counter[Family]) -> str:
    out = text
    while True:
        before = counts.total()
        for family, pattern in _RESERVED:
            out, count = pattern.subn(_visible, out)
            counts[family] += count
        for pattern in _VERDICTS:
            out, count = pattern.subn(_verdict, out)
            counts[Family.VERDICT] += count
        if counts.total() == before:
            return out


def _verdict(match: re.Match[str]) -> str:
    return f"(the text's own ruling: {match[1]})"


def _visible(match: re.Match[str]) -> str:
    return f"(token {match[1].strip()})" if match[1].strip() else "(token)"


def boundary_for(
    texts: Iterable[str], *, avoid: Iterable[str] = (), seed: int = 0
) -> str:
    """A boundary code that looks random and occurs in none of the texts, nor in those to `avoid`.

    It follows from the texts and the seed alone: the same content gets the same boundary, so cached answers stay
    valid, and every question about one result begins with the same words, so the provider's prefix cache works. A
    text cannot contain its own code, because the code changes with it.
    """
    parts = list(texts)
    avoided = [*parts, *avoid]
    state = hashlib.sha256(f"boundary:{seed}".encode())
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        state.update(f":{len(encoded)}:".encode())
        state.update(encoded)
    code = state.hexdigest()[:_BOUNDARY_DIGITS]
    while any(code in part for part in avoided):
        state.update(b":again")
        code = state.hexdigest()[:_BOUNDARY_DIGITS]
    return code


_BOUNDARY_DIGITS: Final = 20
