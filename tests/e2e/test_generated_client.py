"""A client that a generator made from the OpenAPI document alone plays a whole match over a real gunicorn."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tarneeb_service.access.services import create_key, create_tenant
from tests.cast import CAST
from tests.e2e.serving import WebServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def generated(web_server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of the generated package, made from the document as it is served; a part left out is an error."""
    document = httpx.get(f"http://127.0.0.1:{web_server.port}/api/schema", headers={"Accept": "application/json"})
    assert document.status_code == 200
    (tmp_path / "openapi.json").write_text(json.dumps(document.json()))
    (tmp_path / "generator.yaml").write_text("post_hooks: []\n")
    name = "generated_tarneeb_client"
    made = subprocess.run(
        [
            *(sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning"),
            *("--path", tmp_path / "openapi.json", "--config", tmp_path / "generator.yaml"),
            *("--output-path", tmp_path / "generated" / name),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    monkeypatch.syspath_prepend(tmp_path / "generated")
    yield name
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


def test_a_generated_client_plays_a_whole_match(web_server: WebServer, generated: str) -> None:
    def part(path: str) -> Any:
        return importlib.import_module(f"{generated}.{path}")

    models = part("models")
    _, key = create_key(tenant=create_tenant(name="north"))
    with part("client").AuthenticatedClient(base_url=f"http://127.0.0.1:{web_server.port}", token=key) as client:
        play_a_match(part, models, client)


def play_a_match(part: Any, models: Any, client: Any) -> None:
    """Open it, play it to its end, read what is kept of it."""
    body = models.CreateMatchBody.from_dict({"variant": "classic", "target": 31, "players": list(CAST)})
    match = part("api.matches.create_match").sync(client=client, body=body, idempotency_key="opens")
    assert isinstance(match, models.MatchAnswer)

    get_match, submit_action = part("api.matches.get_match").sync, part("api.matches.submit_action").sync
    refused = submit_action(
        match.id, client=client, body=models.Pass(models.PassType.PASS), x_player=CAST[(match.turn.seat + 1) % 4]
    )
    assert (type(refused), refused.code) == (models.Problem, "not_your_turn")

    while match.turn is not None:
        player = CAST[match.turn.seat]
        seen = get_match(match.id, client=client, x_player=player)
        assert isinstance(seen, models.MatchAnswer)
        action = timid(models, seen)
        done = submit_action(
            match.id, client=client, body=action, x_player=player, idempotency_key=f"move {seen.version}"
        )
        assert isinstance(done, models.ActionAnswer), done
        assert done.events[0].data.seat == seen.turn.seat
        match = done.match
    assert match.status == models.MatchAnswerStatus.COMPLETED
    assert max(match.result.totals) >= 31

    page = part("api.matches.list_events").sync(match.id, client=client, after=match.version - 2)
    assert [type(event) for event in page.events][-1] is models.MatchWonEvent
    sheet = part("api.matches.get_sheet").sync(match.id, client=client)
    assert [team.signed for team in sheet.teams] == match.result.totals


def timid(models: Any, seen: Any) -> Any:
    """The first legal action, but never a bid above another's: so the match comes to an end."""
    actions = seen.you.legal_actions
    passing = [action for action in actions if isinstance(action, models.Pass)]
    return passing[0] if passing and seen.hand.highest_bid is not None else actions[0]
