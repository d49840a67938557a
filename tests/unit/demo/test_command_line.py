"""`python -m tarneeb_service.local.demo` from its arguments to its exit code."""

import ast
import json
import os
import shlex
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tarneeb_service.local import demo
from tarneeb_service.local.demo.__main__ import main, options_from
from tarneeb_service.local.demo.ending import curl_command, play_again_command
from tests.unit.demo.fake_clock import FakeClock
from tests.unit.demo.fake_server import BASE_URL, KEY, MATCH, FakeServer


@pytest.fixture
def credentials(tmp_path: Path) -> Path:
    path = tmp_path / "a folder" / "credentials.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"base_url": BASE_URL, "tenant": {"name": "local", "key": KEY}, "moderator": {}}))
    return path


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")


def run(server: FakeServer, credentials: Path, *arguments: str) -> int:
    return main(
        ["--credentials", str(credentials), "--seed", "1", *arguments], clock=FakeClock(), transport=server.transport
    )


def test_a_finished_match_ends_with_the_winner_the_sheet_and_where_to_look(
    credentials: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = FakeServer(seed=11)
    assert run(server, credentials) == 0
    shown, errors = capsys.readouterr()
    assert errors == ""
    lines = shown.splitlines()
    assert lines[:2] == ["Tarneeb, classic to 31", "amal and carla against basim and dina"]
    ending = shown[shown.index("win the match") :]
    assert "Score sheet" in ending
    assert f"{len(server.log)} events stored, versions 1 to {len(server.log)} without a gap." in ending
    for address in (f"/api/v1/matches/{MATCH}", f"/api/v1/matches/{MATCH}/events", "/api/docs"):
        assert f"{BASE_URL}{address}\n" in ending
    assert KEY not in shown


def test_the_sheet_shows_every_hand_with_line_and_debt(credentials: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(seed=5)
    assert run(server, credentials, "--variant", "egyptian") == 0
    shown = capsys.readouterr().out
    sheet = shown[shown.index("Score sheet") :].splitlines()
    body = [line for line in sheet if line.split()[:1] and line.split()[0].isdigit() and " and " in line]
    assert [int(line.split()[0]) for line in body] == list(range(1, shown.count("\nHand ") + 1))
    headings = " ".join(sheet[1:3]).split()
    assert headings.count("line") == headings.count("debt") == 2
    assert max(map(len, sheet[1 : len(body) + 4])) <= 80


def test_the_players_ask_for_the_match_that_the_command_line_describes(credentials: Path) -> None:
    server = abandoning()
    assert run(server, credentials, "--variant", "lebanese", "--target", "33") == 1
    assert json.loads(server.requests[0].content) == {
        "variant": "lebanese",
        "target": 33,
        "turn_seconds": None,
        "visibility": "tenant",
        "players": ["amal", "basim", "carla", "dina"],
    }


def test_arabic_from_the_first_line_to_the_last(credentials: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(FakeServer(seed=11), credentials, "--lang", "ar") == 0
    shown = capsys.readouterr().out
    for words in ("طرنيب، كلاسيكي حتى 31", "أمل وكارلا ضدّ باسم ودينا", "فاز بالمباراة", "ورقة النقاط", "صاحب الطلب"):
        assert words in shown
    for words in (" and ", "hand", "auction", "points"):
        assert words not in shown.lower().replace("sys; print", "")


def test_another_address_may_be_named_with_or_without_the_api_path(credentials: Path) -> None:
    for address in ("http://elsewhere/", "http://elsewhere/api/v1/", "http://elsewhere"):
        server = refusing(404, "not_found")
        assert run(server, credentials, "--base-url", address) == 1
        assert str(server.requests[0].url) == "http://elsewhere/api/v1/matches"


# Failures


def refusing(status: int, code: str) -> FakeServer:
    server = FakeServer()
    server.before = lambda _request: httpx.Response(status, json={"status": status, "code": code, "detail": "No."})
    return server


def unreachable() -> FakeServer:
    server = FakeServer()

    def refuse(_request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("Connection refused")

    server.before = refuse
    return server


def abandoning() -> FakeServer:
    server = FakeServer(seed=11)
    server.before = lambda _request: server.abandon() if len(server.requests) == 100 else None
    return server


@pytest.mark.parametrize(
    ("server", "message"),
    [
        (unreachable, f"No server answers at {BASE_URL} (Connection refused). Is it running? `make run` starts it."),
        (lambda: refusing(401, "key_revoked"), "The server refused the key: 401 key_revoked, No."),
        (lambda: refusing(422, "invalid_rules"), "The server refused the request: 422 invalid_rules, No."),
        (lambda: refusing(503, "unavailable"), f"The server at {BASE_URL} stayed unavailable: 503 unavailable, No."),
        (abandoning, "The match ended without a winner: abandoned."),
    ],
)
def test_a_demo_that_fails_says_why_in_one_line(
    server: Callable[[], FakeServer], message: str, credentials: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(server(), credentials) == 1
    assert capsys.readouterr().err == message + "\n"


def test_a_failure_is_told_in_arabic_too(credentials: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(unreachable(), credentials, "--lang", "ar") == 1
    assert "لا يجيب أي خادم" in capsys.readouterr().err


@pytest.mark.parametrize("content", [None, "", "{}", '{"base_url": "http://x", "tenant": {}}', "not JSON", b"\xff\xfe"])
def test_credentials_that_cannot_be_read_are_reported(
    content: str | bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "credentials.json"
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    assert run(FakeServer(), path) == 1
    assert capsys.readouterr().err.startswith(f"Cannot read the credentials in {path}: ")


def test_an_interrupted_demo_stops_without_a_traceback(credentials: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(seed=11)

    def interrupt(_request: httpx.Request) -> httpx.Response | None:
        if len(server.requests) > 100:
            raise KeyboardInterrupt
        return None

    server.before = interrupt
    assert run(server, credentials) == 1
    assert capsys.readouterr().err == "The demo was stopped.\n"


def test_the_module_runs_as_a_program_and_gives_the_exit_code(credentials: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "tarneeb_service.local.demo", "--credentials", credentials, "--base-url", "nonsense"],
        capture_output=True,
        text=True,
        env={**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"},
        check=False,
    )
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.startswith("nonsense is no address of a server")


def listening_but_silent() -> socket.socket:
    """A port where connections wait for ever."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(60)
    return listener


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_program_in_order(sent: signal.Signals, credentials: Path) -> None:
    with listening_but_silent() as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        program = subprocess.Popen(
            [sys.executable, "-m", "tarneeb_service.local.demo", "--credentials", credentials, "--base-url", address],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"},
        )
        try:
            connection, _ = listener.accept()
            with connection:
                program.send_signal(sent)
                _, errors = program.communicate(timeout=60)
        finally:
            program.kill()
    assert (program.returncode, errors) == (1, "The demo was stopped.\n")


# Options


@pytest.mark.parametrize(
    ("watched", "arguments", "speed", "plain"),
    [
        (True, [], "normal", False),
        (False, [], "fast", True),
        (True, ["--plain"], "normal", True),
        (False, ["--speed", "slow"], "slow", True),
        (True, ["--speed", "fast"], "fast", False),
    ],
)
def test_pauses_and_colours_are_for_those_who_watch(
    *, watched: bool, arguments: list[str], speed: str, plain: bool
) -> None:
    options = options_from(arguments, watched=watched)
    assert (options.speed, options.plain) == (speed, plain)


def test_the_language_may_be_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "ar_EG.UTF-8")
    assert options_from([], watched=False).texts.language == "ar"
    assert options_from(["--lang", "en"], watched=False).texts.language == "en"


def test_help_speaks_the_language_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for language, word in (("en", "the rules to play by"), ("ar", "القواعد")):
        with pytest.raises(SystemExit) as caught:
            options_from(["--help", "--lang", language], watched=False)
        assert caught.value.code == 0
        assert word in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--speed", "warp"], ["--target", "many"], ["--lang", "fr"], ["--nonsense"]])
def test_arguments_that_make_no_sense_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        options_from(arguments, watched=False)
    assert caught.value.code == 2


# Commands to paste


def test_the_curl_line_works_in_a_shell_as_it_stands(credentials: Path, tmp_path: Path) -> None:
    """With a curl that writes down what it was asked."""
    asked = tmp_path / "asked"
    curl = tmp_path / "bin" / "curl"
    curl.parent.mkdir()
    curl.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {shlex.quote(str(asked))}\n')
    curl.chmod(curl.stat().st_mode | stat.S_IXUSR)
    command = curl_command(f"{BASE_URL}/api/v1/matches/{MATCH}", credentials)
    assert KEY not in command
    subprocess.run(["/bin/sh", "-c", command], env={"PATH": f"{curl.parent}:/usr/bin:/bin"}, check=True)
    assert asked.read_text().splitlines() == [
        "-s",
        "-H",
        f"Authorization: Bearer {KEY}",
        f"{BASE_URL}/api/v1/matches/{MATCH}/sheet",
    ]


def test_the_line_to_play_again_is_one_that_the_parser_takes(credentials: Path) -> None:
    line = shlex.split(play_again_command(credentials, "http://elsewhere"))
    assert line[1:3] == ["-m", "tarneeb_service.local.demo"]
    options = options_from(line[3:], watched=False)
    assert (Path.cwd() / options.credentials).samefile(credentials)
    assert options.base_url == "http://elsewhere"
    assert "--base-url" not in play_again_command(credentials, None)


def test_paths_below_the_working_directory_are_shown_short(credentials: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(credentials.parent)
    assert play_again_command(credentials, None).endswith("--credentials credentials.json")


# The client side only


def test_the_demo_knows_nothing_but_the_api() -> None:
    imported = set()
    for path in Path(demo.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {name.name for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module or "")
    outside = {name for name in imported if not name.startswith("tarneeb_service.local.demo")}
    roots = {name.partition(".")[0] for name in outside} - sys.stdlib_module_names
    assert roots == {"httpx", "msgspec", "rich"}
