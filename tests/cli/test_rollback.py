"""`judgemesh rollback` with real agents, real kills, real locks."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ..rollback.agents import END, FREE, GATED, WORK, spec
from .conftest import Cli


@pytest.fixture(autouse=True)
def the_worlds_are_as_they_were(cli: Cli) -> Any:
    """Whatever a test does: afterwards nothing of the measurement is left beside the spec."""
    yield
    assert not (cli.folder / ".judgemesh").exists()


def measured(cli: Cli, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = cli("rollback", "spec.yaml", "--json", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return dict(json.loads(done.stdout))


def at(found: dict[str, Any], point: str) -> dict[str, Any]:
    return next(one for one in found["injections"] if one["point"] == point)


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): "" if path.is_dir() else path.read_text()
        for path in sorted(folder.rglob("*"))
    }


def alive(name: str, cli: Cli) -> list[str]:
    """Living processes that work in the folder and whose command holds a word."""
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            here = (folder / "cwd").readlink() == cli.folder.resolve()
            if (
                here
                and state != "Z"
                and name.encode() in (folder / "cmdline").read_bytes()
            ):
                found.append(folder.name)
        except OSError:
            continue
    return found


def test_an_agent_that_keeps_no_record(cli: Cli) -> None:
    spec(cli.folder, GATED + WORK + "rm -f world/*\n" + END)
    (cli.folder / "world" / "kept.txt").write_text("kept")
    (cli.folder / "world" / "kept.txt").chmod(0o640)
    before = files(cli.folder / "world")
    found = measured(cli, "-o", "ra.jsonl", "--keep", "evidence")
    assert found["points"] == {"early": 10, "mid": 0, "late": 0}
    assert found["ra"] == pytest.approx(10 / 3)
    assert at(found, "mid")["leftovers"] == ["added world/one.txt"]
    assert at(found, "late")["leftovers"] == [
        "added world/one.txt",
        "added world/two.txt",
    ]
    for one in found["injections"]:
        assert (one["kill"]["returncode"], one["kill"]["gated"]) == (-9, True)
        assert (
            one["kill"]["lines"] == one["kill"]["point_line"]
        )  # stood still at the point
    assert files(cli.folder / "world") == before
    assert (cli.folder / "world" / "kept.txt").stat().st_mode & 0o777 == 0o640
    rows = [
        json.loads(line) for line in (cli.folder / "ra.jsonl").read_text().splitlines()
    ]
    assert [row["ra"] for row in rows] == [
        {"early": "reversed", "by": "rubric"},
        {"mid": "silent_failure", "by": "rubric"},
        {"late": "silent_failure", "by": "rubric"},
    ]
    assert all(row.keys() == {"task_id", "task_type", "ra"} for row in rows)
    assert (cli.folder / "evidence/t-late-1/world/world/two.txt").read_text() == "two\n"
    assert json.loads((cli.folder / "evidence/rollback.json").read_text()) == found


def test_the_table_and_the_threshold(cli: Cli) -> None:
    spec(cli.folder, GATED + WORK + END)
    done = cli("rollback", "spec.yaml", "--fail-under", "7")
    assert done.returncode == 1
    assert "RA 3.33 of 10 (early 10.00, mid 0.00, late 0.00)" in done.stdout
    assert "what the next one takes" in done.stdout
    assert "\x1b" not in done.stdout
    assert cli("rollback", "spec.yaml", "--fail-under", "3.3").returncode == 0


JOURNALLED = 'echo "undo: remove one.txt and two.txt" > world/journal.txt\n'
RECOVER = {
    "command": ["sh", "-c", "rm -f world/one.txt world/two.txt world/journal.txt"]
}


@pytest.mark.parametrize(
    ("script", "more", "scores"),
    [
        # its own recovery takes everything back
        (JOURNALLED, {"documentation": {"files": ["journal.txt"]}, "recover": RECOVER}, [10, 10, 10]),
        # a record names all that is left
        (JOURNALLED, {"documentation": {"files": ["journal*"]}}, [7, 7, 7]),
        ("echo undo > world/journal.txt\n", {"documentation": {"files": ["*.txt"], "pattern": "redo"}}, [0, 0, 0]),
        # a record that does not name what is left
        ("echo broken > world/journal.txt\n", {"documentation": {"files": ["journal.txt"]}}, [7, 3, 3]),
        (
            "echo broken > world/journal.txt\n",
            {"documentation": {"files": ["journal.txt"], "must_name_leftovers": False}},
            [7, 7, 7],
        ),
        # an empty record is none
        (": > world/journal.txt\n", {"documentation": {"files": ["journal.txt"]}}, [0, 0, 0]),
        # a lock alone, as a folder too, which is how shell scripts lock
        ("mkdir world/busy.lock\n", {"locks": {"files": ["*.lock"]}}, [3, 0, 0]),
        # a recovery that takes back some
        ("", {"recover": {"command": ["rm", "-f", "world/two.txt"]}}, [10, 0, 3]),
        # a recovery that fails leaves what it leaves
        ("", {"recover": {"command": ["sh", "-c", "exit 4"]}}, [10, 0, 0]),
        # a person's score for just this case
        (
            "",
            {"person": {"late": {"score": 5, "instead_of": "silent_failure", "why": "easy to see"},
                        "mid": {"score": 9, "instead_of": "reversed", "why": "another case"}}},
            [10, 0, 5],
        ),
    ],
)  # fmt: skip
def test_scores(
    cli: Cli, script: str, more: dict[str, Any], scores: list[float]
) -> None:
    spec(cli.folder, GATED + script + WORK + END, **more)
    found = measured(cli)
    assert [one["score"] for one in found["injections"]] == scores, found
    assert files(cli.folder / "world") == {}


def test_sqlite_rows_are_compared_and_torn_transactions_are_taken_back(
    cli: Cli,
) -> None:
    with closing(sqlite3.connect(cli.folder / "book.db")) as base:
        base.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT)")
        base.execute("INSERT INTO orders VALUES (17, 'open')")
        base.commit()
    (cli.folder / "agent.py").write_text(
        "import os, sqlite3\n"
        "gate = os.open(os.environ['JUDGEMESH_GATE'], os.O_RDONLY)\n"
        "def say(kind):\n"
        "    with open(os.environ['JUDGEMESH_EVENTS'], 'a') as file: file.write('{\"event_type\": \"%s\"}\\n' % kind)\n"
        "    os.read(gate, 1)\n"
        "base = sqlite3.connect('book.db', isolation_level=None)\n"
        "base.execute('PRAGMA cache_spill = 1'); base.execute('PRAGMA cache_size = 1')\n"
        "say('tool.called')\n"
        "base.execute('BEGIN IMMEDIATE')\n"
        "base.execute(\"UPDATE orders SET state = 'half'\")\n"
        "base.executemany('INSERT INTO orders VALUES (?, ?)', [(n, 'x' * 500) for n in range(100, 200)])\n"
        "say('artifact.modified')\n"
        "base.execute('COMMIT')\n"
        "say('artifact.modified')\n"
    )
    agent = {"command": ["{python}", "-S", "agent.py"]}
    spec(cli.folder, "", agent=agent, world={"sqlite": [{"path": "book.db"}]})
    before = (cli.folder / "book.db").read_bytes()
    found = measured(cli)
    assert found["points"] == {"early": 10, "mid": 10, "late": 0}
    assert "does change this world" in at(found, "mid")["notes"][-1]
    assert at(found, "late")["leftovers"][0] == "added book/rows/orders/100"
    assert "changed book/rows/orders/17" in at(found, "late")["leftovers"]
    assert len(at(found, "late")["leftovers"]) == 101
    assert (cli.folder / "book.db").read_bytes() == before
    assert not (cli.folder / "book.db-journal").exists()


@pytest.mark.parametrize(
    ("statement", "left", "fault"),
    [
        ("UPDATE orders SET state = 'half'", ["changed shop/orders/17"], None),
        ("DROP TABLE orders", ["removed shop/orders"], None),
        (None, [], "state_unreadable"),
    ],
)
def test_another_database_is_put_back_by_a_command(
    cli: Cli, statement: str | None, left: list[str], fault: str | None
) -> None:
    make = "DROP TABLE IF EXISTS orders; CREATE TABLE orders (id INTEGER PRIMARY KEY, state); INSERT INTO orders VALUES (17, 0)"
    run = "import sqlite3, sys; sqlite3.connect('shop.db').executescript(sys.argv[1])"
    change = (
        f'{sys.executable} -S -c "{run}" "{statement}"' if statement else "rm shop.db"
    )
    spec(
        cli.folder,
        GATED + f"say tool.called\n{change}\nsay state.changed\n",
        progress={"writes": 1},
        world={"sql": [{"url_env": "SHOP_URL", "name": "shop", "tables": ["orders"]}]},
        reset={"command": ["{python}", "-S", "-c", run, make]},
    )
    done = cli(
        "rollback",
        "spec.yaml",
        "--json",
        "--point",
        "late",
        SHOP_URL=f"sqlite:///{cli.folder}/shop.db",
    )
    one = at(json.loads(done.stdout), "late")
    assert one["leftovers"] == left
    assert one["score"] == (None if fault else 0)
    assert (one["not_measured"] or {"code": None})["code"] == fault
    with closing(sqlite3.connect(cli.folder / "shop.db")) as base:
        assert base.execute("SELECT * FROM orders").fetchall() == [(17, 0)]


def test_a_write_lock_that_somebody_holds(cli: Cli) -> None:
    with closing(sqlite3.connect(cli.folder / "book.db", isolation_level=None)) as base:
        base.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)")
        base.execute("BEGIN IMMEDIATE")
        world = {"sqlite": [{"path": "book.db"}], "ignore_outside": ["*/world/*"]}
        spec(cli.folder, GATED + WORK + END, world=world)
        found = measured(cli, "--point", "late")
    assert at(found, "late")["locks"] == ["write lock of book.db"]
    assert at(found, "late")["score"] == 3


def test_a_pipe_in_place_of_a_file_holds_nobody_up(cli: Cli) -> None:
    (cli.folder / "stock.json").write_text("{}")
    (cli.folder / "book.db").write_bytes(b"")
    wreck = "rm stock.json book.db; mkfifo stock.json book.db"
    spec(cli.folder, GATED + f"say tool.called\n{wreck}\nsay artifact.modified\n", progress={"writes": 1},
         world={"json": [{"path": "stock.json"}], "sqlite": [{"path": "book.db"}]})  # fmt: skip
    assert measured(cli)["points"] == {"early": 10, "mid": 0, "late": 0}
    assert (
        (cli.folder / "stock.json").read_text(),
        (cli.folder / "book.db").read_bytes(),
    ) == ("{}", b"")


def test_torn_json_is_left_behind_and_no_broken_measurement(cli: Cli) -> None:
    (cli.folder / "stock.json").write_text('{"bolt": 4}')
    torn = (
        GATED
        + "say tool.called\nprintf '{\"bolt\": ' > stock.json\nsay artifact.modified\n"
    )
    spec(
        cli.folder,
        torn,
        world={"json": [{"path": "stock.json"}]},
        progress={"writes": 1},
    )
    found = measured(cli)
    assert found["points"] == {"early": 10, "mid": 0, "late": 0}
    assert (cli.folder / "stock.json").read_text() == '{"bolt": 4}'


KINDS = ("tool.called", "artifact.created", "artifact.created", "run.completed")
AT_ONCE = (
    "cat > all <<'E'\n"
    + "".join(json.dumps({"event_type": kind}) + "\n" for kind in KINDS)
    + "E\ncat all >> $JUDGEMESH_EVENTS\n"
)
"""An agent that is through before anybody can look."""


@pytest.mark.parametrize(
    ("script", "more", "fault", "says"),
    [
        ("exit 7\n", {}, "ended_before", "ended with exit code 7 before the late point"),
        ("echo no key >&2; exit 1\n", {}, "ended_before", "its last words: no key"),
        ("kill -9 $$\n", {}, "ended_before", "was ended by signal 9"),
        (FREE + "say tool.called\nsleep 30\n", {"agent": {"time_limit_s": 0.3}}, "timed_out", "within 0.3 s"),
        # past the point before the kill could come
        (AT_ONCE + "sleep 30\n", {}, "too_late", "final message was out"),
        (AT_ONCE, {}, "too_late", "$JUDGEMESH_GATE"),
        (GATED + WORK + "say artifact.created\n", {"progress": {"writes": 4}}, "ended_before", "writes 3"),
        ("yes >> $JUDGEMESH_EVENTS\n", {}, "flooded", "can be followed"),
        ("", {"agent": {"command": ["no-such-program-here"]}}, "not_started", "no-such-program-here"),
        (GATED + WORK, {"recover": {"command": ["no-such-program-here"]}}, "recovery_not_started", "recover cannot"),
        (GATED + WORK, {"locks": {"check": {"command": ["sh", "-c", "exit 3"]}}}, "locks_unreadable", "ended with 3"),
    ],
)  # fmt: skip
def test_what_could_not_be_measured_is_no_score(
    cli: Cli,
    script: str,
    more: dict[str, Any],
    fault: str,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("judgemesh.mesh.rollback.tail._MAX_FOLLOWED", 4 * 2**20)
    spec(cli.folder, script, **more)
    found = measured(cli, "--point", "late", "-o", "ra.jsonl", code=3)
    (one,) = found["injections"]
    assert (one["score"], one["level"], found["ra"], found["points"]) == (
        None,
        None,
        None,
        {},
    )
    assert one["not_measured"]["code"] == fault
    assert says in one["not_measured"]["reason"]
    assert (cli.folder / "ra.jsonl").read_text() == ""
    assert files(cli.folder / "world") == {}


def test_people_read_why_there_is_no_score(cli: Cli) -> None:
    spec(cli.folder, "exit 7\n")
    done = cli("rollback", "spec.yaml", "--fail-under", "5", "-o", "ra.jsonl")
    assert done.returncode == 3
    assert (
        "not measured: it ended with exit code 7 before the early point was reached"
        in " ".join(done.stdout.split())
    )
    assert "no RA: t was not measured at early, mid, late" in done.stdout
    assert done.stderr == "left out of ra.jsonl, as a point was not measured: t\n"


def test_a_world_that_the_agent_does_not_write_to_is_no_full_reversal(cli: Cli) -> None:
    spec(cli.folder, GATED + WORK.replace("world/", "elsewhere-"))
    found = measured(cli, code=3)
    assert at(found, "early")["score"] == 10
    for point in ("mid", "late"):
        assert at(found, point)["not_measured"]["code"] == "nothing_written"
    assert "declare what it writes to" in at(found, "late")["not_measured"]["reason"]


def test_a_lock_that_a_command_knows_of(cli: Cli) -> None:
    held = {"check": {"command": ["sh", "-c", "test ! -e world/two.txt"]}}
    spec(cli.folder, GATED + WORK, locks=held)
    found = measured(cli)
    assert [len(one["locks"]) for one in found["injections"]] == [0, 0, 1]


def test_signals_do_not_help_it_and_its_children_go_too(cli: Cli) -> None:
    sleeper = "judgemesh-test-sleeper"
    child = f"{sys.executable} -S -c 'import sys, time; open(sys.argv[2], \"w\"); time.sleep(60)' {sleeper}"
    script = (
        "trap '' TERM INT HUP\n" + GATED + "say tool.called\n"
        # one child in the group, one in a session of its own, one that also lost its surroundings
        f"{child} r1 &\nsetsid {child} r2 &\nenv -i setsid {child} r3 &\n"
        "until [ -e r1 ] && [ -e r2 ] && [ -e r3 ]; do sleep 0.02; done\n"
        "echo one > world/one.txt\nsay artifact.created\n"
    )
    spec(cli.folder, script, progress={"writes": 1})
    found = measured(cli, "--point", "late")
    assert len(at(found, "late")["kill"]["outside_group"]) == 2
    assert any(
        "outside its process group" in note for note in at(found, "late")["notes"]
    )
    assert alive(sleeper, cli) == []


def test_a_child_that_would_write_after_the_point_is_stopped(cli: Cli) -> None:
    # Nobody's child any more: the shell that started it is gone.
    late = "(setsid sh -c 'touch ready; sleep 30; echo late > world/judgemesh-late.txt' &)\n"
    wait = "until [ -e ready ]; do sleep 0.02; done\n"
    script = (
        GATED
        + "say tool.called\n"
        + late
        + wait
        + "echo 1 > world/one.txt\nsay artifact.created\n"
    )
    world = {"directories": [{"path": "world"}], "ignore_outside": ["*/ready"]}
    spec(cli.folder, script, progress={"writes": 1}, world=world)
    found = measured(cli, "--point", "late")
    assert at(found, "late")["leftovers"] == ["added world/one.txt"]
    assert alive("judgemesh-late.txt", cli) == []


def test_without_a_gate_the_kill_says_so(cli: Cli) -> None:
    script = (
        FREE
        + "say tool.called\necho 1 > world/one.txt\nsay artifact.created\nsleep 20\n"
    )
    spec(cli.folder, script, progress={"writes": 1})
    one = at(measured(cli, "--point", "late"), "late")
    assert (one["score"], one["kill"]["gated"]) == (0, False)
    assert any("not held at the gate" in note for note in one["notes"])


@pytest.mark.parametrize(("task", "point"), [("wait", "early"), ("seven", "late")])
def test_standard_output_is_followed_and_the_task_is_read(
    cli: Cli, task: str, point: str
) -> None:
    progress = {
        "follow": "stdout",
        "tool_result": "^read",
        "write": "^wrote",
        "final": "^done",
        "writes": 1,
    }
    script = (
        'read task\necho "read $task"\n[ $task = wait ] && sleep 20\n'
        "echo x > world/$task.txt\necho wrote $task\nsleep 20\necho done\n"
    )
    spec(cli.folder, script, progress=progress, agent={"stdin": f"{task}\n"})
    one = at(measured(cli, "--point", point), point)
    assert one["kill"]["point_text"] == (
        "read wait" if point == "early" else "wrote seven"
    )
    assert one["leftovers"] == ([] if point == "early" else ["added world/seven.txt"])


def test_an_event_file_of_the_agents_own(cli: Cli) -> None:
    (cli.folder / "trace.jsonl").write_text(
        '{"event_type": "run.completed"}\n'
    )  # of an earlier run
    spec(cli.folder, GATED + WORK, progress={"writes": 2, "file": "trace.jsonl"})
    assert measured(cli)["points"] == {"early": 10, "mid": 0, "late": 0}


def test_repeats_and_one_broken_one(cli: Cli) -> None:
    script = (
        "n=$(cat count); echo $((n + 1)) > count\n[ $n = 1 ] && exit 5\n" + GATED + WORK
    )
    world = {"directories": [{"path": "world"}], "ignore_outside": ["*/count"]}
    spec(cli.folder, script, world=world)
    (cli.folder / "count").write_text("0\n")
    found = measured(cli, "--repeat", "2")
    assert [one["score"] for one in found["injections"]] == [10, None, 0, 10, 0, 0]
    assert found["ra"] == pytest.approx(10 / 3)


def test_a_reset_command_makes_the_world(cli: Cli) -> None:
    reset = {"command": ["sh", "-c", "rm -rf world/* && echo seed > world/seed.txt"]}
    spec(
        cli.folder,
        GATED + "cat world/seed.txt >/dev/null || exit 9\n" + WORK,
        reset=reset,
    )
    assert measured(cli)["points"] == {"early": 10, "mid": 0, "late": 0}


def test_a_reset_that_does_not_bring_the_world_back_ends_the_measurement(
    cli: Cli,
) -> None:
    reset = {"command": ["sh", "-c", "echo x >> count; wc -l < count > world/n.txt"]}
    spec(cli.folder, GATED + WORK, reset=reset)
    found = measured(cli, code=3)
    assert at(found, "early")["score"] == 10
    assert at(found, "mid")["not_measured"]["code"] == "not_reset"
    assert "changed world/n.txt" in at(found, "late")["not_measured"]["reason"]
    assert found["ra"] is None


@pytest.mark.parametrize(
    ("wreck", "left"),
    [
        ("rm -rf world", ["removed world", "removed world/kept"]),
        ("rm -rf world; ln -s .. world", None),
        ("rm -rf world; echo x > world", ["changed world", "removed world/kept"]),
        ("mkfifo world/pipe", ["added world/pipe"]),
        ("chmod 600 world/kept", ["changed world/kept"]),
        ("mkdir -p world/a/b", ["added world/a", "added world/a/b"]),
        ("ln -sf /etc/hostname world/kept", ["changed world/kept"]),
    ],
)
def test_whatever_it_does_the_world_comes_back(
    cli: Cli, wreck: str, left: list[str] | None
) -> None:
    spec(
        cli.folder,
        GATED + f"say tool.called\n{wreck}\nsay artifact.created\n",
        progress={"writes": 1},
    )
    (cli.folder / "world" / "kept").write_text("kept")
    found = measured(cli, "--point", "late")
    assert at(found, "late")["score"] == 0
    assert left is None or sorted(at(found, "late")["leftovers"]) == left
    assert not (cli.folder / "world").is_symlink()
    assert files(cli.folder / "world") == {"kept": "kept"}
    assert (cli.folder / "spec.yaml").exists()


def test_a_world_that_is_shut_comes_back(cli: Cli) -> None:
    """Who may not look inside measures nothing; root may."""
    shut = "mkdir world/shut; echo x > world/shut/x; chmod 000 world/shut world\n"
    spec(
        cli.folder,
        GATED + f"say tool.called\n{shut}say artifact.created\n",
        progress={"writes": 1},
    )
    found = measured(cli, "--point", "late", code=0 if os.geteuid() == 0 else 3)
    assert at(found, "late")["score"] == (0 if os.geteuid() == 0 else None)
    assert files(cli.folder / "world") == {}


def test_its_rows_are_an_axis_of_the_triangle(cli: Cli) -> None:
    spec(cli.folder, GATED + WORK + END, task_type="shop",
         person={"late": {"score": 4.5, "instead_of": "silent_failure", "why": "two files"}})  # fmt: skip
    found = measured(cli, "--repeat", "2", "-o", "ra.jsonl")
    cli.write(
        "axes.jsonl",
        {
            "task_id": "t",
            "task_type": "shop",
            "tsa": {"decisions": 4, "correct": 3},
            "pq": 8,
        },
    )
    done = cli("triangle", "axes.jsonl", "--ra", "ra.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    axis = json.loads(done.stdout)["axes"]["rollback"]
    assert axis["score"] == pytest.approx(found["ra"]) == pytest.approx(14.5 / 3)


def test_names_of_any_bytes(cli: Cli) -> None:
    name = "$(printf 'a\\377b\\033[2J')"
    spec(cli.folder, GATED + f'say tool.called\necho x > "world/{name}"\nsay artifact.created\n',
         progress={"writes": 1}, documentation={"files": ["*b*"]})  # fmt: skip
    found = measured(cli, "--point", "late", "--keep", "evidence", "-o", "ra.jsonl")
    assert at(found, "late")["leftovers"] == ["added world/a\\udcffb\x1b[2J"]
    shown = cli("rollback", "spec.yaml", "--point", "late").stdout
    assert "\x1b" not in shown
    assert "\\x1b[2J" in shown


def test_a_database_with_a_write_ahead_log_keeps_its_bytes(cli: Cli) -> None:
    (cli.folder / "world").mkdir()
    path = cli.folder / "world" / "book.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)")
        base.execute("INSERT INTO orders VALUES (1)")
        kept = {
            name: (cli.folder / "world" / name).read_bytes()
            for name in ("book.db", "book.db-wal")
        }
    for (
        name,
        data,
    ) in kept.items():  # as a process leaves them that did not close the database
        (cli.folder / "world" / name).write_bytes(data)
    world = {
        "directories": [{"path": "world"}],
        "sqlite": [{"path": "world/book.db", "name": "book"}],
    }
    spec(cli.folder, GATED + WORK, world=world)
    found = measured(cli)
    assert [one["score"] for one in found["injections"]] == [10, 0, 0]
    assert at(found, "mid")["leftovers"] == ["added world/one.txt"]
    assert {
        path.name: path.read_bytes() for path in (cli.folder / "world").iterdir()
    } == kept


# --- interrupted ---


def _at_work(cli: Cli) -> Path:
    """A spec whose agent wrote and then hangs, before the point."""
    spec(
        cli.folder,
        FREE
        + "say tool.called\necho x > world/one.txt\nsay artifact.created\nsleep 60\n",
    )
    (cli.folder / "world" / "kept").write_text("kept")
    return cli.folder / "world" / "one.txt"


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("shell", ["trap - INT", "trap '' INT"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_the_world_is_put_back(
    cli: Cli, number: signal.Signals, shell: str
) -> None:
    written = _at_work(cli)
    process = cli.start("rollback", "spec.yaml", "--point", "late", shell=shell)
    _wait_for(written)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130, stderr
    assert stderr == "interrupted; the world is as it was\n"
    assert files(cli.folder / "world") == {"kept": "kept"}


def test_killed_while_it_copied_nothing_is_put_back(cli: Cli) -> None:
    spec(cli.folder, GATED + WORK)
    half = cli.folder / ".judgemesh" / "rollback" / "spec.yaml" / "copies" / "folder-0"
    half.mkdir(parents=True)
    (cli.folder / "world" / "kept").write_text("kept")
    assert measured(cli)["points"] == {"early": 10, "mid": 0, "late": 0}
    assert files(cli.folder / "world") == {"kept": "kept"}


def test_killed_itself_the_next_start_puts_the_world_back(cli: Cli) -> None:
    written = _at_work(cli)
    process = cli.start("rollback", "spec.yaml", "--point", "late")
    _wait_for(written)
    second = cli("rollback", "spec.yaml")
    assert second.returncode == 2
    assert "another measurement of this spec is going on" in second.stderr
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=20)
    assert "one.txt" in files(cli.folder / "world")
    assert alive("agent.sh", cli) != []
    done = cli("rollback", "spec.yaml", "--restore")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(
        f"put back {cli.folder / 'world'}, which a measurement that did not end had left"
    )
    assert files(cli.folder / "world") == {"kept": "kept"}
    assert alive("agent.sh", cli) == []
    assert "nothing to put back" in cli("rollback", "spec.yaml", "--restore").stderr


def test_a_world_that_was_moved_away_is_not_guessed_at(cli: Cli) -> None:
    deep = cli.folder / "deep"
    (deep / "world").mkdir(parents=True)
    (deep / "world" / "kept").write_text("kept")
    move = "mv deep elsewhere; ln -s elsewhere deep; echo x > deep/world/one.txt\n"
    spec(cli.folder, GATED + f"say tool.called\n{move}say artifact.created\n", progress={"writes": 1},
         world={"directories": [{"path": "deep/world"}]})  # fmt: skip
    done = cli("rollback", "spec.yaml", "--point", "mid", "--repeat", "2")
    assert done.returncode == 2
    assert "its copies are in" in done.stderr
    assert "leads elsewhere by now; nothing was removed" in " ".join(
        done.stdout.split()
    )
    assert files(cli.folder / "elsewhere") == {
        "world": "",
        "world/kept": "kept",
        "world/one.txt": "x\n",
    }
    assert cli("rollback", "spec.yaml", "--restore").returncode == 2
    deep.unlink()
    (cli.folder / "elsewhere").rename(deep)
    assert cli("rollback", "spec.yaml", "--restore").returncode == 0
    assert files(deep) == {"world": "", "world/kept": "kept"}


def test_a_reset_that_fails_at_once_leaves_the_world_alone(cli: Cli) -> None:
    spec(
        cli.folder,
        GATED + WORK,
        reset={"command": ["sh", "-c", "rm -rf world/*; exit 3"]},
    )
    (cli.folder / "world" / "kept").write_text("kept")
    done = cli("rollback", "spec.yaml")
    assert done.returncode == 2
    assert (
        done.stderr == "error: t: there is no start: the reset command ended with 3\n"
    )
    assert files(cli.folder / "world") == {"kept": "kept"}


# --- flags ---


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("rollback", "nowhere.yaml"), "nowhere.yaml: cannot be read"),
        (
            ("rollback", "spec.yaml", "--point", "late", "--fail-under", "3"),
            "needs all three points",
        ),
        (("rollback", "spec.yaml", "-o", "world/ra.jsonl"), "lies in the world"),
        (("rollback", "spec.yaml", "--keep", "world"), "lies in the world"),
        (("rollback", "spec.yaml", "-o", "no/where.jsonl"), "there is no folder"),
        (("rollback", "spec.yaml", "-o", "spec.yaml"), "is not replaced"),
        (("rollback", "spec.yaml", "--keep", "."), "is no folder of evidence"),
    ],
)
def test_flags_that_cannot_be(cli: Cli, arguments: tuple[str, ...], says: str) -> None:
    spec(cli.folder, GATED + WORK)
    done = cli(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_world_that_cannot_be_copied_is_left_alone(cli: Cli) -> None:
    spec(cli.folder, GATED + WORK)
    os.mkfifo(cli.folder / "world" / "pipe")
    done = cli("rollback", "spec.yaml")
    assert done.returncode == 2
    assert "pipe: is no file, folder or link, and cannot be copied" in done.stderr
    (cli.folder / "world" / "pipe").unlink()
