"""Command-line flags for the settings of `MeshConfig`, and where values come from.

Precedence: a flag, then an environment variable, then the configuration file, then the
default. `docs/reference/configuration.md` describes each setting.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from judgemesh.mesh.cli.options import DEFAULT_LEDGER
from judgemesh.mesh.config import LISTS, MeshConfig
from judgemesh.mesh.inputs.settings import (
    CONFIG_VARIABLE,
    Setting,
    build_config,
    settings_of_environment,
    settings_of_file,
)

DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True)
class Flag:
    """How one setting is given on the command line.

    names: the long flag first; without any, `--` and the name of the setting.
    """

    setting: str
    metavar: str = ""
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The long flag."""
        default = "--" + self.setting.replace("_", "-")
        return self.names[0] if self.names else default


FLAGS: Final = (
    Flag("contracts", "PATH", ("--contracts", "-c")),
    Flag("judge", "MODEL"),
    Flag("panel", "METHOD"),
    Flag("judge_api_base", "URL"),
    Flag("escalate", "MODEL"),
    Flag("escalate_audit", "SHARE"),
    Flag("votes", "NAME"),
    Flag("batch_criteria", "N"),
    Flag("batch_audit", "SHARE"),
    Flag("prices", "FILE"),
    Flag("ledger", "URL"),
    Flag("content"),
    Flag("redact", "PATTERN"),
    Flag("max_concurrency", "N", ("--max-concurrency", "-j")),
    Flag("judge_concurrency", "N"),
    Flag("max_retries", "N"),
    Flag("backend", "NAME", ("--judge-backend",)),
    Flag("requests_per_minute", "N", ("--rpm",)),
    Flag("tokens_per_minute", "N", ("--tpm",)),
    Flag("max_cost", "AMOUNT"),
    Flag("mode", "NAME"),
    Flag("seed", "N"),
    Flag("cache"),
    Flag("offline"),
    Flag("timeout_s", "S", ("--timeout",)),
    Flag("validators", "NAME", ("--validator",)),
)
"""The settings that have a flag, in the order of the help."""

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        envvar=CONFIG_VARIABLE,
        help="Configuration file (TOML). Flags and JUDGEMESH_* variables take "
        "precedence.",
    ),
]


def setting_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command a flag for each setting; it takes those given as `settings`."""

    @wraps(command)
    def run(**values: Any) -> None:
        settings: dict[str, Setting] = {}
        for flag in FLAGS:
            value = values.pop(flag.setting)
            if value is not None and value != []:
                settings[flag.setting] = Setting(value, flag.name)
        command(**values, settings=settings)

    signature = inspect.signature(command, eval_str=True)
    parameters = dict(signature.parameters)
    del parameters["settings"]
    for flag in FLAGS:
        parameters[flag.setting] = _parameter(flag)
    run.__dict__["__signature__"] = signature.replace(
        parameters=list(parameters.values())
    )
    run.__annotations__ = {
        name: parameter.annotation for name, parameter in parameters.items()
    }
    return run


def _parameter(flag: Flag) -> inspect.Parameter:
    """The typer option of a flag. It has no default: an absent flag decides nothing."""
    field = MeshConfig.model_fields[flag.setting]
    default = DEFAULT_LEDGER if flag.setting == "ledger" else field.default
    text = field.description or ""
    if isinstance(default, bool):
        kind: Any = bool | None
        names = _switches(flag.name, default=default)
    else:
        kind = list[str] | None if flag.setting in LISTS else str | None
        names = flag.names or (flag.name,)
        if flag.setting in LISTS:
            text = f"{text} Repeatable."
        elif default is not None:
            text = f"{text} [default: {default}]"
    option = typer.Option(*names, metavar=flag.metavar or None, help=text)
    return inspect.Parameter(
        flag.setting,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind, option],
    )


def _switches(name: str, *, default: bool) -> tuple[str, ...]:
    """`--cache/--no-cache` for what is on by default, else the flag alone."""
    return (f"{name}/--no-{name.removeprefix('--')}",) if default else (name,)


@dataclass(frozen=True, slots=True)
class EffectiveConfig:
    """A configuration, and where each of its settings comes from."""

    config: MeshConfig
    sources: Mapping[str, str]


def effective_config(
    file: Path | None, flags: Mapping[str, Setting]
) -> EffectiveConfig:
    """The configuration of this command: flags, environment, file, defaults.

    Raises:
        ConfigError: a wrong value, named by its source; the file cannot be used.
    """
    settings = {"ledger": Setting(DEFAULT_LEDGER, DEFAULT)}
    if file is not None:
        settings |= settings_of_file(file)
    settings |= settings_of_environment(os.environ)
    settings |= flags
    config = build_config(settings)
    sources = dict.fromkeys(MeshConfig.model_fields, DEFAULT)
    sources |= {name: setting.source for name, setting in settings.items()}
    return EffectiveConfig(config, sources)
