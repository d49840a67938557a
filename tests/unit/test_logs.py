"""What a line of the log holds."""

import io
import json
import logging
import logging.config
from collections.abc import Iterator

import pytest
import structlog

from tarneeb_service.logs import logging_settings


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What a handler of these settings writes, alone."""
    stream = io.StringIO()
    settings = logging_settings(as_json=True, level="INFO")
    settings["handlers"]["stderr"]["stream"] = stream
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    logging.config.dictConfig(settings)
    yield stream
    root.handlers[:] = before
    root.setLevel(level)


def test_a_line_of_the_standard_library_carries_the_request_s_id(lines: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(request_id="r-1"):
        logging.getLogger("matches.anything").warning("slow by %d ms", 7)

    line = json.loads(lines.getvalue())
    assert line["event"] == "slow by 7 ms"
    assert (line["level"], line["logger"], line["request_id"]) == ("warning", "matches.anything", "r-1")
    assert line["timestamp"].endswith("Z")


def test_a_line_of_structlog_looks_the_same(lines: io.StringIO) -> None:
    structlog.get_logger("matches.anything").info("appended", version=3)

    line = json.loads(lines.getvalue())
    assert (line["event"], line["level"], line["version"]) == ("appended", "info", 3)


def test_an_error_comes_with_its_traceback(lines: io.StringIO) -> None:
    logging.getLogger("matches.anything").error("failed", exc_info=LookupError("no such card"))

    [traceback] = json.loads(lines.getvalue())["exception"]
    assert (traceback["exc_type"], traceback["exc_value"]) == ("LookupError", "no such card")


def test_refused_requests_are_no_warnings(lines: io.StringIO) -> None:
    logging.getLogger("django.request").warning("Not Found: /nowhere")

    assert lines.getvalue() == ""
