"""The tenant's own names for its players: what is taken, and where it is refused."""

import unicodedata

from tarneeb_service.http.errors import FieldError, Invalid

LONGEST_EXTERNAL_ID = 64
RULE = (
    f"A player's id is 1 to {LONGEST_EXTERNAL_ID} printable characters in Unicode's NFC form, no space at either end."
)


def external_id_error(external_id: object, field: str) -> FieldError | None:
    """What is wrong with `external_id` as the value of `field`, None if nothing is.

    Taken: 1 to 64 printable characters (letters, marks, digits, punctuation, symbols, the plain space inside), in NFC.
    Not taken: control and invisible characters, other spaces, unassigned code points. Nothing is changed silently: two
    spellings that a tenant keeps apart must not become one player here, nor one spelling two.
    """
    if not isinstance(external_id, str):
        return FieldError(field, "wrong_type", RULE)
    if not external_id:
        return FieldError(field, "blank", RULE)
    if len(external_id) > LONGEST_EXTERNAL_ID:
        return FieldError(field, "too_long", RULE)
    if not external_id.isprintable() or external_id != external_id.strip():
        return FieldError(field, "unprintable", RULE)
    if not unicodedata.is_normalized("NFC", external_id):
        return FieldError(field, "not_normalized", RULE)
    return None


def check_external_id(external_id: str, field: str = "player") -> None:
    """Raises `Invalid` on `field` for an id that is not taken."""
    error = external_id_error(external_id, field)
    if error is not None:
        raise Invalid(error)
