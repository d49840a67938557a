"""One attempt, with receivers of every kind: what came of it, and that it always comes to an end."""

import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_django import Settings

from matches.webhooks import addresses, sending, transport
from matches.webhooks.attempts import Attempt
from tests.webhooks.receiver import (
    Receiver,
    floods,
    hangs_up,
    hangs_up_after,
    never_ends,
    says,
    says_nothing_until,
    speaks_something_else,
    trickles,
)

BODY = b'{"type":"match.started"}'
HEADERS = {"webhook-id": "one"}
Open = Callable[..., Receiver]


@pytest.fixture
def impatient(settings: Settings) -> None:
    """No time is left for receivers that take theirs."""
    settings.WEBHOOK_TOTAL_SECONDS = 0.3


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Lets go, in the end, of those who are kept waiting."""
    event = threading.Event()
    yield event
    event.set()


def send(receiver: Receiver) -> Attempt:
    """Send to it."""
    return sending.send(receiver.url, HEADERS, BODY)


def told(attempt: Attempt) -> tuple[str | None, int | None, str | None]:
    """Error, status and answer."""
    return attempt.error, attempt.status, attempt.answer


def test_what_is_sent(receiver: Receiver) -> None:
    receiver.behaviour = says(200, b"thank you")
    assert told(send(receiver)) == (None, 200, "thank you")
    [received] = receiver.received
    assert (received.path, received.body) == ("/hook", BODY)
    assert received.headers["webhook-id"] == "one"
    assert received.headers["content-type"] == "application/json"
    assert received.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert "cookie" not in received.headers


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_is_a_success(receiver: Receiver, status: int) -> None:
    receiver.behaviour = says(status)
    assert told(send(receiver)) == (None, status, "")


@pytest.mark.parametrize("status", [400, 401, 404, 410, 429, 500, 503])
def test_anything_else_is_none(receiver: Receiver, status: int) -> None:
    receiver.behaviour = says(status, b"no")
    assert told(send(receiver)) == ("refused", status, "no")


def test_a_receiver_may_ask_to_be_left_alone(receiver: Receiver) -> None:
    for header, seconds in (("120", 120.0), ("soon", None), ("-5", None), ("9" * 40, None)):
        receiver.next_answers.append(says(503, Retry_After=header))
        assert send(receiver).wish_seconds == seconds


def test_the_first_kilobyte_of_an_answer_is_kept_as_text(receiver: Receiver) -> None:
    receiver.behaviour = says(500, b"\x00\xff" + b"a" * 5000)
    answer = send(receiver).answer
    assert answer is not None
    assert answer == "��" + "a" * 1022


def test_a_packed_answer_is_not_unpacked(receiver: Receiver) -> None:
    receiver.behaviour = says(200, b"\x1f\x8b not gzip at all", Content_Encoding="gzip")
    assert send(receiver).status == 200


# Receivers that take their time


def test_a_silent_receiver(receiver: Receiver, impatient: None, released: threading.Event) -> None:
    receiver.behaviour = says_nothing_until(released)
    assert told(send(receiver)) == ("timeout", None, None)


def test_a_receiver_that_trickles_is_given_no_more_time_than_any_other(
    receiver: Receiver, impatient: None, released: threading.Event
) -> None:
    receiver.behaviour = trickles(released)
    assert told(send(receiver)) == ("timeout", None, None)


def test_an_answer_without_end_is_read_no_further_than_need_be(receiver: Receiver) -> None:
    receiver.behaviour = never_ends(200)
    assert told(send(receiver)) == (None, 200, "x" * 1024)
    receiver.behaviour = never_ends(500)
    assert told(send(receiver)) == ("refused", 500, "x" * 1024)


def test_interim_answers_without_end(receiver: Receiver) -> None:
    receiver.behaviour = floods
    assert told(send(receiver)) == ("broken_off", None, None)


def test_headers_without_end(receiver: Receiver) -> None:
    receiver.behaviour = says(200, X_Long="x" * 300_000)
    assert told(send(receiver)) == ("broken_off", None, None)


# Receivers that break off


def test_a_receiver_that_hangs_up(receiver: Receiver) -> None:
    receiver.behaviour = hangs_up
    assert told(send(receiver)) == ("broken_off", None, None)


def test_who_says_200_and_breaks_off_has_got_the_message(receiver: Receiver) -> None:
    receiver.behaviour = hangs_up_after(200, b"thank", promised=100)
    assert told(send(receiver)) == (None, 200, "thank")
    receiver.behaviour = hangs_up_after(500, b"sorr", promised=100)
    assert told(send(receiver)) == ("refused", 500, "sorr")


def test_a_server_of_something_else(receiver: Receiver) -> None:
    receiver.behaviour = speaks_something_else
    assert told(send(receiver)) == ("broken_off", None, None)


def test_nobody_there(open_receiver: Open) -> None:
    receiver = Receiver()
    receiver.close()
    assert told(send(receiver)) == ("connection_failed", None, None)


def test_no_proxy_of_the_environment_gets_to_see_it(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert send(receiver).status == 200


# Redirects


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_that_repeats_the_post_is_followed(open_receiver: Open, status: int) -> None:
    old, new = open_receiver(), open_receiver()
    old.behaviour = says(status, Location=new.url)
    assert send(old).status == 200
    [received] = new.received
    assert (received.body, received.headers["webhook-id"]) == (BODY, "one")
    assert received.headers["host"] == f"127.0.0.1:{new.port}"


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304])
def test_the_other_redirects_are_not(open_receiver: Open, status: int) -> None:
    old, new = open_receiver(), open_receiver()
    old.behaviour = says(status, Location=new.url)
    attempt = send(old)
    assert (attempt.error, attempt.status, new.received) == ("refused", status, [])


def test_redirects_in_a_circle_end(receiver: Receiver) -> None:
    receiver.behaviour = says(307, Location="/again")
    assert send(receiver).error == "too_many_redirects"
    assert [received.path for received in receiver.received] == ["/hook", "/again", "/again", "/again"]


@pytest.mark.parametrize(
    ("location", "error"),
    [
        ("ftp://files.example/", "scheme_not_allowed"),
        ("file:///etc/passwd", "scheme_not_allowed"),
        ("http://user:password@127.0.0.1/", "credentials_not_allowed"),
        ("http://[::1/", "invalid"),
        ("http://127.0.0.1:99999/", "invalid"),
    ],
)
def test_redirects_to_where_no_webhook_goes(receiver: Receiver, location: str, error: str) -> None:
    receiver.behaviour = says(307, Location=location)
    assert told(send(receiver)) == (error, None, None)


# Addresses. 127.0.0.2 is taken for a public address here, 127.0.0.1 for what it is.


class Names:
    """A resolver that says what it is told to, one answer after the other, the last again and again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: dict[str, list[list[str]]] = {}
        self.asked: list[str] = []
        monkeypatch.setattr(addresses, "_looked_up", self._look_up)
        monkeypatch.setattr(addresses, "is_public", lambda address: address == "127.0.0.2")

    def _look_up(self, host: str, _port: int, _seconds: float) -> list[str]:
        self.asked.append(host)
        answers = self.answers.get(host, [[host]])
        return answers.pop(0) if len(answers) > 1 else answers[0]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Names:
    """The settings of production, and names under control."""
    settings.WEBHOOK_ALLOW_PRIVATE = False
    return Names(monkeypatch)


def both(open_receiver: Open, settings: Settings) -> tuple[Receiver, Receiver]:
    """A receiver at 127.0.0.2, which is public here, and one on the same port of 127.0.0.1, which is not."""
    public = open_receiver("127.0.0.2")
    settings.WEBHOOK_PORTS = [public.port]
    return public, open_receiver("127.0.0.1", port=public.port)


def test_a_private_address_is_not_even_connected_to(names: Names, open_receiver: Open, settings: Settings) -> None:
    _, private = both(open_receiver, settings)
    names.answers = {"inside.example": [["127.0.0.1"]], "localhost": [["127.0.0.1", "::1"]]}
    for host in ("inside.example", "localhost", "127.0.0.1"):
        attempt = sending.send(f"http://{host}:{private.port}/hook", HEADERS, BODY)
        assert told(attempt) == ("address_not_allowed", None, None)
    assert private.connections == 0


def test_a_port_that_is_not_allowed(names: Names, open_receiver: Open, settings: Settings) -> None:
    public = open_receiver("127.0.0.2")
    settings.WEBHOOK_PORTS = [443]
    assert told(sending.send(public.url, HEADERS, BODY)) == ("port_not_allowed", None, None)
    assert public.connections == 0


def test_of_several_addresses_the_public_ones_are_tried(names: Names, open_receiver: Open, settings: Settings) -> None:
    public, private = both(open_receiver, settings)
    names.answers = {"both.example": [["127.0.0.1", "127.0.0.2"]]}
    attempt = sending.send(f"http://both.example:{public.port}/hook", HEADERS, BODY)
    assert (attempt.status, len(public.received), private.connections) == (200, 1, 0)
    assert public.received[0].headers["host"] == f"both.example:{public.port}"


def test_a_name_that_changes_after_the_check_changes_nothing(
    names: Names, open_receiver: Open, settings: Settings
) -> None:
    """DNS rebinding: the first look says the public address, every later one the private."""
    public, private = both(open_receiver, settings)
    names.answers = {"rebinding.example": [["127.0.0.2"], ["127.0.0.1"]]}
    attempt = sending.send(f"http://rebinding.example:{public.port}/hook", HEADERS, BODY)
    assert (attempt.status, len(public.received), private.connections) == (200, 1, 0)
    assert names.asked == ["rebinding.example"]
    # The next attempt looks again, and finds out.
    attempt = sending.send(f"http://rebinding.example:{public.port}/hook", HEADERS, BODY)
    assert (attempt.error, len(public.received), private.connections) == ("address_not_allowed", 1, 0)


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_into_the_private_network_is_not_followed(
    names: Names, open_receiver: Open, settings: Settings, status: int
) -> None:
    public, private = both(open_receiver, settings)
    names.answers = {"inside.example": [["127.0.0.1"]]}
    for target in (private.url, f"http://inside.example:{private.port}/", f"http://localhost:{private.port}/"):
        public.behaviour = says(status, Location=target)
        assert sending.send(public.url, HEADERS, BODY).error == "address_not_allowed"
    assert (len(public.received), private.connections) == (3, 0)


def test_a_redirect_back_to_a_name_that_was_rebound_meanwhile(
    names: Names, open_receiver: Open, settings: Settings
) -> None:
    public, private = both(open_receiver, settings)
    names.answers = {"rebinding.example": [["127.0.0.2"], ["127.0.0.1"]]}
    public.behaviour = says(307, Location=f"http://rebinding.example:{public.port}/again")
    attempt = sending.send(f"http://rebinding.example:{public.port}/hook", HEADERS, BODY)
    assert (attempt.error, len(public.received), private.connections) == ("address_not_allowed", 1, 0)


# TLS


def certificate(name: str, directory: Path) -> tuple[ssl.SSLContext, Path]:
    """A server's side of TLS with a certificate for this name, and the file of the authority that vouches for it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = directory / f"{name}.pem"
    pem.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context, pem


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Lets senders trust the authority in a file."""

    def trust(file: Path) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        transport.forget_authorities()

    yield trust
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    transport.forget_authorities()


def test_the_certificate_is_checked_for_the_name_and_not_the_address(
    open_receiver: Open, names: Names, settings: Settings, tmp_path: Path, trusting: Callable[[Path], None]
) -> None:
    context, file = certificate("hooks.example", tmp_path)
    asked: list[Any] = []
    context.sni_callback = lambda _socket, name, _context: asked.append(name)
    receiver = open_receiver("127.0.0.2", tls=context)
    settings.WEBHOOK_PORTS = [receiver.port]
    names.answers = {"hooks.example": [["127.0.0.2"]], "other.example": [["127.0.0.2"]]}
    trusting(file)
    assert sending.send(f"https://hooks.example:{receiver.port}/hook", HEADERS, BODY).status == 200
    assert receiver.received[0].headers["host"] == f"hooks.example:{receiver.port}"
    attempt = sending.send(f"https://other.example:{receiver.port}/hook", HEADERS, BODY)
    assert told(attempt) == ("tls_failed", None, None)
    assert asked == ["hooks.example", "other.example"]
    assert len(receiver.received) == 1


def test_a_certificate_that_nobody_vouches_for(
    open_receiver: Open, names: Names, settings: Settings, tmp_path: Path
) -> None:
    context, _ = certificate("hooks.example", tmp_path)
    receiver = open_receiver("127.0.0.2", tls=context)
    settings.WEBHOOK_PORTS = [receiver.port]
    names.answers = {"hooks.example": [["127.0.0.2"]]}
    attempt = sending.send(f"https://hooks.example:{receiver.port}/hook", HEADERS, BODY)
    assert (told(attempt), receiver.received) == (("tls_failed", None, None), [])


def test_a_redirect_from_https_to_http_is_not_followed(
    open_receiver: Open, names: Names, settings: Settings, tmp_path: Path, trusting: Callable[[Path], None]
) -> None:
    context, file = certificate("hooks.example", tmp_path)
    receiver, plain = open_receiver("127.0.0.2", tls=context), open_receiver("127.0.0.2")
    settings.WEBHOOK_PORTS = [receiver.port, plain.port]
    names.answers = {"hooks.example": [["127.0.0.2"]]}
    receiver.behaviour = says(308, Location=plain.url)
    trusting(file)
    attempt = sending.send(f"https://hooks.example:{receiver.port}/hook", HEADERS, BODY)
    assert (attempt.error, plain.connections) == ("scheme_not_allowed", 0)
