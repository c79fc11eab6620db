"""The compose file of the cluster: its services fit together, and its commands are commands."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import click
import pytest
import typer.main
import yaml

from judgemesh.mesh.cli.app import app

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "cluster"


@pytest.fixture
def services() -> dict[str, Any]:
    loaded = yaml.safe_load((FOLDER / "compose.yaml").read_text())
    found: dict[str, Any] = loaded["services"]
    return found


def test_every_service_that_another_needs_is_there(services: dict[str, Any]) -> None:
    assert set(services) == {"ledger", "provider", "scheduler", "worker", "grade"}
    assert services["worker"]["deploy"]["replicas"] == 3
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
    assert services["grade"]["network_mode"] == "service:provider"
    dockerfile = services["grade"]["build"]["dockerfile"]
    assert (FOLDER.parents[1] / dockerfile).is_file()


def test_the_command_that_grades_is_understood(services: dict[str, Any]) -> None:
    program, name, *arguments = services["grade"]["command"]
    assert program == "judgemesh"
    command: Any = typer.main.get_command(app)
    grade = command.get_command(click.Context(command), name)
    context = grade.make_context(name, list(arguments), resilient_parsing=True)
    assert context.params["cluster"] == "tcp://scheduler:8786"
    assert {"scheduler", "ledger"} <= {
        part
        for text in arguments
        for part in text.replace("/", "@").replace(":", "@").split("@")
    }


def test_the_provider_is_a_module(services: dict[str, Any]) -> None:
    python, _, module, *_ = services["provider"]["command"]
    assert python == "python"
    assert importlib.util.find_spec(module) is not None
