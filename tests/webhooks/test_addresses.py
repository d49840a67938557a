"""Where nothing is ever sent: URLs that are none, and addresses that are not the public Internet's."""

import socket
import threading
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import httpx
import pytest
from hypothesis import given, strategies
from pytest_django import Settings

from matches.webhooks.addresses import LONGEST_URL, checked_addresses, checked_url, is_public, port_of
from matches.webhooks.refusals import NotAcceptableAddress


@pytest.fixture
def production(settings: Settings) -> Settings:
    """The settings of a deployment."""
    settings.WEBHOOK_ALLOW_PRIVATE = False
    settings.WEBHOOK_PORTS = [80, 443, 8080, 8443]
    return settings


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("https://backend.example/tarneeb?of=us", 443),
        ("http://backend.example", 80),
        ("https://backend.example:8443/hook", 8443),
        ("HTTPS://Backend.Example/", 443),
        ("https://[2606:4700::1111]:8443/x", 8443),
        ("https://كبوت.example/", 443),
        ("https://93.184.216.34/", 443),
    ],
)
def test_urls_that_are_taken(production: Settings, text: str, port: int) -> None:
    assert port_of(checked_url(text)) == port


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "scheme_not_allowed"),
        ("backend.example", "scheme_not_allowed"),
        ("//backend.example/", "scheme_not_allowed"),
        ("ftp://backend.example/", "scheme_not_allowed"),
        ("file:///etc/passwd", "scheme_not_allowed"),
        ("gopher://backend.example:80/", "scheme_not_allowed"),
        ("unix:///run/docker.sock", "scheme_not_allowed"),
        ("http://", "invalid"),
        ("https:///path", "invalid"),
        ("https://user:password@backend.example/", "credentials_not_allowed"),
        ("https://user@backend.example/", "credentials_not_allowed"),
        ("https://127.0.0.1@backend.example/", "credentials_not_allowed"),
        ("https://backend.example/#fragment", "invalid"),
        ("https://backend.example/#", "invalid"),
        ("https://backend.example:22/", "port_not_allowed"),
        ("http://backend.example:6379/", "port_not_allowed"),
        ("https://backend.example:0/", "invalid"),
        ("https://backend.example:65536/", "invalid"),
        ("https://backend.example:http/", "invalid"),
        ("https://backend .example/", "invalid"),
        ("https://backend.example/\r\nHost: other", "invalid"),
        ("https://backend.example/\x00", "invalid"),
        ("https://[::1/", "invalid"),
        ("https://backend.example/" + "x" * LONGEST_URL, "too_long"),
    ],
)
def test_urls_that_are_refused(production: Settings, text: str, code: str) -> None:
    with pytest.raises(NotAcceptableAddress) as refused:
        checked_url(text)
    assert refused.value.code == code


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700:4700::1111", "2a00:1450::1"])
def test_addresses_of_the_public_internet(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        # this host, loopback
        "0.0.0.0",  # noqa: S104  an address to refuse, nothing binds it
        "0.1.2.3",
        "127.0.0.1",
        "127.255.255.254",
        "::",
        "::1",
        # private, shared, unique local
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "fc00::1",
        "fd00:ec2::254",
        # link-local: clouds answer every machine's questions about itself there
        "169.254.169.254",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        # a cloud's own service in public dress
        "168.63.129.16",
        # multicast, reserved, broadcast, documentation, benchmarks, protocol assignments
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "198.51.100.1",
        "203.0.113.1",
        "198.18.0.1",
        "192.0.0.8",
        "192.88.99.1",
        "ff02::1",
        "2001:db8::1",
        "3fff::1",
        "100::1",
        # IPv4 in IPv6's dress: mapped, compatible, translated (NAT64), 6to4, Teredo
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:1.1.1.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::101:101",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2001::1",
        # no address at all
        "",
        "localhost",
        "1.1.1",
    ],
)
def test_addresses_that_nothing_is_sent_to(address: str) -> None:
    assert not is_public(address)


def test_networks_of_ones_own_can_be_refused_too(settings: Settings) -> None:
    assert is_public("93.184.216.34")
    assert is_public("2606:4700::1")
    settings.WEBHOOK_REFUSED_NETWORKS = ["93.184.216.0/24", "2606:4700::/32"]
    assert not is_public("93.184.216.34")
    assert not is_public("2606:4700::1")
    assert is_public("93.184.217.1")


# Behind names


class Resolver:
    """What the system's resolver would say."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: dict[str, list[str] | Exception] = {}
        self.asked: list[str] = []
        monkeypatch.setattr("matches.webhooks.addresses.socket.getaddrinfo", self.look_up)

    def look_up(self, host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        """getaddrinfo, as far as it is used."""
        self.asked.append(host)
        answer = self.answers[host]
        if isinstance(answer, Exception):
            raise answer
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in answer]


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Resolver:
    """A resolver under control."""
    return Resolver(monkeypatch)


def code_for(host: str) -> str:
    """Why nothing may be sent to this host."""
    with pytest.raises(NotAcceptableAddress) as refused:
        checked_addresses(host, 443, seconds=60)
    assert host not in str(refused.value)
    return refused.value.code


def test_a_name_counts_for_the_addresses_behind_it(production: Settings, resolver: Resolver) -> None:
    resolver.answers = {
        "good.example": ["1.1.1.1", "2606:4700::1", "1.1.1.1"],
        "inside.example": ["10.0.0.5", "fd00::5"],
        "both.example": ["10.0.0.5", "1.1.1.1", "127.0.0.1"],
        "127.1": ["127.0.0.1"],
        "2130706433": ["127.0.0.1"],
        "0x7f.1": ["127.0.0.1"],
    }
    assert checked_addresses("good.example", 443, seconds=60) == ["1.1.1.1", "2606:4700::1"]
    assert checked_addresses("both.example", 443, seconds=60) == ["1.1.1.1"]
    for host in ("inside.example", "127.1", "2130706433", "0x7f.1"):
        assert code_for(host) == "address_not_allowed"


def test_names_that_lead_nowhere(production: Settings, resolver: Resolver) -> None:
    resolver.answers = {
        "none.example": socket.gaierror(socket.EAI_NONAME, "not known"),
        "later.example": socket.gaierror(socket.EAI_AGAIN, "try again"),
        "x" * 70: UnicodeError("label too long"),
    }
    assert code_for("none.example") == "unresolvable"
    assert code_for("x" * 70) == "unresolvable"
    assert code_for("later.example") == "not_resolved"


def test_a_resolver_that_gives_no_answer_is_not_waited_for(
    production: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    monkeypatch.setattr("matches.webhooks.addresses.socket.getaddrinfo", lambda *_, **__: released.wait(120) and [])
    try:
        with pytest.raises(NotAcceptableAddress) as refused:
            checked_addresses("slow.example", 443, seconds=0.05)
    finally:
        released.set()
    assert refused.value.code == "not_resolved"


def test_the_local_default_sends_anywhere(settings: Settings) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    assert port_of(checked_url("http://127.0.0.1:12345/hook")) == 12345
    assert checked_addresses("127.0.0.1", 12345, seconds=60) == ["127.0.0.1"]
    assert checked_addresses("::1", 12345, seconds=60) == ["::1"]


TEXTS = strategies.one_of(
    strategies.text(max_size=80),
    strategies.builds(
        "{}://{}{}{}".format,
        strategies.sampled_from(["http", "https", "HTTPS", "ftp", ""]),
        strategies.text(max_size=30),
        strategies.sampled_from(["", ":443", ":0", ":99999", ":x", "@h", "[::1]", "%00", "\\h"]),
        strategies.text(max_size=20).map(lambda path: "/" + path),
    ),
)


@given(TEXTS)
def test_any_text_is_a_url_that_can_be_sent_to_or_refused(text: str) -> None:
    try:
        url = checked_url(text)
    except NotAcceptableAddress:
        return
    assert url.scheme in {"http", "https"}
    assert 0 < port_of(url) < 65_536
    assert httpx.Request("POST", url).headers["host"]


@given(strategies.ip_addresses())
def test_whatever_is_taken_for_public_is_global(address: IPv4Address | IPv6Address) -> None:
    if is_public(str(address)):
        assert address.is_global
        assert not any((address.is_private, address.is_loopback, address.is_link_local, address.is_multicast))
        assert not any((address.is_reserved, address.is_unspecified))
