"""The table of seams, and the injection of a fault into the running process."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from judgemesh.mesh.testing.faults import auditing, awaiting, clocks, driver, threads
from judgemesh.mesh.testing.faults.fault import Fault, Moments


@dataclass(frozen=True, slots=True)
class Seam:
    """The kinds of faults that can happen at a seam, and what injects them."""

    kinds: tuple[str, ...]
    inject: Callable[[Moments], AbstractContextManager[None]]


SEAMS: Final[Mapping[str, Seam]] = MappingProxyType(
    {
        "statement": Seam(driver.KINDS, driver.faulty_statements),
        "commit": Seam(driver.COMMIT_KINDS, driver.faulty_commits),
        "await": Seam(awaiting.KINDS, awaiting.faulty_awaits),
        "clock": Seam(tuple(clocks.KINDS), clocks.faulty_clocks),
        "thread": Seam(threads.KINDS, threads.faulty_threads),
        **{
            name: Seam(kinds, auditing.faulty_system)
            for name, kinds in auditing.KINDS.items()
        },
    }
)


@contextmanager
def injected(fault: Fault) -> Generator[Moments]:
    """Inject a fault into this process until the block ends; counts its moments.

    Raises:
        ValueError: there is no such seam, or no such kind at it.
    """
    seam = SEAMS.get(fault.seam)
    if seam is None:
        raise ValueError(f"no seam {fault.seam!r}; there are: {', '.join(SEAMS)}")
    if fault.kind not in seam.kinds:
        known = ", ".join(seam.kinds)
        raise ValueError(f"no kind {fault.kind!r} at {fault.seam}; there are: {known}")
    moments = Moments(fault)
    with seam.inject(moments):
        yield moments
