"""What the store refuses, beside the rules of the game."""


class StreamNotFound(Exception):
    """There is no such stream that the asker may know of."""


class VersionMismatch(Exception):
    """The caller counts on another version than the head's. Nothing was stored."""

    def __init__(self, current: int) -> None:
        super().__init__(f"The match is at version {current}.")
        self.current = current


class CommandReused(Exception):
    """A command id came back with another request than the one that used it first."""


class ConcurrentAppend(Exception):
    """Somebody wrote this version without the stream's lock. The transaction is lost; the caller may try again."""
