"""The public API as its documents describe it, in memory, over the real engine: what the demo table meets in tests."""

import hashlib
import random
from collections.abc import Callable
from typing import Any

import httpx
import msgspec

from matches.engine import (
    SeatViewer,
    Spectator,
    autoplay,
    decide,
    evolve,
    rules_for,
    sheet,
    turn_of,
    visible_event,
    visible_state,
)
from matches.engine.cards import DECK
from matches.engine.commands import (
    SYSTEM,
    AbandonMatch,
    Actor,
    Command,
    CreateMatch,
    Deal,
    PlayerAction,
    StartMatch,
    TakeSeat,
)
from matches.engine.errors import InvalidRules, RuleViolation
from matches.engine.events import Event, HandDealt, HandScored
from matches.engine.room import Room
from matches.engine.state import Dealing, State
from matches.engine.visibility import Viewer

KEY = "tk_demo_secret"
MATCH = "01890000-0000-7000-8000-000000000001"
BASE_URL = "http://testserver"

Fault = Callable[[httpx.Request], httpx.Response | None]


class FakeServer:
    """One tenant, one match. `seed` chooses the deals.

    `before` may answer a request in the server's place or raise a transport error; `after` sees a request that was
    carried out and may do the same, so that its answer is lost. With `deals_late` a new hand is dealt only when the
    match is looked at a second time, with `never_deals` not even then. Without `conditional`, `If-None-Match` means
    nothing. Versions in `hidden_versions` are missing from the log.
    """

    def __init__(
        self, seed: int = 1, *, deals_late: bool = False, never_deals: bool = False, conditional: bool = True
    ) -> None:
        self.before: Fault = lambda _request: None
        self.after: Fault = lambda _request: None
        self.requests: list[httpx.Request] = []
        self.log: list[Event] = []
        self.state: State | None = None
        self.players: list[str] = []
        self.first_dealer = seed % 4
        self._chance = random.Random(seed)
        self._answers: dict[tuple[str, str], tuple[bytes, httpx.Response]] = {}
        self.hidden_versions: set[int] = set()
        self._deals_late = deals_late
        self._never_deals = never_deals
        self._looked_undealt = False
        self._conditional = conditional

    @property
    def transport(self) -> httpx.MockTransport:
        """What to give a client instead of the network."""
        return httpx.MockTransport(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        """The answer to one request."""
        self.requests.append(request)
        response = self.before(request) or self._answer_once(request)
        return self.after(request) or response

    def play_for_the_absent(self) -> None:
        """Let the clock act for whoever is to act, if anybody is."""
        seat = turn_of(self.state) if self.state is not None else None
        if self.state is not None and seat is not None:
            self._apply(Actor("clock", seat), autoplay(self.state))
            self._deal_if_due()

    def abandon(self) -> None:
        """End the match without a winner."""
        self._apply(Actor("tenant"), AbandonMatch("closed"))

    def _answer_once(self, request: httpx.Request) -> httpx.Response:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return _problem(401, "not_authenticated", "The key is not known.")
        key = request.headers.get("Idempotency-Key")
        if request.method != "POST" or key is None:
            return self._route(request)
        scope = (request.headers.get("X-Player", ""), key)
        digest = hashlib.sha256(request.url.raw_path + request.content).digest()
        if scope not in self._answers:
            self._answers[scope] = (digest, self._route(request))
        known, first = self._answers[scope]
        if known != digest:
            return _problem(422, "idempotency_key_reused", "This key came with another request.")
        return httpx.Response(first.status_code, content=first.content, headers=first.headers)

    def _route(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        match_path = f"/api/v1/matches/{MATCH}"
        try:
            if (request.method, path) == ("POST", "/api/v1/matches"):
                return self._create(msgspec.json.decode(request.content))
            if self.state is None or not path.startswith(match_path):
                return _problem(404, "not_found", "There is nothing here.")
            routes: dict[tuple[str, str], Callable[[httpx.Request], httpx.Response]] = {
                ("GET", ""): self._view,
                ("POST", "/actions"): self._act,
                ("GET", "/events"): self._events,
                ("GET", "/sheet"): self._sheet,
            }
            return routes[request.method, path.removeprefix(match_path)](request)
        except InvalidRules as error:
            return _problem(422, error.code, error.detail, **error.explanation())
        except RuleViolation as error:
            status = 409 if error.code in {"not_your_turn", "wrong_phase", "match_over"} else 422
            return _problem(status, error.code, error.detail, **error.explanation())

    def _create(self, body: dict[str, Any]) -> httpx.Response:
        self.players = body.pop("players")
        room = Room(turn_seconds=body.pop("turn_seconds"), visibility=body.pop("visibility"))
        self._apply(SYSTEM, CreateMatch(rules_for(body.pop("variant"), **body), room, "00" * 32))
        for seat, player in enumerate(self.players):
            self._apply(SYSTEM, TakeSeat(seat, player))
        self._apply(SYSTEM, StartMatch(self.first_dealer))
        self._deal_if_due()
        return self._json(201, self._match_document(Spectator()))

    def _act(self, request: httpx.Request) -> httpx.Response:
        if request.headers.get("If-Match", f'"{len(self.log)}"') != f'"{len(self.log)}"':
            return _problem(412, "version_mismatch", "The match has moved on.", current_version=len(self.log))
        seat = self.players.index(request.headers["X-Player"])
        action: PlayerAction = msgspec.json.decode(request.content, type=PlayerAction)
        before = len(self.log)
        self._apply(Actor("player", seat), action)
        if not self._deals_late:
            self._deal_if_due()
        viewer = SeatViewer(seat)
        return self._json(
            201,
            {
                "version": len(self.log),
                "events": self._event_documents(viewer, before, 200),
                "match": self._match_document(viewer),
                "receipt": {"version": len(self.log), "hash": "00"},
            },
        )

    def _view(self, request: httpx.Request) -> httpx.Response:
        if self._deals_late and isinstance(self.state, Dealing):
            if self._looked_undealt:
                self._deal_if_due()
            self._looked_undealt = not self._looked_undealt
        version = f'"{len(self.log)}"'
        if self._conditional and request.headers.get("If-None-Match") == version:
            return httpx.Response(304, headers={"ETag": version})
        return self._json(200, self._match_document(self._viewer(request)), ETag=version)

    def _events(self, request: httpx.Request) -> httpx.Response:
        after, limit = int(request.url.params["after"]), int(request.url.params["limit"])
        documents = self._event_documents(self._viewer(request), after, limit)
        return self._json(200, {"events": documents, "version": len(self.log)})

    def _sheet(self, _request: httpx.Request) -> httpx.Response:
        hands = [event for event in self.log if isinstance(event, HandScored)]
        ledger = sheet(hand.points for hand in hands)
        rows = [
            {
                "hand": hand.hand,
                "declarer_team": hand.declarer % 2,
                "bid": hand.bid,
                "won": hand.won,
                "doubled": hand.doubled,
                "points": hand.points,
                "entries": row.entries,
                "lines": row.lines,
                "debts": row.debts,
            }
            for hand, row in zip(hands, ledger.rows, strict=True)
        ]
        teams = [{"line": team.line, "debt": team.debt, "signed": team.signed} for team in ledger.teams]
        return self._json(200, {"teams": teams, "rows": rows})

    def _apply(self, actor: Actor, command: Command) -> None:
        for event in decide(self.state, actor, command):
            self.state = evolve(self.state, event)
            self.log.append(event)

    def _deal_if_due(self) -> None:
        if isinstance(self.state, Dealing) and not self._never_deals:
            self._apply(SYSTEM, Deal(tuple(self._chance.sample(DECK, 52)), "00" * 16))

    def _viewer(self, request: httpx.Request) -> Viewer:
        player = request.headers.get("X-Player")
        return SeatViewer(self.players.index(player)) if player in self.players else Spectator()

    def _match_document(self, viewer: Viewer) -> dict[str, Any]:
        assert self.state is not None
        seen = visible_state(self.state, viewer)
        document: dict[str, Any] = msgspec.to_builtins(seen)
        turn = document.pop("turn_seat", None)
        seats = [
            {"seat": seat, "player": player, "team": seat % 2, "connected": True, "absent": False, "cards_left": left}
            for seat, (player, left) in enumerate(zip(self.players, seen.cards_left, strict=True))
        ]
        return {
            **document,
            "id": MATCH,
            "version": len(self.log),
            "variant": seen.rules.variant,
            "seats": seats,
            "turn": None if turn is None else {"seat": turn, "since": "", "deadline": None, "seconds_left": None},
            "server_now": "2025-01-01T00:00:00.000000Z",
            "next_match": None,
        }

    def _event_documents(self, viewer: Viewer, after: int, limit: int) -> list[dict[str, Any]]:
        documents = []
        deals = 0
        for version, event in enumerate(self.log, start=1):
            deals += isinstance(event, HandDealt)
            if after < version <= after + limit and version not in self.hidden_versions:
                data = visible_event(event, viewer, deals=deals)
                kind = "".join(f"_{one.lower()}" if one.isupper() else one for one in type(event).__name__)[1:]
                documents.append(
                    {
                        "version": version,
                        "type": kind,
                        "seat": data.get("seat"),
                        "by": "player",
                        "recorded_at": "2025-01-01T00:00:00.000000Z",
                        "data": data,
                    }
                )
        return documents

    def _json(self, status: int, document: object, **headers: str) -> httpx.Response:
        content = msgspec.json.encode(document)
        return httpx.Response(status, content=content, headers={"Content-Type": "application/json", **headers})


def _problem(status: int, code: str, detail: str, **facts: object) -> httpx.Response:
    document = {"type": f"/problems/{code}", "title": code, "status": status, "code": code, "detail": detail, **facts}
    return httpx.Response(status, json=document, headers={"Content-Type": "application/problem+json"})
