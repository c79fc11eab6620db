"""How a mesh is configured: in code, as a mapping, or as a TOML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.validator import Validator

if TYPE_CHECKING:
    from judgemesh.contracts.gateway import Gateway
    from judgemesh.contracts.voting import VotingPolicy


MODES: Final = ("full", "economy")
BACKENDS: Final = ("votes", "probability")
PANELS: Final = ("auto", "majority", "log_odds", "stacking")
MOST_TOGETHER: Final = 8
"""Questions of one judge call, at most."""


def now_utc() -> datetime:
    """The clock of a mesh that is given none."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshConfig:
    """Everything a mesh can be told.

    contracts: contract files or folders, contracts made in code, or a mix; None when each call brings its own.
    judge: a model (`openai/gpt-4.1-mini`), `replay:FILE`, or any gateway; several of them are a panel, every one of
        which is asked every question; None for no judge.
    panel: how a panel is added up: `majority`, `log_odds` (30 labels of it), `stacking` (100), or `auto`: what the
        labels speak for, and the majority while there are too few.
    judge_api_base: base URL of the judge's provider.
    escalate: a stronger judge of another family, asked where the first leaves a question open; None for nobody.
    escalate_audit: the share of all questions that both judges are asked, drawn with `seed`, so that labels can certify
        the pair. The verdict stays what it would have been.
    votes: how often a question is asked: `lead` (until a side leads), `single`, or a policy of one's own; None for the
        way a cassette was recorded with, else `lead`.
    batch_criteria: how many plain yes/no questions about one result are asked in one call, 1..8; gates always alone.
    batch_audit: the share (0..1) of such calls whose questions are asked alone as well, to see whether the answers of
        one call sway each other.
    prices: a TOML file of prices that goes before the bundled ones.
    ledger: a file, an SQLAlchemy URL, or None to keep nothing.
    run_name: names the run in the ledger; the same name continues it.
    max_concurrency: results in hand at once. judge_concurrency: judge calls at once.
    max_retries: further attempts of a judge call that failed in a way that may pass.
    backend: `votes`, or `probability`: the provider's own P(yes) first, where it has one (a decision endpoint, or the
        log-probabilities of the first token), and votes where that does not settle a question.
    requests_per_minute, tokens_per_minute: limits of the judge's provider; None for none.
    max_cost: what the judge may cost the run in all, in the currency of its price; None for no limit.
    mode: `economy` asks no judge about a result whose gate has failed without one, but for a sample of `audit_share`.
    seed: of that sample, and of everything random in the judge.
    timeout_s: deadline of every validator that the contract gives none; then it counts even while a judge is awaited.
    cache: whether judge answers are taken from and kept in the ledger (or in memory without one).
    offline: answer look-ups of evidence from the ledger alone, as when a report is replayed.
    validators: validators made in code, and names of installed ones to run beside those a contract chooses.
    base_dir: folder that relative paths in results given in code start from.
    clock: the time, for rows of the ledger.
    """

    contracts: str | Path | Sequence[str | Path | EvalContract] | None = None
    judge: str | Gateway | Sequence[str | Gateway] | None = None
    panel: Literal["auto", "majority", "log_odds", "stacking"] = "auto"
    judge_api_base: str | None = None
    escalate: str | Gateway | None = None
    escalate_audit: float = 0.0
    votes: str | VotingPolicy | None = None
    batch_criteria: int = 1
    batch_audit: float = 0.05
    prices: str | Path | None = None
    ledger: str | Path | None = None
    run_name: str | None = None
    max_concurrency: int = 64
    judge_concurrency: int = 16
    max_retries: int = 2
    backend: Literal["votes", "probability"] = "votes"
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_cost: Decimal | float | str | None = None
    mode: Literal["full", "economy"] = "full"
    audit_share: float = 0.05
    seed: int = 0
    judge_timeout_s: float = 60.0
    timeout_s: float | None = None
    cache: bool = True
    offline: bool = False
    validators: Sequence[Validator | str] = ()
    base_dir: str | Path = "."
    clock: Callable[[], datetime] = now_utc

    def __post_init__(self) -> None:
        for name in ("max_concurrency", "judge_concurrency"):
            if getattr(self, name) < 1:
                raise ConfigError(
                    f"{name} must be 1 or more, got {getattr(self, name)}"
                )
        self._check_judges()
        if self.max_retries < 0:
            raise ConfigError(f"max_retries must be 0 or more, got {self.max_retries}")
        for name in ("requests_per_minute", "tokens_per_minute"):
            limit = getattr(self, name)
            if limit is not None and not limit > 0:
                raise ConfigError(f"{name} must be above 0, got {limit}")
        if self.backend not in BACKENDS:
            raise ConfigError(
                f"expected votes or probability, got {self.backend!r}",
                where="--judge-backend",
            )
        if self.mode not in MODES:
            raise ConfigError(f"mode must be full or economy, got {self.mode!r}")
        self._check_samples()
        self.budget_limit()

    def _check_samples(self) -> None:
        for name in ("audit_share", "batch_audit"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} must lie in 0..1, got {getattr(self, name)}")
        if (
            type(self.batch_criteria) is not int
            or not 1 <= self.batch_criteria <= MOST_TOGETHER
        ):
            raise ConfigError(
                f"expected a whole number from 1 to {MOST_TOGETHER}, got {self.batch_criteria!r}",
                where="--batch-criteria",
                hint="1, the default, asks every question in a call of its own",
            )

    def _check_judges(self) -> None:
        if self.escalate is not None and not self.judges:
            raise ConfigError(
                "a judge to escalate to needs a first one",
                where="--escalate",
                hint="--judge MODEL",
            )
        if not 0 <= self.escalate_audit <= 1:
            raise ConfigError(
                f"expected a share from 0 to 1, got {self.escalate_audit:g}",
                where="--escalate-audit",
                hint="such as 0.2",
            )
        if self.escalate_audit and self.escalate is None:
            raise ConfigError(
                "asks both judges, and there is one",
                where="--escalate-audit",
                hint="--escalate MODEL",
            )
        if self.panel not in PANELS:
            raise ConfigError(
                f"expected {', '.join(PANELS)}, got {self.panel!r}", where="--panel"
            )
        if self.panel != PANELS[0] and len(self.judges) <= 1:
            raise ConfigError(
                "adds several judges up, and there is one",
                where="--panel",
                hint="give --judge again",
            )

    @property
    def judges(self) -> tuple[str | Gateway, ...]:
        """All that `judge` names: none, one, or a panel."""
        if self.judge is None:
            return ()
        if isinstance(self.judge, Sequence) and not isinstance(self.judge, str):
            return tuple(self.judge)
        return (self.judge,)

    def budget_limit(self) -> Decimal | None:
        """`max_cost` as an exact amount.

        Raises:
            ConfigError: it is no amount of money, or negative.
        """
        if self.max_cost is None:
            return None
        try:
            limit = Decimal(str(self.max_cost))
        except InvalidOperation:
            limit = Decimal(-1)
        if not limit.is_finite() or limit < 0:
            raise ConfigError(
                f"expected an amount of money of 0 or more, got {self.max_cost!r}",
                where="--max-cost",
                hint="such as 2.50",
            )
        return limit


_FROM_FILE: Final = frozenset(field.name for field in fields(MeshConfig)) - {"clock"}


def read_config(
    config: MeshConfig | Mapping[str, Any] | str | Path | None,
    options: Mapping[str, Any],
) -> MeshConfig:
    """One configuration out of a ready one, a mapping or a TOML file, and options that go before it.

    Raises:
        ConfigError: an unknown key, a wrong value, an unreadable file.
    """
    if isinstance(config, MeshConfig):
        settings = {
            field.name: getattr(config, field.name) for field in fields(MeshConfig)
        }
    elif isinstance(config, str | Path):
        settings = _from_toml(Path(config))
    else:
        settings = dict(config or {})
    settings.update(options)
    known = {field.name for field in fields(MeshConfig)}
    for key in settings.keys() - known:
        near = get_close_matches(key, known, n=1)
        raise ConfigError(
            f"unknown setting {key!r}",
            hint=f"did you mean {near[0]!r}?" if near else None,
        )
    try:
        return MeshConfig(**settings)
    except TypeError as error:
        raise ConfigError(f"a setting has a value of the wrong type: {error}") from None


def _from_toml(path: Path) -> dict[str, Any]:
    """Settings of a file; its relative paths start from its folder."""
    import tomllib

    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror or error}", where=str(path)
        ) from None
    except ValueError as error:
        raise ConfigError(f"not valid TOML: {error}", where=str(path)) from None
    for key in settings.keys() - _FROM_FILE:
        near = get_close_matches(key, _FROM_FILE, n=1)
        raise ConfigError(
            f"unknown setting {key!r}",
            where=str(path),
            hint=f"did you mean {near[0]!r}?" if near else None,
        )
    contracts = settings.get("contracts")
    if isinstance(contracts, str):
        settings["contracts"] = path.parent / contracts
    elif isinstance(contracts, list):
        settings["contracts"] = [
            path.parent / str(one) for one in cast("list[Any]", contracts)
        ]
    if isinstance(settings.get("prices"), str):
        settings["prices"] = path.parent / settings["prices"]
    settings.setdefault("base_dir", path.parent)
    return settings
