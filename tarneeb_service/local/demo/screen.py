"""Where the story is told: a terminal with colours and a line that grows, or plain lines."""

from typing import Protocol, TextIO

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

WIDTH = 100


class Screen(Protocol):
    """What the story writes on."""

    def draft(self, text: Text) -> None:
        """Show a line that will still change."""

    def line(self, text: Text) -> None:
        """Show a line that stands, in place of the draft if there is one."""

    def block(self, block: RenderableType) -> None:
        """Show a table."""

    def close(self) -> None:
        """Leave the terminal as it was found."""


class PlainScreen:
    """Lines without colour. Drafts are left out: what they grow into comes as a line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def draft(self, text: Text) -> None:
        """Nothing yet."""

    def line(self, text: Text) -> None:
        """Write the line."""
        self._stream.write(text.plain.rstrip() + "\n")
        self._stream.flush()

    def block(self, block: RenderableType) -> None:
        """Write the table as lines."""
        console = Console(file=self._stream, width=WIDTH, color_system=None, force_terminal=False, highlight=False)
        with console.capture() as captured:
            console.print(block)
        for row in captured.get().splitlines():
            self.line(Text(row))

    def close(self) -> None:
        """Nothing to restore."""


class RichScreen:
    """A terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None

    def draft(self, text: Text) -> None:
        """Show the line as it stands now."""
        if self._live is None:
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(text, refresh=True)

    def line(self, text: Text) -> None:
        """Replace the draft by the line that stands."""
        self.close()
        self._console.print(text, soft_wrap=True)

    def block(self, block: RenderableType) -> None:
        """Show the table."""
        self.close()
        self._console.print(block)

    def close(self) -> None:
        """Take the draft away and show the cursor again."""
        if self._live is not None:
            self._live.stop()
            self._live = None
