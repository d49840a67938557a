"""Where webhooks may be sent: which URLs, and which addresses behind their hosts.

A URL is taken from a tenant, so it may lead anywhere, this service's own network included. What counts is therefore the
address that is connected to: it is looked up once, checked, and connected to as it was checked (`transport.py`).
"""

import socket
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import httpx
from django.conf import settings

from matches.webhooks.refusals import NotAcceptableAddress

LONGEST_URL = 2048
_PORTS = {"http": 80, "https": 443}

_REFUSED_4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        # A cloud's own service in public dress: it answers every machine there with what concerns that machine.
        "168.63.129.16/32",
    )
)
# Of IPv6 the global unicast range alone is taken, and of that what leads to no IPv4 address and is assigned to hosts.
_TAKEN_6 = IPv6Network("2000::/3")
_REFUSED_6 = tuple(IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))


def checked_url(text: str) -> httpx.URL:
    """The URL, if something may be sent to one like it. Raises `NotAcceptableAddress`; looks nothing up."""
    if len(text) > LONGEST_URL:
        raise NotAcceptableAddress("too_long", f"A URL here is at most {LONGEST_URL} characters.")
    try:
        url = httpx.URL(text)
        host = url.raw_host.decode("ascii")
    except (httpx.InvalidURL, UnicodeError, ValueError, TypeError):
        raise NotAcceptableAddress("invalid", "This is no URL.") from None
    if url.scheme not in _PORTS:
        raise NotAcceptableAddress("scheme_not_allowed", "A webhook's URL begins with https:// or http://.")
    if not host or any(not character.isprintable() or character.isspace() for character in text):
        raise NotAcceptableAddress("invalid", "This is no URL.")
    if url.userinfo:
        raise NotAcceptableAddress("credentials_not_allowed", "Credentials do not belong into a URL.")
    if url.fragment or text.endswith("#"):
        raise NotAcceptableAddress("invalid", "A fragment is never sent: leave it out.")
    port = port_of(url)
    if not 0 < port < 65_536:
        raise NotAcceptableAddress("invalid", "This is no port.")
    if not settings.WEBHOOK_ALLOW_PRIVATE and port not in settings.WEBHOOK_PORTS:
        allowed = ", ".join(str(number) for number in settings.WEBHOOK_PORTS)
        raise NotAcceptableAddress("port_not_allowed", f"Webhooks go to these ports: {allowed}.")
    return url


def port_of(url: httpx.URL) -> int:
    """The port that a URL names, or its scheme's."""
    return _PORTS[url.scheme] if url.port is None else url.port


def checked_addresses(host: str, port: int, *, seconds: float) -> list[str]:
    """The addresses of a host that may be connected to, in the resolver's order; never none.

    Raises `NotAcceptableAddress`: `unresolvable`, `not_resolved` where the resolver gave no answer in time or said to
    try again, `address_not_allowed`.
    """
    found = _looked_up(host, port, seconds)
    if settings.WEBHOOK_ALLOW_PRIVATE:
        return found
    taken = [address for address in found if is_public(address)]
    if not taken:
        raise NotAcceptableAddress("address_not_allowed", "The host has no public address.")
    return taken


def is_public(address: str) -> bool:
    """Whether an address, as the resolver writes it, is a host's on the public Internet."""
    try:
        known = ip_address(address)
    except ValueError:
        return False
    if any(known in network for network in _refused_by_setting() if network.version == known.version):
        return False
    if isinstance(known, IPv4Address):
        return known.is_global and not any(known in network for network in _REFUSED_4)
    return _is_public_6(known)


def _is_public_6(address: IPv6Address) -> bool:
    if address.scope_id is not None or address not in _TAKEN_6:
        return False
    return not any(address in network for network in _REFUSED_6)


def _refused_by_setting() -> tuple[IPv4Network | IPv6Network, ...]:
    return _networks(tuple(settings.WEBHOOK_REFUSED_NETWORKS))


@cache
def _networks(texts: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(text) for text in texts)


def _looked_up(host: str, port: int, seconds: float) -> list[str]:
    # A resolver has no time limit of its own that could be set. One that gives no answer keeps a thread, not a caller.
    answer = _resolvers().submit(socket.getaddrinfo, host.strip("[]"), port, type=socket.SOCK_STREAM)
    try:
        found = answer.result(max(0.0, seconds))
    except TooLate:
        answer.cancel()
        raise NotAcceptableAddress("not_resolved", "The host's address was not to be had in time.") from None
    except (OSError, UnicodeError) as error:
        if getattr(error, "errno", None) == socket.EAI_AGAIN:
            raise NotAcceptableAddress("not_resolved", "The host's address was not to be had just now.") from None
        raise NotAcceptableAddress("unresolvable", "There is no such host.") from None
    addresses = [str(place[0]) for *_, place in found]
    return list(dict.fromkeys(addresses))


@cache
def _resolvers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(64, thread_name_prefix="resolver")
