"""What holds for every test."""

import os
from collections.abc import Iterator

import pytest


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A build server has all that the tests need: a test that was skipped there is a failure of the build."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped") and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True, scope="session")
def nothing_heard_afterwards() -> Iterator[None]:
    """The servers of the tests end after them: nobody listens to them any more by then."""
    yield
    from matches.live import wakeups

    wakeups.close()
