"""The port of the web server."""

import errno
import socket

from tarneeb_service.local.processes import LocalError

NEIGHBOURS = 20
HOST = "127.0.0.1"
HIGHEST = 65535


def listen(port: int) -> socket.socket:
    """A listening socket on this port of the loopback address, or on one of the next if it is taken, or on any.

    It is opened here and handed on, so that while the web server is restarted the port stays ours and connections wait.
    """
    if not 0 <= port <= HIGHEST:
        raise LocalError(f"PORT is a number from 0 to {HIGHEST}.")
    for candidate in [*range(port, min(port + NEIGHBOURS, HIGHEST + 1)), 0]:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # Connections of an earlier start that still linger do not make the port taken.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, candidate))
        except OSError as error:
            listener.close()
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise LocalError(f"Port {candidate} cannot be used: {error.strerror}. Set PORT to another.") from None
            continue
        listener.listen(2048)
        return listener
    raise LocalError("No free port found. Set PORT to one.")
