"""From a configuration to the judge that answers: one, several as a panel, a pair, each over its gateway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.config import MeshConfig

if TYPE_CHECKING:
    from judgemesh.contracts.gateway import Gateway
    from judgemesh.contracts.voting import VotingPolicy
    from judgemesh.mesh.judging.client.budget import Budget
    from judgemesh.mesh.judging.confidence.active import ActiveCalibrations
    from judgemesh.mesh.judging.confidence.pairs import Pair
    from judgemesh.mesh.judging.confidence.panel_weights import PanelCalibration
    from judgemesh.mesh.judging.confidence.platt import Calibration
    from judgemesh.mesh.judging.ensembles.escalation import EscalatingJudge
    from judgemesh.mesh.judging.ensembles.panel_judge import PanelJudge
    from judgemesh.mesh.judging.ensembles.probability_judge import ProbabilityJudge
    from judgemesh.mesh.judging.protocols import Judge
    from judgemesh.mesh.judging.voting.judge import VotingJudge
    from judgemesh.mesh.ledger.store import Ledger


class JudgeBuilder:
    """Opens gateways, which the stack closes, and puts judges over them. `warnings`: what the user should know."""

    def __init__(self, config: MeshConfig, stack: AsyncExitStack) -> None:
        self._config = config
        self._stack = stack
        self.warnings: tuple[str, ...] = ()

    def build(
        self,
        ledger: Ledger | None,
        budget: Budget | None,
        active: ActiveCalibrations | None,
    ) -> Judge | None:
        """The judge (one, a panel, a pair) over its gateways, the ledger or memory as its cache; None for no judge.

        Raises:
            ConfigError: a judge's name, its way of voting or the price file cannot be used.
        """
        config = self._config
        if not config.judges:
            return None
        from judgemesh.mesh.judging.client.cache import MemoryCache
        from judgemesh.mesh.judging.client.channel import Channels
        from judgemesh.mesh.pricing.prices import PriceBook

        shared: dict[str, Any] = {
            "prices": PriceBook.bundled(
                user_file=Path(config.prices) if config.prices else None
            ),
            "cache": (ledger or MemoryCache()) if config.cache else None,
            "batch_criteria": config.batch_criteria,
            "batch_audit": config.batch_audit,
            "calibrations": () if active is None else active.judges,
            "max_retries": config.max_retries,
            "timeout_s": config.judge_timeout_s,
            "channels": Channels(
                concurrency=config.judge_concurrency,
                requests_per_minute=config.requests_per_minute,
                tokens_per_minute=config.tokens_per_minute,
                budget=budget,
            ),
            "seed": config.seed,
            "clock": config.clock,
        }
        opened = _told_apart([self._opened(one) for one in config.judges])
        if len(opened) == 1 and config.escalate is None:
            return self._with_probability(
                _one_judge(opened[0], config, shared), opened[0][0], shared
            )
        panels = () if active is None else active.panels
        if config.escalate is None:
            return self._panel(opened, shared, panels)
        return self._pair(
            opened, shared, panels, () if active is None else active.pairs
        )

    def _opened(self, judge: str | Gateway) -> tuple[Gateway, str]:
        """The gateway of a judge, which the mesh closes, and the model to ask it for."""
        gateway, model = _gateway(judge, self._config.judge_api_base)
        self._stack.push_async_callback(gateway.aclose)
        return gateway, model

    def _panel(
        self,
        opened: Sequence[tuple[Gateway, str]],
        shared: Mapping[str, Any],
        calibrations: Sequence[PanelCalibration],
        *,
        abstains: bool = True,
    ) -> PanelJudge:
        """Several judges as one; each leaves it to the panel whether it is sure enough."""
        from judgemesh.mesh.judging.ensembles.panel_judge import PanelJudge

        judges = [
            self._with_probability(
                _one_judge(one, self._config, shared, abstains=False), one[0], shared
            )
            for one in opened
        ]
        panel = PanelJudge(
            judges,
            calibrations=calibrations,
            method=self._config.panel,
            abstains=abstains,
        )
        self.warnings = panel.warnings
        return panel

    def _pair(
        self,
        opened: Sequence[tuple[Gateway, str]],
        shared: Mapping[str, Any],
        panels: Sequence[PanelCalibration],
        certified: Sequence[Pair],
    ) -> Judge:
        """A judge or a panel, and a stronger judge for what it leaves open."""
        from judgemesh.mesh.judging.ensembles.escalation import (
            EscalatingJudge,
            pairs_for,
        )

        config = self._config
        assert config.escalate is not None  # noqa: S101 (the client has looked)
        stronger = self._opened(config.escalate)

        def first(*, abstains: bool) -> VotingJudge | PanelJudge:
            if len(opened) == 1:
                return _one_judge(opened[0], config, shared, abstains=abstains)
            return self._panel(opened, shared, panels, abstains=abstains)

        def second(*, abstains: bool) -> VotingJudge:
            like = _policy(config, opened[0][0])
            return _one_judge(stronger, config, shared, abstains=abstains, like=like)

        one, other = first(abstains=True), second(abstains=True)
        pairs = pairs_for(certified, one.identity, other.identity)
        pair = EscalatingJudge(
            one,
            other,
            pairs=pairs,
            lenient=(first(abstains=False), second(abstains=False)) if pairs else None,
            audit=config.escalate_audit,
            seed=config.seed,
        )
        self.warnings = (*self.warnings, *((pair.warning,) if pair.warning else ()))
        return (
            pair
            if len(opened) > 1
            else self._with_probability(pair, opened[0][0], shared)
        )

    def _with_probability(
        self,
        judge: VotingJudge | EscalatingJudge,
        gateway: Gateway,
        shared: Mapping[str, Any],
    ) -> VotingJudge | EscalatingJudge | ProbabilityJudge:
        """The judge with the provider's own probabilities before it, where these are wanted."""
        if self._config.backend == "votes":
            return judge
        from judgemesh.mesh.judging.client.client import Client
        from judgemesh.mesh.judging.client.retry import RetryPolicy
        from judgemesh.mesh.judging.ensembles.probability import Probabilities
        from judgemesh.mesh.judging.ensembles.probability_judge import ProbabilityJudge

        client = Client(
            gateway,
            model=judge.model,
            prices=shared["prices"],
            cache=shared["cache"],
            policy=RetryPolicy(max_retries=shared["max_retries"]),
            timeout_s=shared["timeout_s"],
            parameters={"temperature": 0.0},
            channels=shared["channels"],
            seed=shared["seed"],
            clock=shared["clock"],
        )
        known: Sequence[Calibration] = shared["calibrations"]
        return ProbabilityJudge(
            judge, Probabilities(client, seed=shared["seed"]), calibrations=known
        )


def _told_apart(
    opened: Sequence[tuple[Gateway, str]],
) -> list[tuple[Gateway, str]]:
    """Gateways made in code that name no model, each with a number, so that none answers out of another's cache."""
    named: list[tuple[Gateway, str]] = []
    for number, (gateway, model) in enumerate(opened, start=1):
        alike = gateway.model is None and model == gateway.name and number > 1
        taken = any(model == other for _, other in named)
        named.append((gateway, f"{model}#{number}" if alike and taken else model))
    return named


def _policy(config: MeshConfig, gateway: Gateway) -> VotingPolicy:
    """How a judge votes: as the configuration says, else as its cassette was recorded."""
    from judgemesh.contracts.voting import policy_of

    return policy_of(gateway.votes if config.votes is None else config.votes)


def _one_judge(
    opened: tuple[Gateway, str],
    config: MeshConfig,
    shared: Mapping[str, Any],
    *,
    abstains: bool = True,
    like: VotingPolicy | None = None,
) -> VotingJudge:
    """One judge. `like` is the way of voting of the judge it is asked after; it then votes the stronger way."""
    from judgemesh.mesh.judging.voting.judge import VotingJudge

    gateway, model = opened
    policy = _policy(config, gateway) if like is None else like.strong()
    return VotingJudge(gateway, model=model, votes=policy, abstains=abstains, **shared)


async def calibrations_of(ledger: Ledger | None) -> ActiveCalibrations | None:
    """The active calibrations of judges, panels and pairs; None without any calibration."""
    rows = [] if ledger is None else await ledger.calibrations()
    if not rows:
        return None
    from judgemesh.mesh.judging.confidence.active import active_calibrations

    return active_calibrations(
        (row.model, row.method, row.parameters or {}) for row in rows
    )


def budget_of(config: MeshConfig) -> Budget | None:
    """The budget of the run; None for no limit.

    Raises:
        ConfigError: there is one, and no judge to spend it.
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
    from judgemesh.mesh.judging.client.budget import Budget

    return Budget(limit)


def _gateway(judge: str | Gateway, api_base: str | None) -> tuple[Gateway, str]:
    """The gateway that `MeshConfig.judge` names or is, and the model to ask it for."""
    if not isinstance(judge, str):
        return judge, judge.model or judge.name
    from judgemesh.mesh.judging.gateways.open import model_of, open_gateway

    gateway = open_gateway(judge, api_base=api_base)
    return gateway, model_of(judge, gateway)
