"""`python -m tarneeb_service.local.demo`: see `--help`. Exits with 0 after a finished match, else with 1."""

import argparse
import io
import os
import secrets
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import httpx
import msgspec
from rich.console import Console

from tarneeb_service.local.demo.client import Client
from tarneeb_service.local.demo.clock import Clock
from tarneeb_service.local.demo.ending import show_addresses, show_ending
from tarneeb_service.local.demo.faces import Faces
from tarneeb_service.local.demo.failures import DemoFailed
from tarneeb_service.local.demo.pace import SECONDS, Pace
from tarneeb_service.local.demo.screen import PlainScreen, RichScreen, Screen
from tarneeb_service.local.demo.story import Story
from tarneeb_service.local.demo.table import Table
from tarneeb_service.local.demo.texts import Language, Texts, language_of

PLAYERS = ("amal", "basim", "carla", "dina")


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asks for. `base_url` is None for the credentials file's own."""

    credentials: Path
    base_url: str | None
    variant: str
    target: int
    speed: str
    seed: int
    plain: bool
    texts: Texts


class TenantKey(msgspec.Struct):
    """The tenant's part of the credentials file."""

    key: str


class Credentials(msgspec.Struct):
    """The credentials file, as far as the demo needs it."""

    base_url: str
    tenant: TenantKey


def main(
    arguments: Sequence[str] | None = None,
    *,
    clock: Clock | None = None,
    transport: httpx.BaseTransport | None = None,
) -> int:
    """Play one match; return the exit code. `clock` and `transport` stand in for the machine's time and network."""
    options = options_from(sys.argv[1:] if arguments is None else arguments, watched=sys.stdout.isatty())
    screen: Screen = PlainScreen(sys.stdout) if options.plain else RichScreen(Console(highlight=False))
    try:
        play_match(options, screen, clock=clock or Clock(), transport=transport)
    except DemoFailed as failure:
        screen.close()
        sys.stderr.write(options.texts(failure.text, **failure.facts) + "\n")
        return 1
    except KeyboardInterrupt:
        screen.close()
        sys.stderr.write(options.texts("stopped") + "\n")
        return 1
    finally:
        screen.close()
    return 0


def play_match(options: Options, screen: Screen, *, clock: Clock, transport: httpx.BaseTransport | None = None) -> None:
    """Open a match, play it and show it to its last page. Raises `DemoFailed`."""
    credentials = read_credentials(options.credentials)
    base_url = (options.base_url or credentials.base_url).rstrip("/").removesuffix("/api/v1")
    key = credentials.tenant.key
    with ExitStack() as open_clients:
        tenant, *players = [
            open_clients.enter_context(closing(Client(base_url, key, player, clock=clock, transport=transport)))
            for player in (None, *PLAYERS)
        ]
        match = tenant.create_match(
            {
                "variant": options.variant,
                "target": options.target,
                "turn_seconds": None,
                "visibility": "tenant",
                "players": list(PLAYERS),
            }
        )
        faces = Faces(PLAYERS, options.texts)

        def holdings() -> list[Sequence[str]]:
            views = [player.view(match.id) for player in players]
            return [view.you.holding if view.you is not None else () for view in views]

        story = Story(screen, faces, Pace(options.speed, clock=clock, target=match.rules.target), holdings)
        story.open(match)
        ended = Table(match.id, players, story, seed=options.seed, clock=clock).play()
        show_ending(screen, faces, tenant, ended)
        show_addresses(
            screen,
            options.texts,
            base_url=base_url,
            match=match.id,
            credentials=options.credentials,
            named_url=options.base_url,
        )


def read_credentials(path: Path) -> Credentials:
    """The credentials in the file. Raises `DemoFailed` if there are none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Credentials)
    except OSError as error:
        raise DemoFailed("credentials", path=path, reason=error.strerror) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DemoFailed("credentials", path=path, reason=error) from error


def options_from(arguments: Sequence[str], *, watched: bool) -> Options:
    """The options that the command line asks for, with pauses and colours by default only where somebody watches."""
    texts = _texts_for(arguments)
    parser = argparse.ArgumentParser("python -m tarneeb_service.local.demo", description=texts("about"))
    default = Path(os.environ.get("LOCAL_DIR", ".local")) / "credentials.json"
    parser.add_argument("--credentials", type=Path, default=default, metavar="PATH", help=texts("option_credentials"))
    parser.add_argument("--base-url", metavar="URL", help=texts("option_base_url"))
    parser.add_argument("--variant", default="classic", help=texts("option_variant"))
    parser.add_argument("--target", type=int, default=31, help=texts("option_target"))
    parser.add_argument(
        "--speed", choices=tuple(SECONDS), default="normal" if watched else "fast", help=texts("option_speed")
    )
    parser.add_argument("--seed", type=int, help=texts("option_seed"))
    parser.add_argument("--plain", action="store_true", help=texts("option_plain"))
    parser.add_argument("--lang", choices=get_args(Language), help=texts("option_lang"))
    chosen = parser.parse_args(arguments)
    return Options(
        credentials=chosen.credentials,
        base_url=chosen.base_url,
        variant=chosen.variant,
        target=chosen.target,
        speed=chosen.speed,
        seed=secrets.randbelow(2**32) if chosen.seed is None else chosen.seed,
        plain=chosen.plain or not watched,
        texts=texts,
    )


def _texts_for(arguments: Sequence[str]) -> Texts:
    """The language must be known before the help is written, so it is looked for first."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--lang", choices=get_args(Language), default=language_of())
    try:
        known, _ = parser.parse_known_args(arguments)
    except SystemExit:
        return Texts("en")
    language: Language = known.lang
    return Texts(language)


def run() -> int:
    """`main` as a program of its own: it leaves the terminal in order however it is ended."""
    # A terminal without Arabic or suit signs should show a question mark, not stop the match.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    # Whoever stops the servers stops the demo too, by a signal that would leave the cursor hidden.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return main()
    except BrokenPipeError:
        # Nobody reads on, `| head` for one. Python would try to write once more at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    raise SystemExit(run())
