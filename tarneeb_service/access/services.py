"""Tenants, keys, moderators and players: every change to them. Keyword-only."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID, uuid4

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from tarneeb_service.access.errors import TenantNameTaken, UnacceptableValue, UsernameTaken
from tarneeb_service.access.external_ids import check_external_id, external_id_error
from tarneeb_service.access.models import ApiKey, Moderator, ModeratorToken, Player, Tenant, User
from tarneeb_service.access.principals import SCOPES, PlayerRef
from tarneeb_service.access.scopes import written_scopes
from tarneeb_service.access.selectors import external_ids, known_player
from tarneeb_service.access.tokens import issue_token
from tarneeb_service.http.errors import Invalid

__all__ = [
    "create_key",
    "create_moderator",
    "create_tenant",
    "erase_player",
    "external_ids",
    "issue_moderator_token",
    "known_player",
    "player_for",
    "players_for",
    "revoke_key",
    "revoke_moderator_token",
]

LONGEST_NAME = 80


def create_tenant(*, name: str) -> Tenant:
    """A new tenant. Raises `TenantNameTaken`, `UnacceptableValue`."""
    if not (1 <= len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()):
        raise UnacceptableValue(f"A tenant's name is 1 to {LONGEST_NAME} printable characters.")
    try:
        with transaction.atomic():
            return Tenant.objects.create(name=name)
    except IntegrityError:
        raise TenantNameTaken(name) from None


def create_key(
    *, tenant: Tenant, scopes: Iterable[str] = SCOPES, expires_at: datetime | None = None
) -> tuple[ApiKey, str]:
    """A new key and its secret text, which nothing can show again. Raises `UnacceptableValue`."""
    _check_expiry(expires_at)
    issued = issue_token("tk")
    key = ApiKey.objects.create(
        tenant=tenant,
        prefix=issued.prefix,
        hash=issued.hash,
        scopes=written_scopes(scopes),
        expires_at=expires_at,
    )
    return key, issued.text


def revoke_key(*, key: ApiKey) -> None:
    """From now on the key is refused. Revoking again changes nothing, least of all the time."""
    ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=timezone.now())
    key.refresh_from_db(fields=["revoked_at"])


def create_moderator(
    *, tenant: Tenant, username: str, password: str, role: str = Moderator.Role.MODERATOR
) -> tuple[Moderator, str]:
    """A user who moderates this tenant's matches, and the text of a first token.

    Raises `UsernameTaken`, `UnacceptableValue`.
    """
    if role not in Moderator.Role.values:
        raise UnacceptableValue(f"A moderator's role is one of {', '.join(Moderator.Role.values)}.")
    if not (username and password):
        raise UnacceptableValue("A moderator has a user name and a password.")
    try:
        with transaction.atomic():
            user = User.objects.create_user(username=username, password=password)
            moderator = Moderator.objects.create(user=user, tenant=tenant, role=role)
            _, text = issue_moderator_token(moderator=moderator)
    except IntegrityError:
        raise UsernameTaken(username) from None
    return moderator, text


def issue_moderator_token(*, moderator: Moderator, expires_at: datetime | None = None) -> tuple[ModeratorToken, str]:
    """Another token and its secret text, which nothing can show again. Raises `UnacceptableValue`."""
    _check_expiry(expires_at)
    issued = issue_token("mt")
    token = ModeratorToken.objects.create(
        moderator=moderator, prefix=issued.prefix, hash=issued.hash, expires_at=expires_at
    )
    return token, issued.text


def revoke_moderator_token(*, token: ModeratorToken) -> None:
    """From now on the token is refused."""
    ModeratorToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
    token.refresh_from_db(fields=["revoked_at"])


def _check_expiry(expires_at: datetime | None) -> None:
    if expires_at is not None and expires_at.tzinfo is None:
        raise UnacceptableValue("The time of expiry needs a zone.")


def player_for(*, tenant_id: UUID, external_id: str, field: str = "player") -> PlayerRef:
    """The tenant's player, made if this is the first that the service hears of them.

    Raises `Invalid` on `field` for an id that is not taken. Reads first: the usual player is known, and nothing is
    written.
    """
    check_external_id(external_id, field)
    known = known_player(tenant_id=tenant_id, external_id=external_id)
    return _made(tenant_id, [external_id])[external_id] if known is None else PlayerRef(known, external_id)


def players_for(*, tenant_id: UUID, external_ids: Iterable[str], field: str = "players") -> dict[str, PlayerRef]:
    """Several players by external id, in one query if all are known.

    Raises `Invalid` naming each unacceptable id, as `players.2`.
    """
    asked = list(external_ids)
    found = (external_id_error(external_id, f"{field}.{place}") for place, external_id in enumerate(asked))
    errors = [error for error in found if error is not None]
    if errors:
        raise Invalid(*errors)
    players = _known(tenant_id, asked)
    missing = [external_id for external_id in asked if external_id not in players]
    return players | _made(tenant_id, missing) if missing else players


def _known(tenant_id: UUID, external_ids: list[str]) -> dict[str, PlayerRef]:
    rows = Player.objects.filter(tenant_id=tenant_id, external_id__in=external_ids).values_list("external_id", "ref")
    return {external_id: PlayerRef(ref, external_id) for external_id, ref in rows if external_id is not None}


def _made(tenant_id: UUID, external_ids: list[str]) -> dict[str, PlayerRef]:
    # In one order, so that two requests that make the same players cannot wait for each other. One that loses the race
    # gets no row back, and finds the winner's in a new statement.
    wanted = sorted(set(external_ids))
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO access_player (ref, tenant_id, external_id, created_at)"
            " SELECT ref, %s, external_id, now() FROM unnest(%s::uuid[], %s::varchar[]) AS new (ref, external_id)"
            " ON CONFLICT (tenant_id, external_id) DO NOTHING RETURNING external_id, ref",
            [tenant_id, [uuid4() for _ in wanted], wanted],
        )
        made = {external_id: PlayerRef(ref, external_id) for external_id, ref in cursor.fetchall()}
    lost = [external_id for external_id in wanted if external_id not in made]
    return made | _known(tenant_id, lost) if lost else made


def erase_player(*, ref: UUID) -> None:
    """Forget who the player was. What they did stays, under a reference that leads to nobody."""
    Player.objects.filter(ref=ref).update(external_id=None)
