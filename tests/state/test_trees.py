"""Folders deeper than a path is long and than Python recurses."""

from __future__ import annotations

import os
from pathlib import Path

from judgemesh.mesh.state.trees import copy_tree, empty, folders_of

DEPTH = 1_500


def nest(root: Path) -> None:
    """A chain of folders, a file and a link at its end, and a closed folder on the way."""
    root.mkdir()
    here = os.open(root, os.O_RDONLY)
    for number in range(DEPTH):
        os.mkdir("a folder", dir_fd=here)
        below = os.open("a folder", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
        if number == DEPTH // 2:
            os.mkdir("closed", 0o500, dir_fd=here)
    descriptor = os.open("end", os.O_CREAT | os.O_WRONLY, 0o640, dir_fd=here)
    os.write(descriptor, b"end")
    os.utime(descriptor, ns=(1_000, 2_000))
    os.close(descriptor)
    os.symlink("nowhere", "link", dir_fd=here)
    os.close(here)


def described(root: Path) -> list[tuple[str, int, int, int]]:
    """Relative path, mode, size and time of everything below."""
    rows: list[tuple[str, int, int, int]] = []
    for folder in folders_of(root):
        for entry in folder.entries:
            seen = entry.stat(follow_symlinks=False)
            is_folder = entry.is_dir(follow_symlinks=False)
            size, time_ns = (0, 0) if is_folder else (seen.st_size, seen.st_mtime_ns)
            rows.append((folder.path_of(entry.name), seen.st_mode, size, time_ns))
    return rows


def test_a_deep_tree_is_walked_copied_and_removed(tmp_path: Path) -> None:
    root, copy = tmp_path / "root", tmp_path / "copy"
    nest(root)
    before = described(root)
    assert len(before) == DEPTH + 3
    assert len(before[-1][0]) > 4_096
    copy_tree(root, copy)
    assert described(copy) == before
    for folder in (root, copy):
        empty(folder)
        assert list(folder.iterdir()) == []
