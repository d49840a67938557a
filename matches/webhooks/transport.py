"""One connection, for one message, to an address that was checked, within one time and one size for all of it.

httpx and httpcore limit each wait of their own, so a receiver that trickles could keep them for days; here all of an
exchange shares one end. The name of the host stays what it was for the certificate's check and for the Host header.
"""

import ssl
import time
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import httpcore
import httpx
from django.conf import settings

from matches.webhooks.addresses import checked_addresses

MOST_READ = 256 * 1024
"""In bytes: headers, interim answers and what is read of the body, before whoever sends more is cut off."""
MOST_ADDRESSES = 3


class Deadline:
    """A moment after which nothing is waited for."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left, never none: the wait itself then finds out that it is over."""
        return max(0.001, self._end - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether it has passed."""
        return time.monotonic() >= self._end


class TlsFailed(httpx.ConnectError):
    """The two sides came to no terms: most often a certificate that is none for this host."""


class Transport(httpx.BaseTransport):
    """httpx's way out, for one message and its redirects. Raises httpx's errors and `NotAcceptableAddress`."""

    def __init__(self, deadline: Deadline) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=_tls(), max_keepalive_connections=0, network_backend=_Backend(deadline)
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """One exchange, up to the head of the answer."""
        target = request.url
        sent = httpcore.Request(
            request.method,
            httpcore.URL(scheme=target.raw_scheme, host=target.raw_host, port=target.port, target=target.raw_path),
            headers=request.headers.raw,
            content=request.read(),
            extensions=request.extensions,
        )
        with _as_httpx(request):
            answer = self._pool.handle_request(sent)
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer, request), extensions=answer.extensions
        )

    def close(self) -> None:
        """Close what is still open."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response, request: httpx.Request) -> None:
        self._answer = answer
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx(self._request):
            yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


class _as_httpx:  # noqa: N801  reads as what it is: a context
    """httpcore's errors as httpx's."""

    def __init__(self, request: httpx.Request) -> None:
        self._request = request

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        for known, translated in _ERRORS:
            if isinstance(error, known):
                raise translated(str(error), request=self._request) from error


_ERRORS: tuple[tuple[type[Exception], type[httpx.TransportError]], ...] = (
    (httpcore.TimeoutException, httpx.TimeoutException),
    (httpcore.ConnectError, httpx.ConnectError),
    (httpcore.NetworkError, httpx.NetworkError),
    (httpcore.ProtocolError, httpx.RemoteProtocolError),
)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002  the settings' is
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to one of the host's addresses as they were checked: it is not looked up again."""
        failure: Exception = httpcore.ConnectTimeout("no time left")
        for address in checked_addresses(host, port, seconds=self._deadline.left())[:MOST_ADDRESSES]:
            if self._deadline.is_over:
                break
            seconds = min(settings.WEBHOOK_CONNECT_SECONDS, self._deadline.left())
            try:
                plain = self._plain.connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _Stream(plain, self._deadline)
        raise failure


class _Stream(httpcore.NetworkStream):
    """A stream whose every wait ends with the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline
        self._read = 0

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002  the deadline's is shorter
        if self._deadline.is_over:
            raise httpcore.ReadTimeout("the time for the whole exchange is over")
        data = self._stream.read(max_bytes, self._deadline.left())
        self._read += len(data)
        if self._read > MOST_READ:
            raise httpcore.ReadError("the answer has no end")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002  httpcore's signature
        if self._deadline.is_over:
            raise httpcore.WriteTimeout("the time for the whole exchange is over")
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002  httpcore's signature
    ) -> httpcore.NetworkStream:
        try:
            secured = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left())
        except httpcore.ConnectError as error:
            raise TlsFailed(str(error)) from error
        return _Stream(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def forget_authorities() -> None:
    """Read the authorities that certificates are checked against anew with the next message."""
    _tls.cache_clear()


@cache
def _tls() -> ssl.SSLContext:
    # Reading all the authorities takes longer than an exchange.
    return httpx.create_ssl_context()
