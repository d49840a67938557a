"""What `up` tells whoever watches: one line a step, with a spinner while it lasts where a terminal can show one."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic

from rich.console import Console as RichConsole
from rich.markup import escape
from rich.status import Status

NAME_WIDTH = 12


class Console:
    """Lines for a person. Nothing here is meant to be read by a program: see credentials.json for that."""

    def __init__(self) -> None:
        self._rich = RichConsole(highlight=False, soft_wrap=True)
        self._status: Status | None = None

    def line(self, text: str = "") -> None:
        """A line as it is."""
        self._rich.print(escape(text))

    def starting(self, names: Sequence[str]) -> None:
        """These are being started."""
        self._show(f"starting {', '.join(names)} …")

    def ready(self, name: str, seconds: float, remark: str = "ready") -> None:
        """This one is ready, so long after its start."""
        self._row(name, f"[green]{escape(remark)}[/green] [dim]{seconds:5.1f} s[/dim]")

    def warning(self, text: str) -> None:
        """Something went wrong and is being dealt with."""
        self._rich.print(f"[yellow]{escape(text)}[/yellow]")

    def stopping(self, names: Sequence[str]) -> None:
        """These are being stopped."""
        self._show(f"stopping {', '.join(names)} …")

    def failed(self, text: str) -> None:
        """It ends here, and why."""
        self.quiet()
        self._rich.print(f"[red]{escape(text)}[/red]")

    def table(self, rows: Mapping[str, str]) -> None:
        """Names and what they stand for."""
        for name, text in rows.items():
            self._row(name, escape(text))

    @contextmanager
    def step(self, name: str) -> Iterator[list[str]]:
        """Something that is done here and now. What is appended to the list is remarked on its line."""
        remarks: list[str] = []
        self._show(f"{name} …")
        begun = monotonic()
        yield remarks
        self.ready(name, monotonic() - begun, ", ".join(remarks) or "done")

    def quiet(self) -> None:
        """No spinner any more."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _row(self, name: str, markup: str) -> None:
        self._rich.print(f"  {escape(name):<{NAME_WIDTH}} {markup}")

    def _show(self, text: str) -> None:
        if not self._rich.is_terminal:
            self.line(f"  {text}")
        elif self._status is None:
            self._status = self._rich.status(escape(text))
            self._status.start()
        else:
            self._status.update(escape(text))
