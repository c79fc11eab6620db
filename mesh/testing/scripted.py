"""A gateway that answers from a script: the test double for code that uses a judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import anyio

from judgemesh.contracts.errors import JudgeError, JudgeRejected
from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.judging.gateways.simulated import is_negated

Line = str | JudgeError | ModelReply
"""One thing to say: `yes`, `no`, `cannot_assess`, any other text as it is, a reply, or an error to raise.

`yes` and `no` answer the question, so where it is asked the other way round, the opposite is said.
"""

Script = Line | Sequence[Line] | Callable[[ModelCall], Line]
"""What to say to a question: always the same, one line after the other (the last one stays), or computed."""

_WORDS: Final = frozenset(vote.value for vote in Vote)
_OPPOSITE: Final = {Vote.YES.value: Vote.NO.value, Vote.NO.value: Vote.YES.value}


class ScriptedJudge(Gateway):
    """A gateway that answers from a script and keeps what it was asked.

    Args:
        script: either one script for every question, or a mapping. A key of the mapping is a question id or, where
            no id matches, words that occur in the last message; the first match in the mapping's order counts.
        delay_s: how long each answer takes.
        usage: what each answer reports as used; None reports nothing, so its cost is unknown.

    A question the mapping does not know is rejected, never answered by chance. A call that asks several questions is
    looked up by their ids with commas between; where the mapping does not know these, each question says its own line:
    one whose line is no `yes`, `no` or `cannot_assess` is left out of the reply, an error is the error of the call.
    """

    def __init__(
        self,
        script: Mapping[str, Script] | Script = Vote.YES.value,
        *,
        delay_s: float = 0.0,
        usage: Usage | None = None,
    ) -> None:
        self.name = "scripted"
        # A mapping is looked up by question; anything else is the script of every question.
        self._by_question: Mapping[str, Script] | None = None
        self._always: Script = ""
        if isinstance(script, Mapping):
            self._by_question = script
        else:
            self._always = script
        self._delay_s = delay_s
        self._usage = usage
        self._times_asked: dict[tuple[str, int], int] = {}
        self.calls: list[ModelCall] = []
        """Every call, in the order of arrival."""
        self.closed = False

    async def complete(self, call: ModelCall) -> ModelReply:
        """Say the next line for the call.

        Raises:
            JudgeRejected: the script has nothing for the question.
            JudgeError: the error that the script holds.
        """
        self.calls.append(call)
        await anyio.sleep(self._delay_s)
        if call.question_ids:
            line = self._line_for_several(call)
        else:
            line = self._line(call)
        if isinstance(line, JudgeError):
            raise line
        if isinstance(line, ModelReply):
            return line
        if line in _WORDS:
            if is_negated(call.messages[-1]["content"]):
                line = _OPPOSITE.get(line, line)
            line = json.dumps({"reason": "as scripted", "verdict": line})
        return ModelReply(
            text=line, model_served=call.model, usage=self._usage, finish_reason="stop"
        )

    async def aclose(self) -> None:
        """Remember that it was closed."""
        self.closed = True

    def _line_for_several(self, call: ModelCall) -> Line:
        """The reply to several questions: of the script as it is, or made of each question's own line."""
        if self._by_question is None or call.question_id in self._by_question:
            line = self._line(call)
            if line not in _WORDS:
                return line
            lines: list[Line] = [line] * len(call.question_ids)
        else:
            lines = [
                self._line(replace(call, question_id=question_id))
                for question_id in call.question_ids
            ]
        for line in lines:
            if isinstance(line, JudgeError | ModelReply):
                return line
        entries: dict[str, object] = {}
        for number, line in enumerate(lines, start=1):
            if line in _WORDS:
                entry = {"reason": "as scripted", "quote": "", "verdict": line}
                entries[f"q{number}"] = entry
        return json.dumps(entries)

    def _line(self, call: ModelCall) -> Line:
        script = self._find(call)
        if callable(script):
            return script(call)
        if isinstance(script, str | JudgeError | ModelReply):
            return script
        key = (f"{call.question_id}{call.messages}", call.sample_index)
        times_asked = self._times_asked.get(key, 0)
        self._times_asked[key] = times_asked + 1
        return script[min(times_asked, len(script) - 1)]

    def _find(self, call: ModelCall) -> Script:
        if self._by_question is None:
            return self._always
        if call.question_id in self._by_question:
            return self._by_question[call.question_id]
        text = ""
        if call.messages:
            text = call.messages[-1]["content"]
        for words, script in self._by_question.items():
            if words in text:
                return script
        raise JudgeRejected(f"the script has nothing for question {call.question_id!r}")
