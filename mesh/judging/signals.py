"""What the votes on one question say about how sure the judge is, before any human label. Pure."""

from __future__ import annotations

import hashlib
import math
from functools import lru_cache
from typing import Final, NamedTuple

from judgemesh.contracts.opinions import Opinion

_MAX_LOGIT: Final = 12.0


class Signals(NamedTuple):
    """What is known about one judged question before any label says whether the verdict was right.

    p_yes: the model's own probability of "yes"; None where there is no valid one.
    contradicted: the negated question was answered against the leading answer.
    quote_found: whether the quote given for the leading answer stands in the text; None without a quote.
    """

    yes: int
    no: int
    p_yes: float | None = None
    contradicted: bool = False
    quote_found: bool | None = None

    @property
    def side(self) -> int:
        """1 where yes leads, -1 where no leads, 0 for a tie."""
        return (self.yes > self.no) - (self.yes < self.no)

    @property
    def confidence(self) -> float:
        """How sure the judge is of its leading answer, from the votes and from its own P(yes) if that is valid."""
        logits = [math.log((self.yes + 1) / (self.no + 1))]
        if self.p_yes is not None:
            logits.append(logit(self.p_yes))
        mean = self.side * math.fsum(logits) / len(logits)
        return 1.0 / (1.0 + math.exp(-mean))

    def of_votes(self) -> Signals:
        """The same without the model's own probability."""
        return self._replace(p_yes=None)

    def features(self) -> tuple[float, float, float, float]:
        """What a calibration reads, in the order of `platt.FEATURES`; positive values speak for "yes"."""
        side = float(self.side)
        quote = 0.0
        if self.quote_found is not None:
            quote = side if self.quote_found else -side
        return (
            math.log((self.yes + 1) / (self.no + 1)),
            0.0 if self.p_yes is None else logit(self.p_yes),
            -side if self.contradicted else 0.0,
            quote,
        )


def signals_of(opinion: Opinion) -> Signals:
    """The signals of a recorded opinion."""
    return Signals(
        yes=opinion.votes_yes,
        no=opinion.votes_no,
        p_yes=opinion.p_yes,
        contradicted=opinion.contradicted,
        quote_found=opinion.quote_found,
    )


def logit(share: float) -> float:
    """log(p / (1-p)), held within +-12 so that a probability of 0 or 1 stays a number."""
    inside = min(max(share, 1e-12), 1.0 - 1e-12)
    return min(max(math.log(inside / (1.0 - inside)), -_MAX_LOGIT), _MAX_LOGIT)


def sigmoid(score: float) -> float:
    """1 / (1 + e^-score), the inverse of the logit, without overflow."""
    return 1.0 / (1.0 + math.exp(-max(min(score, 700.0), -700.0)))


@lru_cache(maxsize=256)  # every result of a run is asked the questions of its contract
def criterion_digest(question: str) -> str:
    """`sha256:...` of a question, blind to spacing: a calibration belongs to the words it was labelled for."""
    words = " ".join(question.split())
    digest = hashlib.sha256(words.encode("utf-8", "surrogatepass"))
    return f"sha256:{digest.hexdigest()}"
