"""Imports run one way, and the engine knows nothing but the rules."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.tree import CODE, ROOT, modules, name_of

IMPURE = {
    "datetime",
    "io",
    "logging",
    "os",
    "pathlib",
    "random",
    "secrets",
    "socket",
    "subprocess",
    "threading",
    "time",
}
IMPURE |= {"multiprocessing", "sqlite3", "tempfile", "urllib", "uuid"}
"""Clocks, chance, files, networks: what a pure function has no use for."""


def imports_of(path: Path) -> Iterator[str]:
    """The full names of the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)} imports relatively"
            yield node.module or ""


def test_the_layers_import_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_engine_imports_the_standard_library_and_msgspec_and_nothing_impure() -> None:
    allowed = (sys.stdlib_module_names - IMPURE) | {"msgspec"}
    engine = list(modules("matches/engine"))
    assert len(engine) > 10
    for path in engine:
        for name in imports_of(path):
            assert name.startswith("matches.engine") or name.partition(".")[0] in allowed, f"{name_of(path)}: {name}"


def test_nothing_served_imports_the_tests() -> None:
    for path in modules("tarneeb_service", "matches", "replays"):
        assert not [name for name in imports_of(path) if name.partition(".")[0] == "tests"], name_of(path)


def test_chance_comes_from_the_system_alone() -> None:
    """A deal from the `random` module could be foreseen."""
    for path in modules("matches"):
        assert "random" not in set(imports_of(path)), name_of(path)


def test_one_module_reads_and_writes_the_log() -> None:
    """Everybody else asks the event store; partitions and migrations only shape the table."""
    doors = {"matches/event_store.py", "matches/outbox.py", "matches/partitions.py"}
    doors |= {"matches/migrations/0001_initial.py", "matches/migrations/0002_outbox.py"}
    found = {
        name_of(path)
        for path in modules("tarneeb_service", "matches", "replays")
        if "matches_storedevent" in path.read_text(encoding="utf-8") or "StoredEvent.objects" in path.read_text("utf-8")
    }
    assert found == doors


def test_holdings_are_touched_by_the_engine_alone() -> None:
    """Hidden cards leave through `engine/visibility.py`: nobody outside the engine reads a state's holdings."""
    for path in modules("tarneeb_service", "matches", "replays"):
        if "engine" in path.parts or "demo" in path.parts:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        read = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "holdings"]
        assert read == [], f"{name_of(path)}, lines {read}"


def test_views_of_hidden_cards_are_asked_for_in_one_place() -> None:
    asking = {
        name_of(path)
        for path in modules(*CODE[:3])
        if "engine" not in path.parts
        and any(
            isinstance(node, ast.Name) and node.id in {"visible_state", "visible_event"}
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        )
    }
    assert asking == {"matches/selectors.py"}
