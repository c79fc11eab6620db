"""Specs: what is refused, where it stands, and how it is said."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.rollback.reading import load

from .agents import spec

HEAD = "task_id: t\nagent: {command: [sh, agent.sh]}\nprogress: {writes: 1}\n"
WORLD = "world: {directories: [{path: world}]}\n"


def problems(folder: Path, text: str) -> tuple[str, ...]:
    (folder / "world").mkdir(exist_ok=True)
    path = folder / "s.yaml"
    path.write_text(text)
    with pytest.raises(ContractError) as refused:
        load(path)
    return tuple(line.removeprefix(f"{path}:") for line in refused.value.problems)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "holds no task"),
        ("3", "1:1: expected a task"),
        ("a: [", "not valid YAML"),
        ("task_id: t\n", "agent: is required"),
        (HEAD, "world: is required"),
        (HEAD + "world: {}\n", "4:1: world: is empty"),
        (HEAD + WORLD + "rest: 1\n", "5:1: rest: unknown key; did you mean 'reset'?"),
        (HEAD + "world: {directories: world}\n", "world.directories: expected a list"),
        (HEAD + "world: {directories: [{path: nowhere/deep}]}\n", "4:24: world.directories[0].path: there is no folder"),
        (HEAD + "world: {directories: [{path: s.yaml}]}\n", "is no folder"),
        (HEAD + "world: {directories: [{path: .}]}\n", "contains the spec"),
        (HEAD + "world: {directories: [{path: ..}]}\n", "contains"),
        (HEAD + "world: {directories: [{path: /}]}\n", "top folder of this machine"),
        (HEAD + "world: {directories: [{path: /tmp}]}\n", "top folder of this machine"),
        (HEAD + "world: {directories: [{path: /etc/ssl}]}\n", "world.directories[0].path: "),
        (HEAD + "world: {sqlite: [{path: /etc/passwd}]}\n", "belongs to the system"),
        (HEAD + "world: {directories: [{path: .judgemesh}]}\n", "world.directories[0].path: "),
        (HEAD + "world: {sqlite: [{path: s.yaml}]}\n", "is the spec"),
        (HEAD + "world: {json: [{path: world}]}\n", "is no file"),
        (HEAD + "world: {directories: [{path: world}, {path: world/../world}]}\n", "overlaps"),
        (HEAD + "world: {directories: [{path: world}], json: [{path: world.json}]}\n", "two parts of the world are called"),
        (HEAD + "world: {sql: [{url: 'sqlite:///a.db'}]}\n", "only be put back by a `reset` command"),
        (HEAD + "world: {sql: [{url_env: NOT_SET_HERE}]}\nreset: {command: [make]}\n", "NOT_SET_HERE is not set"),
        (HEAD + "world: {sql: [{}]}\nreset: {command: [make]}\n", "give `url` or `url_env`"),
        (HEAD + WORLD + "recover: {command: []}\n", "recover.command: "),
        (HEAD + WORLD + 'recover: {command: [""]}\n', "names the program and is empty"),
        (HEAD + WORLD + 'recover: {command: ["a\\0b"]}\n', "NUL"),
        (HEAD + WORLD + "recover: {command: [a], cwd: nowhere}\n", "5:25: recover.cwd: there is no folder 'nowhere'"),
        (HEAD + WORLD + "recover: {command: [a], time_limit_s: 0}\n", "greater than 0"),
        (HEAD + WORLD + "recover: {command: [a], env: {'A=B': c}}\n", "no name of a variable"),
        (HEAD + WORLD + "documentation: {pattern: '('}\n", "5:17: documentation.pattern: not a usable pattern"),
        (HEAD + WORLD + "person: {late: {score: 11, instead_of: silent_failure, why: x}}\n", "less than or equal to 10"),
        (HEAD + WORLD + "person: {end: {score: 1, instead_of: silent_failure, why: x}}\n", "person.end"),
        (HEAD + WORLD + "---\n" + HEAD + WORLD, "'t' stands twice"),
        (HEAD.replace("writes: 1", "writes: 0") + WORLD, "progress.writes"),
        (HEAD.replace("writes: 1", "writes: 1, all_written: x") + WORLD, "`writes` or `all_written`, not both"),
        (HEAD.replace("writes: 1", "write: x, write_tools: [y]") + WORLD, "`write` or `write_tools`, not both"),
        (HEAD.replace("writes: 1", "tool_result: 3") + WORLD, "expected a pattern, an object of keys"),
        (HEAD.replace("writes: 1", "tool_result: []") + WORLD, "expected a pattern, an object of keys"),
        (HEAD.replace("writes: 1", "tool_result: '('") + WORLD, "3:12: progress.tool_result: not a usable pattern"),
        (HEAD.replace("writes: 1", "follow: stdout") + WORLD, "`tool_result` is required"),
        (HEAD.replace("writes: 1", "follow: stdout, tool_result: a, write: b, final: c") + WORLD, "`all_written` is required"),
        (HEAD.replace("writes: 1", "file: world/e.jsonl") + WORLD, "lies in the world"),
        (HEAD.replace("writes: 1", "file: nowhere/e.jsonl") + WORLD, "there is no folder"),
    ],
)  # fmt: skip
def test_refused(tmp_path: Path, text: str, expected: str) -> None:
    found = problems(tmp_path, text)
    assert any(expected in line for line in found), found
    assert all("\n" not in line for line in found)


def test_places_that_may_not_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path | str) -> str:
        (line, *_) = problems(
            tmp_path, HEAD + f"world: {{directories: [{{path: {path}}}]}}\n"
        )
        return line

    assert "home folder" in refused(Path.home()) or len(Path.home().parts) <= 2
    assert "running Python" in refused(sys.prefix)
    (tmp_path / "world" / "inside").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "world" / "inside")
    assert "folder you are in" in refused("world")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("/")
    assert "top folder" in refused("link")
    (tmp_path / ".git" / "refs").mkdir(parents=True)
    assert "repository's own files" in refused(".git/refs")
    nested = tmp_path / "deep"
    nested.mkdir()
    (nested / "s.yaml").write_text(HEAD + "world: {directories: [{path: ..}]}\n")
    with pytest.raises(ContractError, match="contains"):
        load(nested / "s.yaml")


def test_several_tasks(tmp_path: Path) -> None:
    one: dict[str, Any] = {"world": {"directories": [{"path": "world"}]}}
    path = spec(tmp_path, "", **one)
    text = path.read_text()
    path.write_text(
        f"tasks: [{text}, {text.replace(chr(34) + 't' + chr(34), chr(34) + 'u' + chr(34))}]"
    )
    assert [loaded.task.task_id for loaded in load(path)] == ["t", "u"]


def test_the_spec_that_the_page_shows(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/rollback.md").read_text(
        encoding="utf-8"
    )
    (text,) = re.findall(
        r"^```text\n(task_id:.*?)^```$", page, re.MULTILINE | re.DOTALL
    )
    (tmp_path / "world").mkdir()
    (tmp_path / "spec.yaml").write_text(text)
    (loaded,) = load(tmp_path / "spec.yaml")
    assert (loaded.task.progress.writes, loaded.task.agent.time_limit_s) == (3, 300)
    files = [place.name for place in (*loaded.sqlite, *loaded.documents)]
    assert ([place.name for place in loaded.folders], files) == (
        ["world"],
        ["orders", "stock"],
    )
    assert loaded.folders[0].exclude == ("*.log",)
