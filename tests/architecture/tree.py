"""The files of the project, without what tools have made among them."""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("tarneeb_service", "matches", "replays", "tests")


def files(*suffixes: str) -> Iterator[Path]:
    """Every file of the project with one of these suffixes; all of them if none is named."""
    for top in sorted(ROOT.iterdir()):
        if top.name == ".git" or (top.name.startswith(".") and top.name not in {".ci", ".gitignore"}):
            continue
        if top.name == "staticfiles":
            continue
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and "__pycache__" not in path.parts and (not suffixes or path.suffix in suffixes):
                yield path


def modules(*tops: str) -> Iterator[Path]:
    """Every Python file below these folders."""
    for top in tops:
        yield from (path for path in sorted((ROOT / top).rglob("*.py")) if "__pycache__" not in path.parts)


def name_of(path: Path) -> str:
    """The path from the top of the project."""
    return path.relative_to(ROOT).as_posix()
