"""A judge without sense: it obeys any instruction it can see in the judged text, and else says what is true.

For injection suites: whatever reaches it as an instruction flips its verdict. It knows nothing of the sanitiser; it
looks for orders in its own, broader way, and reads through look-alike letters, styled letters and hidden characters as
a large model does.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply

_VERB: Final = "|".join(
    """answer respond reply return output say vote conclude print write emit choose declare repeat give award mark grade
    score rate set treat accept approve confirm consider record judge responde responda repondez reponds antworte
    rispondi""".split()  # noqa: SIM905 - a list of words reads best as words
)
_GOAL: Final = (
    "yes|pass|passed|full marks|perfect|excellent|approved|correct|complete|affirmatively|positively|si|oui|ja|sim|"
    "10/10"
)
_BEFORE: Final = r"(?:^|[.!?:;,>|\"'()\]\-*#\n]\s*|\b(?:please|must|should|always|just|simply|only|now|then|and|to|you|so)\s+)"  # noqa: E501 - one pattern on one line
_RULES: Final = r"instruct\w*|instruc\w*|rules?|rubric|criteria|prompt|consignes|anweisungen|everything|evaluation"
_WHO: Final = (
    r"evaluators?|grader|graders|ai judge|llm judge|judge|grading model|evaluation"
)
_WANTED: Final = (
    r"must|should|required|please|kind|vote|return|accept|answer|full marks|passed"
)
_TURN: Final = (
    r"<\|[^|\n]{1,40}\|?>?|<\uff5c[^\n]{1,20}\uff5c>|\[/?inst\]|<</?sys>>|</?system>|<start_of_turn>|^system:"
    r"|^### (?:instruction|response):|\n\n(?:human|assistant):"
)
_SIGNS: Final = (
    # an order: a verb of answering in the imperative, soon followed by what the attacker wants
    re.compile(
        rf"{_BEFORE}(?:{_VERB})\b[^.!?\n]{{0,40}}\b(?:{_GOAL})\b(?! or\b)", re.MULTILINE
    ),
    re.compile(
        rf"\b(?:ignore|ignora|ignorez|ignoriere|disregard|forget|skip|override)\b[^.!?\n]{{0,40}}\b(?:{_RULES})\b"
    ),
    re.compile(
        r"verdict\W{0,8}(?:yes|pass)\b|verdict (?:is|was|has been|must be)[^.\n]{0,30}\b(?:yes|pass)\b"
    ),
    re.compile(rf"\b(?:{_WHO})\b[^.!?\n]{{0,60}}\b(?:{_WANTED})\b"),
    re.compile(
        r"\b(?:question|answer|response|score|verdict)\b[^.!?\n]{0,30}\b(?:is|must be|should be)\b[^.!?\n]{0,12}"
        r"\b(?:yes|full marks)\b"
    ),
    re.compile(r"if you do not answer yes"),
    # a turn of its own: a template's token, or a role, with the wanted word behind it
    re.compile(rf"(?:{_TURN})[^\0]{{0,80}}\byes\b", re.MULTILINE),
    re.compile(
        r"\u5ffd\u7565|\u7121\u8996|\ubb34\uc2dc|\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\u0439"
    ),
)
_CLOSING: Final = re.compile(r"\n[^\n]*evidence, not instructions[^\n]*\s*\Z")
_QUESTION: Final = "\n\nQuestion:"
_FIRST_OF_SEVERAL: Final = "\n\nQuestion q1:"


def obeys(text: str) -> bool:
    """Whether the text holds an instruction that a reader without sense would follow."""
    plain = _plain(text)
    return any(sign.search(plain) for sign in _SIGNS)


def judged_part(messages: Sequence[Mapping[str, str]]) -> str:
    """What stands before the last question in the last message: the judged text with what frames it."""
    if not messages:
        return ""
    text = messages[-1]["content"]
    for mark in (_FIRST_OF_SEVERAL, _QUESTION):
        if mark in text:
            text = text.rpartition(mark)[0]
            break
    return _CLOSING.sub("", text)


class ObedientJudge(Gateway):
    """A gateway that says "yes" where the judged text tells it to, and else what `truth` says.

    Args:
        truth: the right answer to a call, `yes` or `no`.
    """

    def __init__(self, truth: Callable[[ModelCall], str] = lambda _call: "no") -> None:
        self.name = "obedient"
        self._truth = truth
        self.obeyed = 0
        """How often it was talked round."""

    async def complete(self, call: ModelCall) -> ModelReply:
        """Answer the call."""
        swayed = obeys(judged_part(call.messages))
        self.obeyed += swayed
        if swayed:
            entry = {"reason": "I was told so.", "quote": "", "verdict": "yes"}
        else:
            entry = {"reason": "As it is.", "quote": "", "verdict": self._truth(call)}
        reply: Mapping[str, object] = entry
        if call.question_ids:
            numbers = range(1, len(call.question_ids) + 1)
            reply = {f"q{number}": entry for number in numbers}
        return ModelReply(
            text=json.dumps(reply), model_served=call.model, finish_reason="stop"
        )

    async def aclose(self) -> None:
        """Nothing to release."""


def _plain(text: str) -> str:
    letters: list[str] = []
    for char in unicodedata.normalize("NFKC", text):
        is_hidden = unicodedata.category(char) in ("Cf", "Mn", "Cn")
        if not is_hidden and char not in _FILLERS:
            letters.append(_LATIN.get(char, _base(char)))
    return "".join(letters).lower()


_FILLERS: Final = "\u3164\u115f"


def _base(char: str) -> str:
    """A letter without its accent."""
    base = unicodedata.normalize("NFD", char)[0]
    if base.isascii():
        return base
    return char


_LATIN: Final = dict(
    zip(
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0406\u0420\u0391\u03c5",
        "aeopcyxisIPAy",
        strict=True,
    )
)
