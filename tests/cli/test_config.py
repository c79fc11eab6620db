"""Where settings come from, and what `judgemesh config` says about them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from judgemesh.mesh.cli.settings import FLAGS
from judgemesh.mesh.config import SETTINGS, MeshConfig

if TYPE_CHECKING:
    from .conftest import Cli, ResultOf


def shown(cli: Cli, *arguments: str, **env: str) -> dict[str, Any]:
    done = cli("config", "show", "--json", *arguments, **env)
    assert done.returncode == 0, done.stderr
    settings: dict[str, Any] = json.loads(done.stdout)
    return settings


def test_flags_go_before_the_environment_and_that_before_the_file(cli: Cli) -> None:
    cli.write("mesh.toml", "seed = 1", 'mode = "economy"', "max_retries = 7")
    env = {"JUDGEMESH_SEED": "2", "JUDGEMESH_MODE": "full", "JUDGEMESH_PANEL": ""}
    settings = shown(cli, "--config", "mesh.toml", "--seed", "3", **env)
    assert settings["seed"] == {"value": 3, "source": "--seed"}
    assert settings["mode"] == {"value": "full", "source": "JUDGEMESH_MODE"}
    assert settings["max_retries"] == {"value": 7, "source": "mesh.toml: max_retries"}
    assert settings["panel"] == {"value": "auto", "source": "default"}


def test_every_setting_is_shown_and_can_come_from_the_environment(cli: Cli) -> None:
    env = {
        "JUDGEMESH_JUDGE": '["openai/a", "anthropic/b"]',
        "JUDGEMESH_CONTRACTS": "contracts.yaml",
        "JUDGEMESH_CACHE": "false",
        "JUDGEMESH_MAX_COST": "2.50",
    }
    settings = shown(cli, **env)
    assert settings.keys() == SETTINGS
    assert settings["judge"]["value"] == ["openai/a", "anthropic/b"]
    assert settings["contracts"]["value"] == ["contracts.yaml"]
    assert settings["cache"] == {"value": False, "source": "JUDGEMESH_CACHE"}
    assert settings["max_cost"]["value"] == "2.50"


def test_a_variable_can_name_the_file(cli: Cli) -> None:
    cli.write("mesh.toml", "seed = 5")
    assert shown(cli, JUDGEMESH_CONFIG="mesh.toml")["seed"]["value"] == 5


def test_secrets_are_not_shown(cli: Cli) -> None:
    ledger = "postgresql://ann:secret@db/ledger?password=secret"
    base = "https://user:secret@host/v1"
    arguments = ("config", "show", "--ledger", ledger, "--judge-api-base", base)
    for more in ((), ("--json",)):
        done = cli(*arguments, *more)
        assert done.returncode == 0
        assert "secret" not in done.stdout + done.stderr


def test_grade_goes_by_the_file(cli: Cli, make: ResultOf) -> None:
    cli.write("results.jsonl", make("r1"))
    cli.write("mesh.toml", 'contracts = "contracts.yaml"', 'ledger = "here.db"')
    done = cli("grade", "results.jsonl", "--config", "mesh.toml")
    assert done.returncode == 0, done.stderr
    assert (cli.folder / "here.db").is_file()
    shown = cli("report", "r1", JUDGEMESH_CONFIG="mesh.toml")
    assert shown.returncode == 0, shown.stderr


@pytest.mark.parametrize(
    ("text", "env", "arguments", "message"),
    [
        ("sed = 1", {}, (), "mesh.toml: unknown setting 'sed' (did you mean 'seed'?)"),
        ("seed = ", {}, (), "mesh.toml: not valid TOML"),
        ("seed = 'x'", {}, (), "mesh.toml: seed: expected a whole number, got 'x'"),
        (
            "",
            {"JUDGEMESH_BATCH_CRITERIA": "9"},
            (),
            "JUDGEMESH_BATCH_CRITERIA: expected a whole number from 1 to 8, got '9'",
        ),
        ("", {"JUDGEMESH_JUDGE": "[1"}, (), "JUDGEMESH_JUDGE: not a JSON array"),
        ("", {}, ("--rpm", "0"), "--rpm: expected a number above 0, got '0'"),
        (
            "",
            {"JUDGEMESH_ESCALATE": "openai/b"},
            (),
            "JUDGEMESH_ESCALATE: needs a first judge",
        ),
    ],
)
def test_a_wrong_setting_is_named_by_its_source(
    cli: Cli, text: str, env: dict[str, str], arguments: tuple[str, ...], message: str
) -> None:
    cli.write("mesh.toml", text)
    done = cli("config", "show", "--config", "mesh.toml", *arguments, **env)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {message}")
    assert len(done.stderr.splitlines()) == 1


def test_the_schema_describes_every_setting(cli: Cli) -> None:
    schema = json.loads(cli("config", "schema").stdout)
    assert schema["properties"].keys() == SETTINGS
    assert all(field.get("description") for field in schema["properties"].values())
    assert schema["additionalProperties"] is False


def test_every_flag_is_a_setting() -> None:
    assert {flag.setting for flag in FLAGS} <= MeshConfig.model_fields.keys()
