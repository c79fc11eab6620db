"""Whether the agent delivered anything at all."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.results import AgentResult
from judgemesh.validators._shared.answer.hollow import is_hollow
from judgemesh.validators._shared.json_answers import json_answer
from judgemesh.validators._shared.text import fold_value

MASTER_KEYS: Final = frozenset(
    {
        "step 1", "first step", "first of all", "to begin with", "let's begin", "let us begin", "let's start",
        "let me solve this", "let me solve this step by step", "let's think", "let us think step by step",
        "let's solve the problem", "let's break this down", "let's break it down step by step", "here is my answer",
        "here's my answer", "here is the solution", "here's the solution", "here is my response", "here's the answer",
        "sure, here is the answer", "sure, here's the answer", "sure! here is the answer", "my answer", "my analysis",
        "the answer to this question is", "the answer to the question is", "the final result is", "final result",
        "final solution", "analysis", "my reasoning", "the reasoning is as follows", "the solution is as follows",
        "the answer is as follows", "thinking", "great question", "schritt für schritt", "lösung", "antwort",
        "die antwort ist", "pensons étape par étape", "réponse", "la réponse", "solución", "la respuesta es",
        "proceso de pensamiento", "pensemos paso a paso", "resposta", "risposta", "思考过程", "思考",
        "让我们一步一步思考", "让我们逐步思考", "回答", "解决方案", "考え方", "ステップバイステップで考えましょう",
        "답", "풀이", "ответ", "решение", "давайте подумаем шаг за шагом", "الإجابة", "الحل", "उत्तर", "समाधान",
    }
)  # fmt: skip
"""Openers without an answer, beside those that `text` knows: some judges take them for an answer.

Such a "master key" fooled judges in most cases where it was tried, and asking several times did not help: so no model
is asked about it.
"""
_WIDE_MARKS: Final = "\u3002\uff0c\uff01\uff1a\u3001\u061f\u0964"
_COURTESIES: Final = frozenset(
    {
        "sure", "certainly", "of course", "absolutely", "okay", "ok", "hello", "hi", "hi there", "happy to help",
        "i'd be happy to help", "no problem", "i hope this helps", "hope this helps", "thank you", "thanks",
        "let me know if you need anything else", "let me know if you have any questions",
    }
)  # fmt: skip
_MAX_OPENER_CHARS: Final = 400


class Answer(Enum):
    """Whether there is a final answer."""

    GIVEN = "given"
    MISSING = "missing"
    HOLLOW = "hollow"

    @property
    def code(self) -> FailureCode:
        """The code for an answer that is not `GIVEN`."""
        if self is Answer.MISSING:
            return FailureCode.MISSING_FINAL_ANSWER
        return FailureCode.EMPTY_OR_INVALID_OUTPUT


def final_answer(result: AgentResult) -> Answer:
    """No final answer, one without content (blank, `N/A`, `Thought process:`), or a real one."""
    text = result.output.final_answer
    if not text:
        return Answer.MISSING
    if is_hollow(text) or _is_master_key(text):
        return Answer.HOLLOW
    return Answer.GIVEN


def _is_master_key(text: str) -> bool:
    """Whether every line and sentence of a short answer is an opener without an answer."""
    if len(text) > _MAX_OPENER_CHARS:
        return False
    if _is_opener(text):
        return True
    pieces = [_list_mark().sub("", piece) for piece in _breaks().split(text)]
    spoken = [piece for piece in pieces if piece.strip() and not _is_polite(piece)]
    return bool(spoken) and all(map(_says_nothing, spoken))


def _says_nothing(piece: str) -> bool:
    announces = piece.rstrip().endswith(":") and _announcement().fullmatch(
        fold_value(piece)
    )
    return bool(announces) or is_hollow(piece) or _is_opener(piece)


def _is_polite(piece: str) -> bool:
    """Whether a sentence is a courtesy: nothing by itself, but an answer of nothing else may be a yes."""
    return fold_value(piece).replace("\u2019", "'") in _COURTESIES


def _is_opener(text: str) -> bool:
    return fold_value(text).strip(_WIDE_MARKS).replace("\u2019", "'") in MASTER_KEYS


def content_is_compared(contract: EvalContract, result: AgentResult) -> bool:
    """Whether another check compares even an answer without words: `{}` by a schema, `None` by the expected answer."""
    text = result.output.final_answer or ""
    if contract.answer is not None:
        return bool(text.strip())
    if contract.output_schema is None:
        return False
    if not text.strip():
        return "outputs" in result.output.model_fields_set
    return json_answer(text) is not None


def has_structured_output(result: AgentResult) -> bool:
    """Whether the agent delivered anything beside the final answer."""
    output = result.output
    return bool(
        output.outputs or output.citations or output.claims or output.model_extra
    )


def delivered_nothing(result: AgentResult) -> bool:
    """Whether there is neither an answer with content nor any structured output."""
    if has_structured_output(result):
        return False
    return final_answer(result) is not Answer.GIVEN


# Patterns that few texts need: compiling them takes longer than grading a result.


@cache
def _announcement() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:sure|certainly|of course|absolutely),? )?here(?:'s| is| are) (?:the|your|my|an?|some) [\w -]{1,40}"
    )


@cache
def _breaks() -> re.Pattern[str]:
    """The ends of lines, sentences and openers."""
    return re.compile(r"[\n\r]+|(?<=[:.!?\u3002\uff1a])\s+")


@cache
def _list_mark() -> re.Pattern[str]:
    return re.compile(r"^\s*(?:[-*+>]|\d{1,2}[.)])\s+")
