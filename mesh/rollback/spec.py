"""What a rollback measurement is told: how the agent starts, how its progress is seen, what its world is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from judgemesh.contracts.sections.section import Seconds, Section
from judgemesh.contracts.tracing import EventType, StateType
from judgemesh.mesh.metrics.triangle import TOP, InjectionPoint, Rollback

Text = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(pattern=r"^[\w.-]{1,100}$")]
Count = Annotated[int, Field(ge=1, le=100_000)]


def _no_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("holds a NUL character")
    return value


Word = Annotated[str, AfterValidator(_no_nul)]


class Command(Section):
    """A command to start: no shell, a folder to start it in (from the spec's), and how long it may take.

    `{python}` stands for the Python that judgemesh runs in, `{events}` for the event file, as $JUDGEMESH_EVENTS does.
    """

    command: Annotated[list[Word], Field(min_length=1)]
    cwd: Word = "."
    env: dict[Word, Word] = Field(default_factory=dict)
    time_limit_s: Seconds = 60.0

    @model_validator(mode="after")
    def _startable(self) -> Command:
        if not self.command[0]:
            raise ValueError("command: the first word names the program and is empty")
        odd = next((name for name in self.env if not name or "=" in name), None)
        if odd is not None:
            raise ValueError(f"env: {odd!r} is no name of a variable")
        return self


class Agent(Command):
    """The agent, and what it reads on its standard input."""

    stdin: str | None = None


class Mark(Section):
    """How a kind of line is known: a pattern (RE2) in its text, or values under dotted keys of its JSON."""

    pattern: Text | None = None
    keys: Mapping[str, Any] | None = None


def _marks(value: Any) -> Any:
    given = cast("list[Any]", value) if isinstance(value, list) else [value]
    found: list[Any] = []
    for one in given:
        if isinstance(one, Mark):
            found.append(one)
        elif isinstance(one, str) and one:
            found.append({"pattern": one})
        elif isinstance(one, dict) and one:
            found.append({"keys": one})
        else:
            raise ValueError(
                "expected a pattern, an object of keys and values, or a list of them"
            )
    if not found:
        raise ValueError(
            "expected a pattern, an object of keys and values, or a list of them"
        )
    return tuple(found)


Marks = Annotated[tuple[Mark, ...], BeforeValidator(_marks)]


def _events(*kinds: EventType, **more: object) -> tuple[Mark, ...]:
    keys = {name.replace("__", "."): value for name, value in more.items()}
    return tuple(Mark(keys={"event_type": kind.value, **keys}) for kind in kinds)


_TOOL_RESULT: Final = _events(EventType.TOOL_CALLED)
_WRITES: Final = _events(
    EventType.ARTIFACT_CREATED, EventType.ARTIFACT_MODIFIED, EventType.STATE_CHANGED
)
_STEP: Final = _events(EventType.STEP_COMPLETED)
_FINAL: Final = _events(EventType.RUN_COMPLETED)
_FINALIZE: Final = _events(
    EventType.STEP_STARTED, payload__state_type=StateType.FINALIZE.value
)


class ProgressSpec(Section):
    """How the agent's progress is seen: lines of an event file, or of its standard output.

    What is left out are the events of the recorder: `tool.called` is a tool result; `artifact.created`,
    `artifact.modified` and `state.changed` are writes (or calls of `write_tools`, where given); `step.completed` a
    step; the start of a FINALIZE step says that everything is written; `run.completed` is the final message.
    """

    follow: Literal["events", "stdout"] = "events"
    file: Text | None = None
    tool_result: Marks = _TOOL_RESULT
    write: Marks = _WRITES
    write_tools: list[Text] = Field(default_factory=list)
    step: Marks = _STEP
    final: Marks = _FINAL
    all_written: Marks | None = None
    writes: Count | None = None
    steps: Count | None = None

    @model_validator(mode="after")
    def _enough(self) -> ProgressSpec:
        if self.write_tools and "write" in self.model_fields_set:
            raise ValueError("give `write` or `write_tools`, not both")
        if self.writes is not None and self.all_written is not None:
            raise ValueError("give `writes` or `all_written`, not both")
        if self.follow == "stdout":
            for name in ("tool_result", "write", "final"):
                if name not in self.model_fields_set:
                    raise ValueError(f"`{name}` is required with `follow: stdout`")
            if self.writes is None and self.all_written is None:
                raise ValueError(
                    "`writes` or `all_written` is required with `follow: stdout`"
                )
            if self.steps is not None and "step" not in self.model_fields_set:
                raise ValueError("`step` is required with `follow: stdout` and `steps`")
            if self.file is not None:
                raise ValueError("`file` goes with `follow: events`")
        return self

    @property
    def write_marks(self) -> tuple[Mark, ...]:
        """What says that something was written."""
        if not self.write_tools:
            return self.write
        return (
            Mark(
                keys={
                    "event_type": EventType.TOOL_CALLED.value,
                    "payload.tool_name": list(self.write_tools),
                }
            ),
        )

    @property
    def all_written_marks(self) -> tuple[Mark, ...]:
        """What says that everything is written, where no number of writes does."""
        if self.all_written is not None:
            return self.all_written
        return () if self.writes is not None else _FINALIZE


class Folder(Section):
    """A folder; `exclude` leaves entries out of the comparison (never out of the restoring)."""

    path: Text
    name: Name | None = None
    exclude: list[Text] = Field(default_factory=list)


class SqliteFile(Section):
    """A SQLite database: its rows and its schema are compared, the file is copied away and back."""

    path: Text
    name: Name | None = None
    tables: list[Text] = Field(default_factory=list)


class SqlDatabase(Section):
    """Tables of another database, by URL or by the name of a variable that holds it. Needs a `reset` command."""

    url: Text | None = None
    url_env: Name | None = None
    name: Name = "tables"
    tables: list[Text] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_url(self) -> SqlDatabase:
        if (self.url is None) == (self.url_env is None):
            raise ValueError("give `url` or `url_env`")
        return self


class JsonDocument(Section):
    """A JSON file, compared as data."""

    path: Text
    name: Name | None = None


class WorldSpec(Section):
    """What the agent may change, and what is compared and put back.

    ignore_outside: globs of absolute paths outside it that the agent may write (caches, logs).
    """

    directories: list[Folder] = Field(default_factory=list[Folder])
    sqlite: list[SqliteFile] = Field(default_factory=list[SqliteFile])
    sql: list[SqlDatabase] = Field(default_factory=list[SqlDatabase])
    json_files: list[JsonDocument] = Field(
        default_factory=list[JsonDocument], alias="json"
    )
    ignore_outside: list[Text] = Field(default_factory=list)

    @model_validator(mode="after")
    def _something(self) -> WorldSpec:
        if not (self.directories or self.sqlite or self.sql or self.json_files):
            raise ValueError("is empty; name directories, sqlite, sql or json")
        return self


class Locks(Section):
    """What may stay locked: lock files by glob, and a command that ends with 1 while something is held."""

    files: list[Text] = Field(default_factory=list)
    check: Command | None = None


class Documentation(Section):
    """What documents an intermediate state: files of the world by glob, made or changed by the run.

    With `must_name_leftovers` every leftover has to be named in one of them; `pattern` (RE2) has to be found in one.
    """

    files: list[Text] = Field(default_factory=list)
    must_name_leftovers: bool = True
    pattern: Text | None = None


class PersonScore(Section):
    """A person's score for what the rubric judged as `instead_of`; anything else stays the rubric's."""

    score: Annotated[float, Field(ge=0, le=TOP)]
    instead_of: Rollback
    why: Text


class RollbackTask(Section):
    """One task of a rollback measurement."""

    task_id: Text
    task_type: Text | None = None
    agent: Agent
    progress: ProgressSpec = Field(default_factory=ProgressSpec)
    world: WorldSpec
    reset: Command | None = None
    recover: Command | None = None
    locks: Locks = Field(default_factory=Locks)
    documentation: Documentation = Field(default_factory=Documentation)
    person: dict[InjectionPoint, PersonScore] = Field(
        default_factory=dict[InjectionPoint, PersonScore]
    )

    @model_validator(mode="after")
    def _resettable(self) -> RollbackTask:
        if self.world.sql and self.reset is None:
            raise ValueError(
                "world.sql can only be put back by a `reset` command; give one, or use `world.sqlite`"
            )
        return self
