"""The wordings of a yes/no question, and which vote is asked with which. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from judgemesh.contracts.needs import Ask
from judgemesh.contracts.voting import VotingPolicy
from judgemesh.mesh.judging.replies.review import AGAIN
from judgemesh.prompts.loader import Prompt, load, variants

NEGATED_VOTE: Final = 1
"""The vote on a gate that the negated question is asked with: one of the first two."""
NEGATED_AGAIN: Final = (NEGATED_VOTE, 3, 5)
"""The same of a policy with `negated_again`. Where the first contradicts the leader, a lead of two or a majority of
three needs four votes; where the second does too, a sixth is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordings:
    """The prompts of a policy; `digest` covers everything a vote can be asked with.

    negated_votes: the votes on a gate that are asked with `negated`, if there is such a prompt.
    """

    plain: tuple[Prompt, ...]
    negated: Prompt | None
    digest: str
    negated_votes: tuple[int, ...] = (NEGATED_VOTE,)

    def prompt(self, need: Ask, index: int, *, seed: int) -> Prompt:
        """The wording of a vote: in turn, from one that seed and question choose."""
        if self.negated is not None and need.gating and index in self.negated_votes:
            return self.negated
        return in_turn(self.plain, index, key=f"{seed}:{need.question}")


def in_turn(prompts: Sequence[Prompt], index: int, *, key: str) -> Prompt:
    """The prompt of vote `index`, the first one chosen by the key."""
    return prompts[(_start(key) + index) % len(prompts)]


@lru_cache(maxsize=256)  # every result of a run is asked the questions of its contract
def _start(key: str) -> int:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[0]


def wordings_of(
    policy: VotingPolicy, batch_prompts: Sequence[Prompt] = (), max_questions: int = 1
) -> Wordings:
    """The wordings of a policy, and of calls for several questions if there are any.

    The digest covers both: labels of verdicts of a batch of one size say nothing about
    batches of another size.

    Raises:
        ConfigError: there is no such prompt.
    """
    plain = plain_wordings(policy)
    negated = None if policy.negated is None else load(policy.negated)
    parts = [prompt.digest for prompt in plain]
    if negated is not None:
        parts.append(negated.digest)
    parts += [load(ref).digest for ref in AGAIN.values()]
    if batch_prompts:
        parts.append(f"{max_questions} together")
        parts += [prompt.digest for prompt in batch_prompts]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    negated_votes: tuple[int, ...] = (NEGATED_VOTE,)
    if policy.negated_again:
        negated_votes = NEGATED_AGAIN
    return Wordings(
        plain=plain,
        negated=negated,
        digest=f"sha256:{digest}",
        negated_votes=negated_votes,
    )


def plain_wordings(policy: VotingPolicy) -> tuple[Prompt, ...]:
    """The wordings of the question as it stands: all of them, or the first one."""
    prompts = variants(policy.prompt)
    return prompts if policy.rotate else prompts[:1]
