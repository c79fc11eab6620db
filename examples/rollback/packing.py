"""Packs orders: reads each, writes a packing slip, takes the goods from the stock. Two agents in one file.

    python packing.py careless     holds a lock, takes it away at the very end, and keeps no record
    python packing.py journalled   writes down how to undo each step before it does it
    python packing.py recover      undoes what the journal of a killed run says

It records what it does as any agent may, with the recorder of judgemesh.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from judgemesh.mesh.tracing import Recorder

WORLD = Path(__file__).parent / "world"
STOCK, SLIPS, LOCK, JOURNAL = (
    WORLD / "stock.json",
    WORLD / "slips",
    WORLD / "packing.lock",
    WORLD / "journal.jsonl",
)


def main(agent: str) -> None:
    """Do the work, or undo it."""
    if agent == "recover":
        recover()
        return
    careful = agent == "journalled"
    with (
        Recorder(os.environ.get("JUDGEMESH_EVENTS", os.devnull)) as recorder,
        recorder.run(agent_id=agent),
    ):
        if careful:
            note(
                f"if this file is here, a run was broken off; undo it: python {Path(__file__).name} recover"
            )
        else:
            LOCK.touch()
        with recorder.file_read() as step:
            orders = {
                path.stem: path.read_text()
                for path in sorted((WORLD / "orders").glob("*.txt"))
            }
            step.tool_called("read_orders", count=len(orders))
        for number, text in orders.items():
            with recorder.file_write() as step:
                pack(number, text, careful=careful)
                step.artifact_created(f"slips/{number}.txt")
        with recorder.finalize():
            LOCK.unlink(missing_ok=True)
            JOURNAL.unlink(missing_ok=True)
            print(f"packed {len(orders)} orders")


def pack(number: str, text: str, *, careful: bool) -> None:
    """One slip, and the goods taken from the stock."""
    stock = json.loads(STOCK.read_text())
    slip = SLIPS / f"{number}.txt"
    if careful:
        note(f"before slips/{slip.name}, stock.json held", stock, SLIPS.exists())
    SLIPS.mkdir(exist_ok=True)
    slip.write_text(f"order {number}\n{text}")
    for line in text.splitlines():
        good, count = line.split()
        stock[good] -= int(count)
    replace(STOCK, json.dumps(stock))


def note(says: str, stock: object = None, there: bool = True) -> None:  # noqa: FBT001, FBT002 (two lines of a journal)
    """A line of the journal, on the disk before anything it speaks of is done."""
    with JOURNAL.open("a") as journal:
        journal.write(
            json.dumps({"says": says, "stock": stock, "slips_there": there}) + "\n"
        )
        journal.flush()
        os.fsync(journal.fileno())


def recover() -> None:
    """Undo step by step, the last one first; the journal goes when all is undone."""
    if not JOURNAL.exists():
        return
    for line in reversed(JOURNAL.read_text().splitlines()):
        entry = json.loads(line)
        if entry["stock"] is None:
            continue
        (SLIPS / entry["says"].split()[1].removeprefix("slips/").rstrip(",")).unlink(
            missing_ok=True
        )
        replace(STOCK, json.dumps(entry["stock"]))
        if not entry["slips_there"]:
            SLIPS.rmdir()
    JOURNAL.unlink()


def replace(path: Path, text: str) -> None:
    """Whole or not at all."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(path)


if __name__ == "__main__":
    main(sys.argv[1])
