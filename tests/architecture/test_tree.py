"""What must hold for the text of the whole tree."""

import re

import pytest
from django.conf import settings

from tarneeb_service.celery import app
from tests.architecture.tree import CODE, ROOT, files, modules, name_of

LONGEST_FILE = 450


def test_no_file_of_code_is_too_long_to_be_read_at_once() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules(*CODE)}
    assert len(lengths) > 50
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


PATHS_OF_ONE_MACHINE = re.compile(
    "|".join(["/" + "work/", "/" + "root/", "/" + r"home/\w", "/" + r"Users/\w", r"[A-Z]:\\Users"])
)


def test_no_text_names_a_place_on_somebodys_machine() -> None:
    for path in files(".py", ".md", ".toml", ".txt", ".cfg", ".ini", ".sh", ".yml", ".yaml", ".json", ".html", ""):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found = [text[match.start() : match.end() + 20] for match in PATHS_OF_ONE_MACHINE.finditer(text)]
        assert found == [], name_of(path)


@pytest.mark.parametrize("name", ["constraints.txt", "constraints-dev.txt"])
def test_locked_packages_have_hashes_and_no_addresses(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^--(index|extra-index|find)", text, re.MULTILINE)
    locked = re.findall(r"^[a-zA-Z0-9][^\s]*==[^\s]+", text, re.MULTILINE)
    assert len(locked) > 30
    assert text.count("--hash=sha256:") >= len(locked)


def test_every_module_says_what_it_is_for() -> None:
    for path in modules("tarneeb_service", "matches", "replays"):
        text = path.read_text(encoding="utf-8").strip()
        if text and "migrations" not in path.parts:
            assert text.startswith(('"""', 'r"""')), name_of(path)


def test_beat_sends_tasks_that_exist_to_queues_that_are_read() -> None:
    app.loader.import_default_modules()
    queues = {queue.name for queue in settings.CELERY_TASK_QUEUES}
    assert settings.CELERY_BEAT_SCHEDULE
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        assert entry["task"] in app.tasks, name
        assert entry["options"]["queue"] in queues, name
