"""`judgemesh label RESULTS`: a person at a terminal, keys through a pipe, and whatever may end either of them."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import termios
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ..conftest import Cli, ResultOf

KEYS_OF = {
    "abandoned": "n",
    "hallucinated": "yy",
    "complete": "yny",
    "partial+": "ynny",
    "partial-": "ynnn",
}
DRAWING = re.compile(r"\x1b\[(?:\?1049[hl]|\?7[hl]|\?25[hl]|H|2K|J|[\d;]*m)")
QUESTION = "Is there any output to judge?"


def labels(cli: Cli, name: str = "labels-ann.jsonl") -> list[dict[str, Any]]:
    path = cli.folder / name
    return (
        [json.loads(line) for line in path.read_text().splitlines()]
        if path.exists()
        else []
    )


@pytest.fixture
def desk(cli: Cli, make: ResultOf) -> Cli:
    cli.write(
        "results.jsonl",
        *(
            {**make(f"r{number}"), "prompt": f"Book trip {number}."}
            for number in range(1, 6)
        ),
    )
    return cli


@dataclass
class Terminal:
    """A terminal with the command at its other end."""

    process: subprocess.Popen[bytes]
    end: int
    seen: str = ""

    def until(self, words: str) -> str:
        """What came since the last call, up to and with the words."""
        deadline = time.monotonic() + 20
        came = ""
        while words not in DRAWING.sub("", came):
            assert time.monotonic() < deadline, came
            if select.select([self.end], [], [], 0.1)[0]:
                came += self._read()
        self.seen += came
        return came

    def press(self, keys: str) -> None:
        os.write(self.end, keys.encode())

    def left(self) -> int:
        """Read to the end of the process; its exit code."""
        while select.select([self.end], [], [], 20)[0] and (came := self._read()):
            self.seen += came
        return self.process.wait(timeout=20)

    def _read(self) -> str:
        try:
            return os.read(self.end, 65536).decode(errors="replace")
        except OSError:
            return ""


@contextmanager
def terminal(
    cli: Cli, *arguments: str, size: tuple[int, int] = (80, 24), **env: str
) -> Generator[Terminal]:
    """Start the installed command as a person at a terminal does."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    kept = {
        name: value
        for name, value in cli.env.items()
        if name not in ("NO_COLOR", "COLUMNS")
    }
    process = subprocess.Popen(
        [cli.command, "label", *arguments],
        cwd=cli.folder,
        env={**kept, "TERM": "xterm-256color", **env},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 (Ctrl-C is of the controlling terminal)
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(ours)


def walk(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, keys: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """The command in this process, with keys from a file."""
    (cli.folder / "keys").write_text(keys)
    with (cli.folder / "keys").open() as stdin, monkeypatch.context() as patch:
        patch.setattr("sys.stdin", stdin)
        return cli("label", *arguments, "--labeler", "ann")


def test_single_keys_at_a_terminal_and_nothing_is_lost(desk: Cli) -> None:
    command = ("results.jsonl", "-c", "contracts.yaml", "--labeler", "ann")
    with terminal(desk, *command) as first:
        screen = first.until("q quit")
        assert "\x1b[?1049h" in screen
        assert "\x1b[1;36m" in screen
        assert "1 of 5 · r1" in screen
        assert "Book trip 1." in screen
        assert "says booking_number" in screen
        first.press("y")  # no Enter
        first.until("Does the output present anything invented")
        first.press("n")
        first.until("Are all sub-goals met")
        first.press("y")
        first.until("2 of 5 · r2")
        assert [row["outcome_class"] for row in labels(desk)] == ["complete"]
        first.press("y")
        first.until("Does the output present anything invented")
        os.killpg(first.process.pid, signal.SIGKILL)
        first.process.wait()
    assert len(labels(desk)) == 1
    with terminal(desk, *command) as second:
        second.until("2 of 5 · r2")
        second.press("o")
        second.until("note: _")
        second.press("seems fine\r")
        second.until("note: seems fine")
        second.press("n")
        second.until("3 of 5 · r3")
        second.press("\x1a")  # Ctrl-Z
        stopped = os.waitpid(second.process.pid, os.WUNTRACED)[1]
        assert os.WIFSTOPPED(stopped)
        os.kill(second.process.pid, signal.SIGCONT)
        second.until("3 of 5 · r3")
        second.press("\x03")  # Ctrl-C
        assert second.left() == 130
        assert "\x1b[?1049l" in second.seen
        assert "3 results left: the same command goes on there" in second.seen
        assert (
            termios.tcgetattr(second.end)[3] & (termios.ECHO | termios.ICANON)
            == termios.ECHO | termios.ICANON
        )
    rows = labels(desk)
    assert [(row["result_id"], row["outcome_class"], row["note"]) for row in rows] == [
        ("r1", "complete", None),
        ("r2", "abandoned", "seems fine"),
    ]
    assert rows[1]["path"] == {"output": "no"}
    assert rows[1]["drawn"] == "chosen"
    assert all(row["seconds"] >= 0 and row["task_id"] == "trip" for row in rows)
    done = desk.process("label", *command, "--json", stdin="n\ns\nq")
    found = json.loads(done.stdout)
    assert (
        found["labelled"],
        found["labelled_now"],
        found["skipped"],
        found["ended"],
    ) == (3, 1, 1, "quit")
    assert "4 of 5" in done.stderr


def test_a_narrow_terminal_without_colours_and_a_hostile_answer(
    cli: Cli, make: ResultOf
) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\x1b[?1049h\x9b5n\u202edne\r\n" * 3
    cli.write("results.jsonl", {**make("r1"), "output": hostile, "prompt": hostile})
    with terminal(
        cli, "results.jsonl", "--labeler", "ann", size=(44, 14), NO_COLOR="1"
    ) as person:
        person.until("q quit")
        person.press("a")
        person.until(r"\x1b]0;owned")
        person.press("\x1b[6~")  # Page Down
        person.press("qq")
        assert person.left() == 0
    drawn = person.seen[: person.seen.index("\x1b[?1049l")]
    rest = DRAWING.sub("", drawn)
    assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", rest)
    assert not re.search(r"\x1b\[[\d;]*3[0-7]m", drawn)


def test_a_hang_up_keeps_everything(desk: Cli) -> None:
    with terminal(desk, "results.jsonl", "--labeler", "ann") as person:
        person.until(QUESTION)
        person.press("n")
        person.until("2 of 5")
        os.kill(person.process.pid, signal.SIGHUP)
        assert person.left() == 130
    assert len(labels(desk)) == 1


def test_without_a_screen_and_in_plain_ascii(desk: Cli) -> None:
    done = desk.process(
        "label",
        "results.jsonl",
        "--labeler",
        "änn",
        "--out",
        "o.jsonl",
        stdin="yny?aé\x1b[A",
        PYTHONIOENCODING="ascii",
    )
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert done.stdout.isascii()
    assert "r1: complete" in done.stdout
    assert "THE FIVE CLASSES" in done.stdout
    assert [row["labeler"] for row in labels(desk, "o.jsonl")] == ["änn"]


def test_closed_standard_input_is_one_line(desk: Cli) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{desk.command}" label results.jsonl --labeler ann <&-'],
        cwd=desk.folder,
        env=desk.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "error: there are no keys to read: standard input is closed\n"


def test_a_standard_input_without_keys_is_a_usage_error(desk: Cli) -> None:
    done = desk.process("label", "results.jsonl", "-c", "contracts.yaml", stdin="")
    (line,) = done.stderr.splitlines()
    assert (done.returncode, line.partition(" (")[0]) == (
        2,
        "error: there are no keys to read: standard input ended before the first",
    )


def test_a_reader_that_leaves_ends_it_in_good_order(desk: Cli) -> None:
    script = f'printf yny%01000d 0 | "{desk.command}" label results.jsonl --labeler ann | head -1'
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=desk.folder,
        env=desk.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("outcome", "keys"), KEYS_OF.items())
def test_every_class_by_its_keys(
    desk: Cli, monkeypatch: pytest.MonkeyPatch, outcome: str, keys: str
) -> None:
    done = walk(
        desk, monkeypatch, keys, "walk", "results.jsonl", "--limit", "1", "--json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["ended"], found["left"], found["outcome_classes"][outcome]) == (
        "done",
        0,
        1,
    )
    assert labels(desk)[0]["outcome_class"] == outcome


def test_calibration_shows_where_a_reviewer_parts_from_the_reference(
    desk: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    classes = ["complete", "partial+", "abandoned", "hallucinated"]
    rows = [
        {
            "result_id": f"r{n}",
            "outcome_class": one,
            "rationale": f"Reason {n}.",
            "split": "calibration",
            "near": None,
        }
        for n, one in enumerate(classes, start=1)
    ]
    desk.write("reference.jsonl", *rows)
    command = ("results.jsonl", "--reference", "reference.jsonl")
    done = walk(desk, monkeypatch, "yny ynnn n", *command)
    assert done.returncode == 0, done.stderr
    assert "agreed" in done.stdout
    assert "You part at: Is it the right shape" in done.stdout
    assert "Reason 2." in done.stdout
    assert "Reason 4." not in done.stdout
    assert "agreement with the canonical labels  0.667 (2 of 3)" in done.stdout
    done = walk(desk, monkeypatch, "ynny", *command, "--json")
    found = json.loads(done.stdout)["agreement"]
    assert (found["items"], found["agreement"]) == (4, 0.5)
    assert found["confusion"]["hallucinated"]["partial+"] == 1
    assert [one["parted_at"] for one in found["differences"]] == ["shape", "fabricated"]
    assert walk(desk, monkeypatch, "", *command).stdout.startswith(
        "ann: 0 results labelled now, 4 of 4 in all"
    )


def test_blind_labels_are_compared_when_all_are_given(
    desk: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"result_id": f"r{n}", "outcome_class": "complete", "rationale": f"Reason {n}."}
        for n in (1, 2)
    ]
    desk.write("reference.jsonl", *rows)
    command = ("results.jsonl", "--reference", "reference.jsonl", "--blind")
    first = walk(desk, monkeypatch, "yny", *command)
    assert "canonical" not in first.stdout
    assert "Reason" not in first.stdout
    second = walk(desk, monkeypatch, "n", *command)
    screens, _, end = second.stdout.partition(
        "agreement with the canonical labels  0.500 (1 of 2)"
    )
    assert "Reason" not in screens
    assert "Reason 2." in end


def test_labelling_again_begins_with_the_oldest_and_the_last_word_counts(
    desk: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk(desk, monkeypatch, "nnnnn", "results.jsonl")
    done = walk(desk, monkeypatch, "yy", "results.jsonl", "--again", "--json")
    assert json.loads(done.stdout)["outcome_classes"]["hallucinated"] == 1
    done = walk(
        desk, monkeypatch, "yny", "results.jsonl", "--again", "--json"
    )  # goes on with the second
    found = json.loads(done.stdout)
    assert (
        found["outcome_classes"]["hallucinated"],
        found["outcome_classes"]["complete"],
    ) == (1, 1)
    assert [row["result_id"] for row in labels(desk)] == [
        "r1",
        "r2",
        "r3",
        "r4",
        "r5",
        "r1",
        "r2",
    ]
    assert (
        json.loads(walk(desk, monkeypatch, "", "results.jsonl", "--json").stdout)[
            "left"
        ]
        == 0
    )


def test_labels_go_into_the_ledger_at_once_or_later(
    desk: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = desk.folder / ".judgemesh/ledger.db"
    url = f"sqlite:///{ledger}"

    def kept() -> list[tuple[Any, ...]]:
        with sqlite3.connect(ledger) as connection:
            query = "SELECT result_id, outcome_class, labeler, note FROM human_label ORDER BY human_label_id"
            return connection.execute(query).fetchall()

    missing = walk(desk, monkeypatch, "n", "results.jsonl", "--ledger", url)
    assert (missing.returncode, ledger.exists()) == (2, False)
    assert desk("grade", "results.jsonl", "-c", "contracts.yaml").returncode == 0
    walk(desk, monkeypatch, "n", "results.jsonl")
    assert kept() == []
    done = walk(desk, monkeypatch, "ofine\nyny", "results.jsonl", "--ledger", url)
    assert done.returncode == 0, done.stderr
    assert kept() == [
        ("r1", "abandoned", "ann", None),
        ("r2", "complete", "ann", "fine"),
    ]
    walk(desk, monkeypatch, "", "results.jsonl", "--ledger", url)
    assert len(kept()) == 2  # nothing twice
    done = desk("label", "import", "labels-ann.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["labels"] == 2
    assert kept()[2:] == kept()[:2]
    shutil.copy(desk.folder / "labels-ann.jsonl", desk.folder / "bad.jsonl")
    with (desk.folder / "bad.jsonl").open("a") as file:
        file.write(
            '{"result_id": "r1", "outcome_class": "complete", "labelled_at": "noon"}\n'
        )
    assert (
        "bad.jsonl:3: labelled_at is 'noon'"
        in desk("label", "import", "bad.jsonl").stderr
    )
    desk.write("more.jsonl", {"result_id": "new", "task_id": "trip"})
    done = walk(desk, monkeypatch, "n", "more.jsonl", "--ledger", url)
    assert done.returncode == 2
    assert "1 result not graded there; the first is 'new'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.jsonl",), "none.jsonl: "),
        (("exprot", "queue.csv"), "exprot: "),
        (
            ("results.jsonl", "--split", "test"),
            "no result is in the split 'test' (there is: none)",
        ),
        (
            ("results.jsonl", "--out", "results.jsonl"),
            "is read by this command, so labels cannot be written there",
        ),
        (
            ("results.jsonl", "--out", "contracts.yaml"),
            "contracts.yaml:1: is no JSON (give another --out)",
        ),
        (("results.jsonl", "--reference", "none.jsonl"), "none.jsonl: cannot be read"),
        (("results.jsonl", "-c", "results.jsonl"), "results.jsonl:"),
        (("results.jsonl", "--labeler", "a\nb"), "--labeler: a name is printable"),
        (("results.jsonl", "--blind"), "give --reference too"),
        (
            ("results.jsonl", "--labeler", "Reference"),
            "the name of the canonical labels",
        ),
    ],
)
def test_what_cannot_be_used_is_one_line(
    desk: Cli, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], words: str
) -> None:
    (desk.folder / "keys").write_text("n")
    with (desk.folder / "keys").open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        done = desk("label", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.startswith("error: ")
    assert sorted(path.name for path in desk.folder.glob("labels-*")) == []


def test_what_is_missing_is_said_and_does_not_stop_it(
    desk: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write(
        "more.jsonl", {"result_id": "m", "task_id": "other", "trace": "gone.json"}, "{"
    )
    done = walk(desk, monkeypatch, "t", "more.jsonl", "-c", "contracts.yaml")
    assert done.returncode == 0
    assert "rejected: more.jsonl:2: not valid JSON" in done.stderr
    assert (
        "1 task without a contract, so without sub-goals; the first is other"
        in done.stderr
    )
    assert "trace: " in done.stdout
    assert "cannot be read: No such file" in " ".join(done.stdout.split())


def test_two_people_who_shuffle_with_one_seed_get_the_same_sample(
    desk: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = ("results.jsonl", "--shuffle", "--seed", "3", "--limit", "2")
    for _ in range(3):  # stopping in between changes nothing
        walk(desk, monkeypatch, "n", *sample, "--out", "a.jsonl")
    walk(desk, monkeypatch, "yyyynn", *sample, "--out", "b.jsonl")
    one, two = (
        [row["result_id"] for row in labels(desk, name)]
        for name in ("a.jsonl", "b.jsonl")
    )
    assert one == two
    assert len(one) == 2
    assert {row["drawn"] for row in labels(desk, "a.jsonl")} == {"at_random"}


def test_help_shows_all_three_ways(cli: Cli) -> None:
    said = cli("label", "--help").stdout
    for words in ("judgemesh label results.jsonl", "walk", "export", "import"):
        assert words in said
    assert Path(cli.folder / "labels-ann.jsonl").exists() is False
