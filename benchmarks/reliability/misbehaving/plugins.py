"""The package of misbehaving plug-ins, written into a folder: one entry point for each form, act and place.

Each plug-in touches the file `begun` when it begins to misbehave, so that a run can be interrupted in that moment.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

BLOCKING: Final = {
    "sleep": "time.sleep(600)",
    "spin": "spin()",
    "lock": "threading.Lock().acquire() and LOCK.acquire() and LOCK.acquire()",
    "deaf": "deaf()",
    "pipe": "open(os.path.join(HERE, 'pipe'), 'rb')",
    "child": "subprocess.run(['sleep', '600'])",
}
"""Acts that never end."""
ENDING: Final = {
    "exit": "sys.exit(0)",
    "os_exit": "os._exit(0)",
    "interrupt": "throw(KeyboardInterrupt())",
    "generator_exit": "throw(GeneratorExit())",
    "cancelled": "throw(asyncio.CancelledError())",
    "base": "throw(BaseException('base'))",
    "stop": "throw(StopAsyncIteration())",
    "memory": "throw(MemoryError())",
    "recursion": "recurse()",
}
"""Acts that end a program, or try to."""
ACTS: Final = {**BLOCKING, **ENDING}
FORMS: Final = (
    "plain",
    "pure",
    "generator",
    "closing",
    "async",
    "late",
    "isolated",
)
PLACES: Final = ("opening", "answer", "close")

_HEAD: Final = """
import asyncio, os, subprocess, sys, threading, time
from judgemesh.contracts.validator import validator
from judgemesh.contracts.needs import NotFound
HERE = os.path.dirname(__file__)
LOCK = threading.Lock()

def throw(error):
    raise error

def spin():
    while True:
        pass

def recurse():
    return recurse()

def deaf():
    while True:
        try:
            time.sleep(600)
        except BaseException:
            pass

def begun():
    open(os.path.join(HERE, "begun"), "w").close()

def act(text):
    begun()
    exec(text, globals())

class Records:
    def __init__(self, options, base_dir):
        self.place, self.text = options.get("place"), options.get("act")
        self.do("opening")
    def do(self, place):
        if self.place == place:
            act(self.text)
    async def records(self, need):
        self.do("answer")
        return ()
    def close(self):
        self.do("close")

class Evidence(Records):
    remote = False
    async def lookup(self, need):
        self.do("answer")
        return NotFound(source="bad", authoritative=True)
    async def aclose(self):
        self.do("close")
"""
_FORMS: Final = {
    "plain": """
@validator(name="{name}", version="1")
def {name}(case):
    act({text!r})
    return True
""",
    "pure": """
@validator(name="{name}", version="1", pure=True)
def {name}(case):
    act({text!r})
    return True
""",
    "generator": """
@validator(name="{name}", version="1")
def {name}(case):
    act({text!r})
    yield {{}}
    return []
""",
    "closing": """
@validator(name="{name}", version="1")
def {name}(case):
    try:
        yield {{}}
        begun()
        time.sleep(600)
    finally:
        act({text!r})
""",
    "async": """
@validator(name="{name}", version="1")
async def {name}(case):
    act({text!r})
    return True
""",
    "isolated": """
@validator(name="{name}", version="1", isolated=True)
def {name}(case):
    act({text!r})
    return True
""",
    "late": """
CALLS_{name} = []
@validator(name="{name}", version="1")
def {name}(case):
    CALLS_{name}.append(1)
    if len(CALLS_{name}) > 25:
        act({text!r})
    return True
""",
}


def write_plugins(folder: Path) -> None:
    """Write the package and its entry points into `folder`, which goes on the path of the command."""
    names: list[str] = []
    text = _HEAD
    for form in FORMS:
        for act, code in ACTS.items():
            name = f"{form}_{act}"
            names.append(name)
            text += _FORMS[form].format(name=name, text=code)
    (folder / "misbehaving_plugin.py").write_text(text, encoding="utf-8")
    points = "".join(f"{name} = misbehaving_plugin:{name}\n" for name in names)
    info = folder / "misbehaving_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: misbehaving-plugin\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(
        f"[judgemesh.validators]\n{points}"
        "[judgemesh.sources]\nbad = misbehaving_plugin:Records\n"
        "[judgemesh.evidence_sources]\nbad_evidence = misbehaving_plugin:Evidence\n"
    )
