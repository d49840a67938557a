"""The guide for receivers: its check of signatures, run on what is sent, and what it says of kinds and settings."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import time_machine
from standardwebhooks import Webhook

from matches.webhooks.kinds import KINDS
from tests.api.callers import House
from tests.api.games import Game
from tests.webhooks.hooks import deliver_until, hook, waiting
from tests.webhooks.receiver import Received, Receiver

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")

Check = Callable[[dict[str, str], bytes, str], bool]


@pytest.fixture
def is_genuine() -> Check:
    """The guide's own function."""
    [code] = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102  the guide's example is what is tested
    check: Check = names["is_genuine"]
    return check


def received(receiver: Receiver) -> Received:
    """The last message."""
    return receiver.received[-1]


def test_the_guides_check_takes_what_is_sent_and_nothing_else(
    north: House, receiver: Receiver, is_genuine: Check
) -> None:
    made = hook(north, receiver, ["match.started"])
    Game(north)
    deliver_until(lambda: waiting() == 0 and bool(receiver.received))
    message = received(receiver)
    headers, body = dict(message.headers), message.body
    assert is_genuine(headers, body, made.secret)
    Webhook(made.secret).verify(body, headers)
    assert not is_genuine(headers, body + b" ", made.secret)
    assert not is_genuine(headers | {"webhook-id": "another"}, body, made.secret)
    assert not is_genuine(
        headers | {"webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}, body, made.secret
    )
    assert not is_genuine(headers | {"webhook-signature": "v1,AAAA"}, body, made.secret)
    assert not is_genuine(headers, body, hook(north, receiver).secret)
    with time_machine.travel(int(headers["webhook-timestamp"]) + 301):
        assert not is_genuine(headers, body, made.secret)


def test_both_secrets_are_good_while_they_overlap(north: House, receiver: Receiver, is_genuine: Check) -> None:
    made = hook(north, receiver, ["match.started"])
    rotated = north.backend.post(f"{made.path}/secret").ok(201)["secret"]
    Game(north)
    deliver_until(lambda: waiting() == 0 and bool(receiver.received))
    message = received(receiver)
    assert message.headers["webhook-signature"].count("v1,") == 2
    for secret in (made.secret, rotated):
        assert is_genuine(dict(message.headers), message.body, secret)
        message.verified(secret)


def test_the_guide_names_every_kind() -> None:
    assert re.findall(r"^\| `([a-z]+\.[a-z]+)` \|", GUIDE, re.MULTILINE) == list(KINDS)


def test_the_guide_names_every_setting() -> None:
    settings = (ROOT / "tarneeb_service" / "settings.py").read_text(encoding="utf-8")
    read = set(re.findall(r'"(WEBHOOK_[A-Z_]+)"', settings))
    assert read
    assert read <= set(re.findall(r"`(WEBHOOK_[A-Z_]+)`", GUIDE))


def test_the_guide_names_every_error() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "matches" / "webhooks").glob("*.py"))
    errors = set(re.findall(r'Attempt\(\s*"([a-z_]+)"', code)) | set(
        re.findall(r'NotAcceptableAddress\("([a-z_]+)"', code)
    )
    errors |= set(re.findall(r'\((?:TlsFailed|httpx\.\w+), "([a-z_]+)"\)', code))
    assert len(errors) > 12
    assert errors - {"too_long"} <= set(re.findall(r"`([a-z_]+)`", GUIDE))
