"""Matches played through the services, and what the database holds of them, read past the code under test."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction

from matches import event_store, services
from matches.engine import autoplay, fold, legal_actions, rules_for, turn_of
from matches.engine.commands import Pass, PlaceBid, PlayerAction
from matches.engine.events import Event, HandScored
from matches.engine.room import Room
from matches.engine.rules import Rules
from matches.engine.state import Auction, Over, State
from matches.event_store import Outcome
from matches.services import Origin
from tarneeb_service.access.services import create_tenant, players_for
from tests.cast import CAST, OMAR, SALMA


@dataclass(frozen=True)
class House:
    """A tenant and the references of its players: the four who sit, salma who watches, omar the stranger."""

    tenant_id: UUID
    amal: UUID
    basim: UUID
    carla: UUID
    dina: UUID
    salma: UUID
    omar: UUID

    @property
    def four(self) -> tuple[UUID, UUID, UUID, UUID]:
        """The players in seats 0 to 3."""
        return self.amal, self.basim, self.carla, self.dina


def house(name: str) -> House:
    """A new tenant of this name with its players."""
    tenant = create_tenant(name=name)
    cast = (*CAST, SALMA, OMAR)
    players = players_for(tenant_id=tenant.id, external_ids=cast)
    return House(tenant.id, *(players[external_id].ref for external_id in cast))


@dataclass
class Table:
    """One match and the people at it. `state` is what the last outcome said."""

    match_id: UUID
    tenant_id: UUID
    state: State
    seated: list[UUID | None]
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def version(self) -> int:
        """The version after the last command given here."""
        return self.outcomes[-1].version

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return isinstance(self.state, Over)

    def took(self, outcome: Outcome) -> Outcome:
        """Remember what a command did."""
        self.state = outcome.state
        self.outcomes.append(outcome)
        return outcome

    def act(
        self, action: PlayerAction, *, origin: Origin | None = None, expected: frozenset[int] | None = None
    ) -> Outcome:
        """The seat whose turn it is does this."""
        seat = turn_of(self.state)
        assert seat is not None
        return self.took(
            services.submit_action(
                match_id=self.match_id,
                tenant_id=self.tenant_id,
                player=self.seated[seat],
                command=action,
                origin=origin,
                expected=expected,
            )
        )

    def step(self, random: Random | None = None, **given: Any) -> Outcome:
        """One move: autoplay's, or with `random` some legal one."""
        return self.act(autoplay(self.state) if random is None else some_action(self.state, random), **given)

    def play(self, moves: int, random: Random | None = None) -> None:
        """So many moves, or fewer if the match ends."""
        for _ in range(moves):
            if self.over:
                return
            self.step(random)

    def finish_hand(self) -> Outcome:
        """Autoplay's moves up to and including the card that has the hand scored; what that did."""
        while True:
            outcome = self.step()
            if any(isinstance(entry.event, HandScored) for entry in outcome.events):
                return outcome

    def play_out(self, random: Random | None = None) -> None:
        """Every move to the end."""
        while not self.over:
            self.step(random)


def open_table(
    at: House,
    rules: Rules | str = "classic",
    *,
    room: Room | None = None,
    players: Sequence[UUID | None] | None = None,
    previous_match: UUID | None = None,
) -> Table:
    """A new match, by default with the four seated and the first hand dealt."""
    seated = list(at.four if players is None else players)
    outcome = services.create_match(
        tenant_id=at.tenant_id,
        rules=rules_for(rules) if isinstance(rules, str) else rules,
        room=room or Room(),
        players=seated,
        previous_match=previous_match,
    )
    return Table(outcome.match_id, at.tenant_id, outcome.state, [*seated, *[None] * 4][:4], [outcome])


def some_action(state: State, random: Random) -> PlayerAction:
    """A legal action; in the auction rarely a wild one, so that scores stay near the ground and matches end."""
    seat = turn_of(state)
    assert seat is not None
    actions = legal_actions(state, seat)
    if isinstance(state, Auction) and random.random() < 0.9:
        passes: list[PlayerAction] = [action for action in actions if isinstance(action, Pass)]
        bids = [action for action in actions if isinstance(action, PlaceBid)]
        return random.choice([*passes, *passes, *bids[:2]] or actions)
    return random.choice(actions)


# The log, by plain SQL


class Row(NamedTuple):
    """A row of the log, every column."""

    stream_id: UUID
    version: int
    type: str
    schema_version: int
    actor_kind: str
    seat: int | None
    command_id: UUID
    command_ix: int
    request_digest: bytes | None
    body: str
    prev_hash: bytes
    hash: bytes
    recorded_at: datetime
    xid: int
    pos: int


def stored_rows(match_id: UUID) -> list[Row]:
    """The log of one match."""
    columns = ", ".join(Row._fields).replace("xid", "xid::text::bigint")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM matches_storedevent WHERE stream_id = %s ORDER BY version", [match_id])
        return [Row(*row) for row in cursor.fetchall()]


class Head(NamedTuple):
    """The head of a stream, every column but the tenant's."""

    version: int
    head_hash: bytes
    recorded_at: datetime
    snapshot: str | None
    snapshot_version: int | None


def head_of(match_id: UUID) -> Head:
    """The head as it is stored."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(Head._fields)} FROM matches_stream WHERE id = %s", [match_id])
        return Head(*cursor.fetchone())


def read_rows() -> dict[str, list[dict[str, Any]]]:
    """Both tables of read rows, every column, in the order of their keys."""
    found = {}
    with connection.cursor() as cursor:
        for table, key in (("matches_match", "id"), ("matches_matchseat", "match_id, seat")):
            cursor.execute(f"SELECT * FROM {table} ORDER BY {key}")
            columns = [column.name for column in cursor.description or ()]
            found[table] = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
    return found


def everything_about(match_id: UUID) -> tuple[Any, ...]:
    """All that is stored of a match: to be compared with itself after something that should have stored nothing."""
    rows = read_rows()
    return (
        stored_rows(match_id),
        head_of(match_id),
        [row for row in rows["matches_match"] if row["id"] == match_id],
        [row for row in rows["matches_matchseat"] if row["match_id"] == match_id],
    )


def check_chain(match_id: UUID) -> list[Row]:
    """Assert versions 1..n, every link and every hash, by the definition and not by the code; the rows."""
    rows = stored_rows(match_id)
    assert [row.version for row in rows] == list(range(1, len(rows) + 1))
    previous = bytes(32)
    moment = None
    for row in rows:
        assert row.prev_hash == previous, f"version {row.version} does not follow the one before"
        seat = "" if row.seat is None else str(row.seat)
        since = row.recorded_at - datetime(1970, 1, 1, tzinfo=UTC)
        micros = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
        digest = sha256()
        for part in (
            b"tarneeb/event/1",
            row.prev_hash,
            row.stream_id.bytes,
            f"{row.version}|{row.type}|{row.schema_version}|{row.actor_kind}|{seat}".encode(),
            row.command_id.bytes,
            str(micros).encode(),
            row.body.encode(),
        ):
            digest.update(len(part).to_bytes(4, "big") + part)
        assert row.hash == digest.digest(), f"the hash of version {row.version}"
        assert moment is None or row.recorded_at >= moment
        previous, moment = row.hash, row.recorded_at
    head = head_of(match_id)
    assert (head.version, head.head_hash, head.recorded_at) == (len(rows), previous, moment)
    return rows


def folded(match_id: UUID, upto: int | None = None) -> State:
    """The fold of all stored events, or of the first `upto`, past every cache and snapshot."""
    return fold(events_of(match_id)[:upto])


def events_of(match_id: UUID) -> list[Event]:
    """The stored events."""
    return [entry.event for entry in event_store.events_of(match_id)]


def taken_back(work: Callable[[], object]) -> None:
    """Do this in a transaction that is then rolled back."""
    with transaction.atomic():
        work()
        transaction.set_rollback(True)
