"""Nothing that holds a credential shows it: not as text, not in an error, not in a traceback's locals."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.redaction import MASK, safe_data
from judgemesh.mesh import Mesh, MeshConfig
from judgemesh.mesh.judging.gateways.open import open_gateway
from judgemesh.mesh.ledger.engines import parse_address
from judgemesh.mesh.state.tables import SqlTables

SECRET = "canary-5f60718a"
WITH_PASSWORD = f"postgresql://reader:{SECRET}@db.example/records"
SOURCES: list[dict[str, Any]] = [
    {"type": "sql", "url": WITH_PASSWORD, "query": "select 1"},
    {"type": "pubmed", "api_key": SECRET},
    {"type": "http", "url": f"https://h.example/r?api-key={SECRET}"},
    {"type": "http", "url": f"https://{SECRET}@h.example/r"},
    {"type": "own", "options": {"auth": {"token": SECRET}}},
    {"type": "own", "headers": {"Authorization": f"Bearer {SECRET}"}},
]
SETTINGS: list[dict[str, Any]] = [
    {"judge_api_base": f"https://user:{SECRET}@judge.example/v1"},
    {"judge_api_base": f"https://judge.example/v1?api-key={SECRET}"},
    {"ledger": WITH_PASSWORD},
    {"contracts": [{"task_id": "t", "evidence": {"sources": SOURCES}}]},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: next(iter(setting)))
def test_a_configuration_shows_no_secret(setting: dict[str, Any]) -> None:
    config = MeshConfig.model_validate(setting)
    for shown in (repr(config), str(config), repr(Mesh.from_config(config))):
        assert SECRET not in shown
    assert MASK in repr(config)


@pytest.mark.parametrize("name", ["judge_api_base", "ledger"])
def test_an_error_about_a_setting_shows_no_secret(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        MeshConfig.model_validate({name: [WITH_PASSWORD]})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("source", SOURCES, ids=range(len(SOURCES)))
def test_a_contract_shows_no_secret(source: dict[str, Any]) -> None:
    contract = EvalContract.model_validate(
        {
            "task_id": "t",
            "evidence": {"sources": [source]},
            "execution": {"source": source, "expected": [{"kind": "pay"}]},
        }
    )
    assert SECRET not in repr(contract)
    assert SECRET not in str(contract.execution)
    assert SECRET in contract.model_dump_json()


def test_what_is_opened_shows_no_secret() -> None:
    address = f"https://user:{SECRET}@judge.example/v1"
    opened = (
        open_gateway("openai-compatible:m", api_base=address),
        parse_address(WITH_PASSWORD),
        SqlTables(url=WITH_PASSWORD),
    )
    for each in opened:
        assert SECRET not in f"{each!r} {each}"


def test_only_what_names_a_secret_is_masked() -> None:
    data = {"keys": ["a"], "api_key": "x", "token": None, "n": (1, WITH_PASSWORD)}
    assert safe_data(data) == {
        "keys": ["a"],
        "api_key": MASK,
        "token": None,
        "n": (1, f"postgresql://reader:{MASK}@db.example/records"),
    }
