"""pytest: the fixture `judgemesh`, the marker of the same name, and assertion messages with failing codes.

    @pytest.mark.judgemesh(task="refund", contracts="contracts.yaml")
    def test_refund(judgemesh):
        judgemesh.check(run_my_agent("Refund order A-1001"))

A failed gate fails the test with its codes. An undecided gate skips it; where the evaluator broke, the test is skipped
and an error is reported beside it. This module imports nothing of judgemesh before the fixture is used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from judgemesh.mesh.integrations.graded import Graded

_SESSION: Final = "judgemesh.mesh.integrations.session"
_RUN_NAME: Final = "JUDGEMESH_RUN_NAME"
_WORKER_INPUT: Final = "judgemesh_run_name"
_OF_MARKER: Final = ("task", "config")
"""What the marker takes beside the settings."""


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "judgemesh(task=..., **settings): contract and settings of the fixture `judgemesh`",
    )


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give every worker of xdist the same name, so that the ledger has one run."""
    from time import time_ns

    config = node.config
    name = os.environ.get(_RUN_NAME)
    name = name or getattr(config, "_judgemesh_run_name", f"pytest {time_ns()}")
    config._judgemesh_run_name = name  # noqa: SLF001 (an attribute of our own)
    node.workerinput[_WORKER_INPUT] = name


def pytest_unconfigure() -> None:
    """Close the mesh, where one was opened."""
    module = sys.modules.get(_SESSION)
    if module is not None:
        module.close_all()


def _check_names(settings: Mapping[str, Any]) -> None:
    """Refuse a name of the marker that is no setting.

    Raises:
        ConfigError: it names the near one.
    """
    from judgemesh.mesh.config import SETTINGS, unknown_setting

    for name in settings:
        if name not in SETTINGS and name not in _OF_MARKER:
            raise unknown_setting(name, "@pytest.mark.judgemesh", also=_OF_MARKER)


class Grader:
    """What the fixture gives: `grade` returns what judgemesh found, `check` fails the test where the gate failed."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self.faults: list[str] = []

    def grade(
        self, output: Any, *, result_id: str | None = None, **fields: Any
    ) -> Graded:
        """Grade what an agent delivered: an `AgentResult`, messages, a text, or structured data.

        Args:
            output: what the agent delivered.
            result_id: the name of the result; without one, the id of the test.
            fields: further fields of the result, as the harness knows them (`records`, `state`, `messages`, ...).

        A contract or a setting that cannot be used fails the test in one line.
        """
        from judgemesh.contracts.errors import JudgemeshError

        try:
            return self._grade(output, result_id, fields)
        except JudgemeshError as error:
            pytest.fail(f"judgemesh cannot grade: {error}", pytrace=False)

    def _grade(
        self, output: Any, result_id: str | None, fields: dict[str, Any]
    ) -> Graded:
        from judgemesh.mesh.integrations.samples import sample_result
        from judgemesh.mesh.integrations.session import session

        node = self._request.node
        settings: dict[str, Any] = {}
        # A worker of xdist has the name of the controller's run. It is no variable of the environment, because the
        # commands that a test starts have runs of their own.
        run_name = getattr(node.config, "workerinput", {}).get(_WORKER_INPUT)
        if run_name:
            settings["run_name"] = run_name
        for marker in reversed(list(node.iter_markers("judgemesh"))):
            _check_names(marker.kwargs)
            settings.update(marker.kwargs)
        task = fields.pop("task", settings.pop("task", None))
        settings.pop("task", None)
        name = result_id or node.nodeid
        data = sample_result(output, result_id=name, task=task, **fields)
        graded = session("pytest", **settings).grade(data)
        node.user_properties.append(("judgemesh", graded.facts()))
        return graded

    def check(self, output: Any, **fields: Any) -> Graded:
        """Grade, and fail the test where the gate failed; skip it where the gate is undecided."""
        __tracebackhide__ = True
        graded = self.grade(output, **fields)
        if graded.passed is None:
            if graded.broken:
                self.faults.append(graded.reason)
            pytest.skip(f"judgemesh {graded.reason}")
        if not graded.passed:
            pytest.fail(_message(graded), pytrace=False)
        return graded


@pytest.fixture
def judgemesh(request: pytest.FixtureRequest) -> Generator[Grader]:
    """Grade results against contracts; see the marker `judgemesh`."""
    grader = Grader(request)
    yield grader
    if grader.faults:
        told = "; ".join(grader.faults)
        pytest.fail(f"the evaluator broke, {told}", pytrace=False)


def _message(graded: Graded) -> str:
    """The result, its codes, every failed check, and where the report is."""
    report = graded.report
    lines = [f"judgemesh: {report.result_id} failed [{', '.join(graded.codes)}]"]
    lines += [f"  {check}" for check in graded.facts()["failed_checks"]]
    if graded.run_id is not None:
        lines.append(f"  run {graded.run_id}: judgemesh report {report.result_id}")
    return "\n".join(lines)
