"""Families of models: models of one family make the same mistakes and prefer their own work. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# The first that occurs in the model's own name, then in its provider's.
_FAMILIES: Final[tuple[tuple[str, str], ...]] = (
    ("claude", r"claude"),
    ("gpt", r"gpt|chatgpt|davinci|codex|\bo[1-9](?![0-9a-z])"),
    ("gemini", r"gemini|gemma|palm|learnlm"),
    ("llama", r"llama|\bmeta\b"),
    ("mistral", r"mi[sx]tral|ministral|codestral|magistral|devstral|pixtral"),
    ("qwen", r"qwen|qwq|qvq|tongyi"),
    ("deepseek", r"deepseek"),
    ("grok", r"grok"),
    ("command", r"command|cohere|\baya\b"),
    ("phi", r"\bphi\b|\bphi-?\d"),
    ("nova", r"\bnova\b|titan"),
    ("kimi", r"kimi|moonshot"),
    ("glm", r"\bglm|zhipu"),
    ("granite", r"granite"),
    ("yi", r"\byi\b"),
)
_PATTERNS: Final = tuple((family, re.compile(pattern)) for family, pattern in _FAMILIES)


@lru_cache(maxsize=256)
def family_of(model: str | None) -> str | None:
    """The family of a model by its name (`openai/gpt-4.1-mini`: `gpt`); None if it does not tell.

    A distilled model belongs to the family that its training data came from, which its
    name mentions first.
    """
    if not model:
        return None
    whole = model.casefold()
    for text in (whole.rpartition("/")[2], whole):
        matches: list[tuple[int, str]] = []
        for family, pattern in _PATTERNS:
            match = pattern.search(text)
            if match:
                matches.append((match.start(), family))
        if matches:
            return min(matches)[1]
    return None


def self_preference(judge_model: str, agent_model: str | None) -> str:
    """A warning if judge and agent are of one family; empty if not, or if that is unknown."""
    family = family_of(judge_model)
    if family is None or family != family_of(agent_model):
        return ""
    return f"judge and agent are both of the {family} family, and models tend to prefer their own family's work"
