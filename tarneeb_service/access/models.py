"""Who may ask. No event and no other table refers to a player's external id: erasing it here erases it everywhere."""

from uuid import UUID, uuid4

import uuid_utils.compat
from django.contrib.auth.models import AbstractUser
from django.db import models

from tarneeb_service.access.external_ids import LONGEST_EXTERNAL_ID


def uuid7() -> UUID:
    """A new id that sorts by time."""
    return uuid_utils.compat.uuid7()


class User(AbstractUser):
    """Somebody who can sign in to the console."""


class Tenant(models.Model):
    """A customer of the service: a mobile backend with its own players and matches."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=80, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Credential(models.Model):
    """A secret of 256 bits, of which only the SHA-256 is kept, found by its public prefix.

    `last_used` is a day, not a moment: so that using a credential writes once a day.
    """

    prefix = models.CharField(max_length=16, unique=True)
    hash = models.BinaryField(max_length=32)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used = models.DateField(null=True, blank=True)

    class Meta:
        abstract = True


class ApiKey(Credential):
    """A tenant's key (`tk_…`). `scopes` are words with spaces between."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="keys")
    scopes = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"tk_{self.prefix}"


class Player(models.Model):
    """One player of a tenant. `ref` is random and all that anything else knows; `external_id` is None once erased."""

    ref = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="players")
    external_id = models.CharField(max_length=LONGEST_EXTERNAL_ID, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["tenant", "external_id"], name="access_player_once_a_tenant"),)

    def __str__(self) -> str:
        return str(self.ref)


class Moderator(models.Model):
    """A user who may look into the matches of one tenant."""

    class Role(models.TextChoices):
        """What a moderator may do; the roles' rights are those of the views that ask for them."""

        MODERATOR = "moderator"
        SENIOR = "senior"
        AUDITOR = "auditor"

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="moderator")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="moderators")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.MODERATOR)

    def __str__(self) -> str:
        return f"{self.user} of {self.tenant}"


class ModeratorToken(Credential):
    """A moderator's token (`mt_…`) for the API."""

    moderator = models.ForeignKey(Moderator, on_delete=models.CASCADE, related_name="tokens")

    def __str__(self) -> str:
        return f"mt_{self.prefix}"
