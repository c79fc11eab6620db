"""Worlds that are copied away, wrecked and put back."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.rollback.backup import (
    Workspace,
    WorldItem,
    copy_away,
    items_in,
    put_back,
)
from judgemesh.mesh.rollback.restoration import undisturbed
from judgemesh.mesh.rollback.world import Tree

NAMES = st.sampled_from(["a", "b", "a/c", "a/d/e", "b/f", "ü"])
STEPS = st.lists(
    st.tuples(st.sampled_from(["file", "folder", "link", "remove", "mode"]), NAMES),
    max_size=8,
)


def carry_out(root: Path, steps: list[tuple[str, str]]) -> None:
    for number, (what, name) in enumerate(steps):
        path = root / name
        try:
            if what == "file":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{number} {name}")
            elif what == "folder":
                path.mkdir(parents=True, exist_ok=True)
            elif what == "link":
                path.symlink_to("../nowhere")
            elif what == "mode":
                path.chmod(0o700)
            elif path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        except OSError:
            continue  # a file where a folder should be: the next step then


@settings(max_examples=40)
@given(before=STEPS, wreck=STEPS, there=st.booleans())
def test_whatever_was_done_is_undone(
    before: list[tuple[str, str]], wreck: list[tuple[str, str]], there: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve() / "world"
        if there:
            root.mkdir()
            carry_out(root, before)
        tree = Tree(path=root, name="world")
        start = tree.take()
        items = [
            WorldItem(
                target=root, copy=root.parent / "copies" / "0", folder=True, was=there
            )
        ]
        copy_away(items)
        carry_out(root, wreck)
        for _ in range(2):  # broken off and done again
            put_back(items)
            assert tree.take() == start
        assert root.exists() == there


def test_a_copy_that_is_gone_removes_nothing(tmp_path: Path) -> None:
    world = tmp_path.resolve() / "world"
    world.mkdir()
    (world / "kept").write_text("kept")
    with pytest.raises(Exception, match="the copy is gone; nothing was removed"):
        put_back(
            [WorldItem(target=world, copy=tmp_path / "gone", folder=True, was=True)]
        )
    assert (world / "kept").read_text() == "kept"


def test_the_journal_comes_back_as_it_was_written(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace", tmp_path / "spec.yaml")
    workspace.folder.mkdir()
    assert workspace.journal() is None
    items = [WorldItem(target=Path("/w/a"), copy=Path("/c/0"), folder=False, was=True)]
    workspace.note(items, marker="m")
    journal = workspace.journal()
    assert journal is not None
    assert (items_in(journal), journal["marker"]) == (items, "m")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 9}', "\udc00"])
def test_a_damaged_journal_says_where_the_copies_are(tmp_path: Path, text: str) -> None:
    (tmp_path / "journal.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(
        ConfigError, match=r"journal cannot be read.*copies of the world lie in"
    ):
        Workspace(tmp_path, tmp_path / "spec.yaml").journal()


def test_ctrl_c_waits_for_the_restoring() -> None:
    done: list[str] = []
    before = signal.getsignal(signal.SIGINT)

    def work() -> None:
        with undisturbed():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("restored")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["restored"]
    assert signal.getsignal(signal.SIGINT) is before
