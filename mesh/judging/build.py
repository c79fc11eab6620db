"""From a configuration to the judge: one, a panel, or a judge backed by a stronger one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.config import MeshConfig

if TYPE_CHECKING:
    from judgemesh.contracts.gateway import Gateway
    from judgemesh.contracts.voting import VotingPolicy
    from judgemesh.mesh.judging.client.budget import JudgeBudget
    from judgemesh.mesh.judging.client.channel import Channels
    from judgemesh.mesh.judging.client.client import Client
    from judgemesh.mesh.judging.confidence.active import ActiveCalibrations
    from judgemesh.mesh.judging.protocols import Judge
    from judgemesh.mesh.judging.voting.judge import VotingJudge
    from judgemesh.mesh.ledger.store import Ledger


_MAX_TOKENS: Final = 1024
"""The limit on a reply with which a judge votes unless told otherwise."""


class OpenGateway(NamedTuple):
    """A gateway, and the model that it is asked for."""

    gateway: Gateway
    model: str


@dataclass(slots=True)
class JudgeBuilder:
    """Opens gateways, which the stack closes, and builds judges over them.

    Attributes:
        warnings: about the choice of judges, for the user.
        clients: one for each judge behind which there is a provider, for the preflight.
        channels: what all calls of these judges share.
    """

    config: MeshConfig
    stack: AsyncExitStack
    warnings: tuple[str, ...] = field(default=(), init=False)
    clients: tuple[Client, ...] = field(default=(), init=False)
    channels: Channels | None = field(default=None, init=False)

    def build(
        self,
        ledger: Ledger | None,
        budget: JudgeBudget | None,
        active: ActiveCalibrations | None,
    ) -> Judge | None:
        """The judge that the configuration describes; None for no judge.

        Args:
            ledger: keeps the replies of judges; without it memory does.
            budget: what the run may cost.
            active: the active calibrations.

        Raises:
            ConfigError: the name of a judge, its voting policy or the price file cannot
                be used.
        """
        config = self.config
        if not config.judges:
            return None
        from judgemesh.mesh.judging.confidence.active import ActiveCalibrations

        judges = _with_distinct_models([self._open(judge) for judge in config.judges])
        stronger = None if config.escalate is None else self._open(config.escalate)
        makers = _Makers(config, ledger, budget, active or ActiveCalibrations())
        self.channels = makers.channels
        opened = judges if stronger is None else [*judges, stronger]
        self.clients = tuple(
            makers.single(one)
            for one in opened
            if getattr(one.gateway, "is_live", False)
        )
        if stronger is not None:
            return self._escalating(judges, stronger, makers)
        if len(judges) > 1:
            return self._panel(judges, makers)
        return makers.with_probability(makers.voting(judges[0]), judges[0])

    def _open(self, judge: str | Gateway) -> OpenGateway:
        """The gateway that a judge of the configuration names or is."""
        if isinstance(judge, str):
            from judgemesh.mesh.judging.gateways.open import model_of, open_gateway

            gateway = open_gateway(judge, api_base=self.config.judge_api_base)
            opened = OpenGateway(gateway, model_of(judge, gateway))
        else:
            opened = OpenGateway(judge, judge.model or judge.name)
        self.stack.push_async_callback(opened.gateway.aclose)
        return opened

    def _panel(
        self, judges: Sequence[OpenGateway], makers: _Makers, *, abstains: bool = True
    ) -> Judge:
        """Several judges as one; the panel decides whether they are sure enough."""
        from judgemesh.mesh.judging.ensembles.panel_judge import PanelJudge

        panel = PanelJudge(
            [
                makers.with_probability(makers.voting(judge, abstains=False), judge)
                for judge in judges
            ],
            calibrations=makers.active.panels,
            method=self.config.panel,
            abstains=abstains,
        )
        self.warnings = panel.warnings
        return panel

    def _escalating(
        self, judges: Sequence[OpenGateway], stronger: OpenGateway, makers: _Makers
    ) -> Judge:
        """A judge or a panel, and a stronger judge for what it leaves open."""
        from judgemesh.mesh.judging.ensembles.escalation import (
            EscalatingJudge,
            pairs_for,
        )

        policy = makers.policy(judges[0]).strong()

        def first(*, abstains: bool) -> Judge:
            if len(judges) > 1:
                return self._panel(judges, makers, abstains=abstains)
            return makers.voting(judges[0], abstains=abstains)

        def second(*, abstains: bool) -> Judge:
            return makers.voting(stronger, policy=policy, abstains=abstains)

        weaker, backing = first(abstains=True), second(abstains=True)
        pairs = pairs_for(makers.active.pairs, weaker.identity, backing.identity)
        lenient = None
        if pairs:
            lenient = first(abstains=False), second(abstains=False)
        escalating = EscalatingJudge(
            weaker,
            backing,
            pairs=pairs,
            lenient=lenient,
            audit=self.config.escalate_audit,
            seed=self.config.seed,
        )
        if escalating.warning:
            self.warnings = (*self.warnings, escalating.warning)
        if len(judges) > 1:
            return escalating
        return makers.with_probability(escalating, judges[0])


class _Makers:
    """Makes judges that share prices, cache, limits and budget."""

    def __init__(
        self,
        config: MeshConfig,
        ledger: Ledger | None,
        budget: JudgeBudget | None,
        active: ActiveCalibrations,
    ) -> None:
        from judgemesh.mesh.judging.client.cache import MemoryCache
        from judgemesh.mesh.judging.client.channel import Channels
        from judgemesh.mesh.judging.client.client import Client
        from judgemesh.mesh.judging.client.retry import RetryPolicy
        from judgemesh.mesh.judging.voting.judge import VotingJudge
        from judgemesh.mesh.pricing.prices import PriceBook

        self._config = config
        self.active = active
        prices = Path(config.prices) if config.prices else None
        self.channels = Channels(
            concurrency=config.judge_concurrency,
            requests_per_minute=config.requests_per_minute,
            tokens_per_minute=config.tokens_per_minute,
            budget=budget,
        )
        shared: dict[str, Any] = {
            "prices": PriceBook.bundled(user_file=prices),
            "cache": (ledger or MemoryCache()) if config.cache else None,
            "timeout_s": config.judge_timeout_s,
            "channels": self.channels,
            "seed": config.seed,
            "clock": config.clock,
        }
        self._client: Callable[..., Client] = partial(
            Client,
            policy=RetryPolicy(max_retries=config.max_retries),
            parameters={"temperature": 0.0},
            **shared,
        )
        self._judge: Callable[..., VotingJudge] = partial(
            VotingJudge,
            max_retries=config.max_retries,
            batch_criteria=config.batch_criteria,
            batch_audit=config.batch_audit,
            calibrations=active.judges,
            **shared,
        )

    def client(self, opened: OpenGateway) -> Client:
        """A client of a judge, without votes."""
        return self._client(opened.gateway, model=opened.model)

    def single(self, opened: OpenGateway) -> Client:
        """A client that asks once, without retries."""
        from judgemesh.mesh.judging.client.retry import RetryPolicy

        return self._client(
            opened.gateway,
            model=opened.model,
            policy=RetryPolicy(max_retries=0),
            parameters={"temperature": 0.0, "max_tokens": _MAX_TOKENS},
        )

    def policy(self, opened: OpenGateway) -> VotingPolicy:
        """How a judge votes: as configured, else as its cassette was recorded, else as the mode wants it."""
        from judgemesh.contracts.voting import LEAD, policy_of

        if self._config.votes is not None:
            return policy_of(self._config.votes)
        policy = policy_of(opened.gateway.votes)
        if policy is not LEAD or self._config.mode != "economy":
            return policy
        return self._economy(opened)

    def _economy(self, opened: OpenGateway) -> VotingPolicy:
        """The votes of economy mode: fewest where labels say how often the votes of a judge are right."""
        from judgemesh.contracts.voting import ECONOMY
        from judgemesh.mesh.judging.voting.sequential import fewest_votes

        identity = self._judge(
            opened.gateway, model=opened.model, votes=ECONOMY
        ).identity
        for calibration in self.active.judges:
            # A certificate belongs to the votes it was found with: fewer could miss its threshold.
            if calibration.speaks_for(*identity) and calibration.threshold is None:
                return replace(ECONOMY, gate=fewest_votes(calibration.votes))
        return ECONOMY

    def voting(
        self,
        opened: OpenGateway,
        *,
        policy: VotingPolicy | None = None,
        abstains: bool = True,
    ) -> VotingJudge:
        """A judge that votes, by its own policy if none is given."""
        return self._judge(
            opened.gateway,
            model=opened.model,
            votes=policy or self.policy(opened),
            abstains=abstains,
        )

    def with_probability(self, judge: Judge, opened: OpenGateway) -> Judge:
        """The judge after the provider's own P(yes), if that is configured."""
        if self._config.backend == "votes":
            return judge
        from judgemesh.mesh.judging.ensembles.probability import Probabilities
        from judgemesh.mesh.judging.ensembles.probability_judge import ProbabilityJudge

        client = self.client(OpenGateway(opened.gateway, judge.model))
        return ProbabilityJudge(
            judge,
            Probabilities(client, seed=self._config.seed),
            calibrations=self.active.judges,
        )


def _with_distinct_models(judges: Sequence[OpenGateway]) -> list[OpenGateway]:
    """Number the gateways made in code that name no model, so that they share no cache entries."""
    distinct: list[OpenGateway] = []
    for number, opened in enumerate(judges, start=1):
        gateway, model = opened.gateway, opened.model
        unnamed = gateway.model is None and model == gateway.name
        if unnamed and any(model == other.model for other in distinct):
            model = f"{model}#{number}"
        distinct.append(OpenGateway(gateway, model))
    return distinct


async def calibrations_of(ledger: Ledger | None) -> ActiveCalibrations | None:
    """The active calibrations of judges, panels and pairs; None without any calibration."""
    rows = [] if ledger is None else await ledger.calibrations()
    if not rows:
        return None
    from judgemesh.mesh.judging.confidence.active import active_calibrations

    return active_calibrations(
        (row.model, row.method, row.parameters or {}) for row in rows
    )


def budget_of(config: MeshConfig) -> JudgeBudget | None:
    """The budget of the run; None for no limit.

    Raises:
        ConfigError: there is a limit and no judge.
    """
    limit = config.budget_limit()
    if limit is None:
        return None
    if not config.judges:
        raise ConfigError(
            "limits what a judge costs, and there is none",
            where="--max-cost",
            hint="--judge MODEL",
        )
    from judgemesh.mesh.judging.client.budget import JudgeBudget

    return JudgeBudget(limit)
