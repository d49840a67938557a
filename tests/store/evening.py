"""An evening of many matches, in which anything may happen."""

from random import Random
from uuid import UUID

from matches import services
from matches.engine import VARIANTS, turn_of
from matches.engine.errors import RuleViolation
from matches.engine.room import Room
from matches.refusals import StreamNotFound
from tests.tables import House, Table, open_table


class Evening:
    """Many matches and whatever may happen to them."""

    def __init__(self, at: House, seed: int) -> None:
        self.at = at
        self.random = Random(seed)
        self.tables: list[Table] = []
        self.followers: dict[UUID, UUID] = {}

    def happen(self) -> None:
        """One thing; what the rules refuse does not happen."""
        table = self.random.choice(self.tables) if self.tables else None
        try:
            if table is None or self.random.random() < 0.15:
                self.open(table)
            else:
                self.random.choice(
                    [self.play, self.play, self.play, self.sit, self.sit, self.leave, self.replace, self.abandon,
                     self.void, self.adjust]
                )(table)  # fmt: skip
        except (RuleViolation, StreamNotFound):
            pass

    def open(self, previous: Table | None) -> Table:
        """A new match with some of the seats taken, perhaps following another."""
        players = [player if self.random.random() < 0.8 else None for player in self.at.four]
        room = Room(
            turn_seconds=self.random.choice([None, 30]),
            visibility=self.random.choice(["private", "tenant", "public"]),
            spectator_delay_seconds=self.random.choice([0, 60]),
        )
        table = open_table(
            self.at,
            self.random.choice(list(VARIANTS)),
            room=room,
            players=players,
            previous_match=None if previous is None else previous.match_id,
        )
        if previous is not None:
            self.followers.setdefault(previous.match_id, table.match_id)
        self.tables.append(table)
        return table

    def play(self, table: Table) -> None:
        """A few moves."""
        if turn_of(table.state) is not None:
            table.play(self.random.randint(1, 25), self.random)

    def sit(self, table: Table) -> None:
        """Somebody takes a seat, the tenant's doing or their own."""
        seat, player = self.random.randrange(4), self.random.choice([*self.at.four, self.at.salma])
        table.took(
            services.take_seat(
                match_id=table.match_id,
                tenant_id=table.tenant_id,
                seat=seat,
                player=player,
                entropy=self.random.choice([None, "a word of mine"]),
                by_tenant=self.random.random() < 0.5,
            )
        )
        table.seated[seat] = player

    def leave(self, table: Table) -> None:
        """The tenant frees a seat."""
        seat = self.random.randrange(4)
        table.took(services.leave_seat(match_id=table.match_id, tenant_id=table.tenant_id, seat=seat, player=None))
        table.seated[seat] = None

    def replace(self, table: Table) -> None:
        """A substitute comes in."""
        seat, player = self.random.randrange(4), self.random.choice([self.at.salma, self.at.omar])
        table.took(
            services.substitute_player(match_id=table.match_id, tenant_id=table.tenant_id, seat=seat, player=player)
        )
        table.seated[seat] = player

    def abandon(self, table: Table) -> None:
        """The tenant gives a match up, not too often."""
        if self.random.random() < 0.3:
            table.took(
                services.abandon_match(match_id=table.match_id, tenant_id=table.tenant_id, reason="انقطع الاتصال")
            )

    def void(self, table: Table) -> None:
        """A moderator voids a match, not too often."""
        if self.random.random() < 0.2:
            table.took(services.void_match(match_id=table.match_id, tenant_id=table.tenant_id, reason="two accounts"))

    def adjust(self, table: Table) -> None:
        """A moderator changes the score."""
        points = (self.random.randint(-20, 20), self.random.randint(-20, 20))
        table.took(
            services.adjust_score(
                match_id=table.match_id, tenant_id=table.tenant_id, points=points, reason="a late card"
            )
        )
