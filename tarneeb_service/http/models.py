"""Answers that are kept so that a repeated request gets them again."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models


class IdempotencyAnswer(models.Model):
    """The first answer to a request that carried an Idempotency-Key. Written and read by `idempotency.py` only.

    `id` is a hash over tenant, acting principal and key, so that neither of them is stored. `headers` is a JSON object;
    `body` is exactly what was sent, deflated if `deflated`.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    digest = models.BinaryField(max_length=32)
    status = models.PositiveSmallIntegerField()
    headers = models.TextField()
    body = models.BinaryField()
    deflated = models.BooleanField()
    created_at = models.DateTimeField()

    class Meta:
        db_table = "idempotency_answer"
        # Rows arrive in the order of time and leave in it: a range index costs next to nothing to keep.
        indexes = (BrinIndex(fields=["created_at"], name="idempotency_answer_age"),)

    def __str__(self) -> str:
        return f"{self.status} for {self.id}"
