"""One error of each code that an operation on matches can be answered with: the OpenAPI document's examples."""

from django.core.exceptions import BadRequest
from rest_framework import exceptions as drf

from matches.engine import errors as e
from matches.refusals import StreamNotFound, VersionMismatch
from matches.webhooks import refusals as w
from tarneeb_service.http import errors as h
from tarneeb_service.http.parsing import MAX_BODY_BYTES
from tarneeb_service.http.problems import Problem, problem_for

EVERY = (
    "invalid",
    "bad_request",
    "not_authenticated",
    "key_revoked",
    "token_expired",
    "forbidden",
    "not_acceptable",
    "length_required",
    "body_too_large",
    "throttled",
    "unavailable",
)
"""What any operation may answer."""

WITH_BODY = ("malformed_json", "unsupported_media_type")
CHANGING = ("idempotency_key_reused",)
CONDITIONAL = ("version_mismatch",)

_SAMPLES: dict[str, Exception] = {
    "invalid": h.invalid("target", "out_of_range", "Expected `int` <= 501."),
    "bad_request": BadRequest(),
    "not_authenticated": h.NotAuthenticated("Send a credential: Authorization: Bearer …"),
    "key_revoked": h.KeyRevoked(),
    "token_expired": h.TokenExpired(),
    "forbidden": h.Forbidden("This needs a credential with the scope play.", required_scope="play"),
    "not_acceptable": drf.NotAcceptable(),
    "length_required": h.LengthRequired(),
    "body_too_large": h.BodyTooLarge(MAX_BODY_BYTES),
    "throttled": drf.Throttled(wait=2),
    "unavailable": h.Unavailable(),
    "malformed_json": h.MalformedJson("JSON is malformed: expected ':' (byte 8)."),
    "unsupported_media_type": drf.UnsupportedMediaType("text/plain"),
    "idempotency_key_reused": h.IdempotencyKeyReused(),
    "version_mismatch": VersionMismatch(58),
    "not_found": StreamNotFound(),
    "invalid_rules": e.InvalidRules("doubling", "Doubling belongs to a suit_bids auction."),
    "wrong_phase": e.WrongPhase("auction"),
    "match_not_started": e.MatchNotStarted(),
    "match_over": e.MatchOver(),
    "not_your_turn": e.NotYourTurn(seat=1, turn=0),
    "not_seated": e.NotSeated(),
    "seat_taken": e.SeatTaken(2),
    "seat_empty": e.SeatEmpty(2),
    "already_seated": e.AlreadySeated(0),
    "match_full": e.MatchFull(),
    "bid_out_of_range": e.BidOutOfRange(6),
    "bid_too_low": e.BidTooLow(9, None),
    "already_passed": e.AlreadyPassed(1),
    "must_bid": e.MustBid(),
    "double_not_allowed": e.DoubleNotAllowed("There is no bid to double."),
    "trump_required": e.TrumpRequired(),
    "trump_not_allowed": e.TrumpNotAllowed("NT", "Trump cannot be named so in this match."),
    "card_not_in_holding": e.CardNotInHolding("AS"),
    "must_follow_suit": e.MustFollowSuit("2D", "C"),
    "deals_exhausted": e.DealsExhausted(8192),
    "too_many_webhooks": w.TooManyWebhooks(20),
    "too_many_secrets": w.TooManySecrets(),
    "webhook_disabled": w.WebhookDisabled(),
}


def sample(code: str) -> Problem:
    """A problem of this code, as it would be sent. Raises KeyError for a code that has no sample."""
    error = _SAMPLES[code]
    problem = problem_for(error)
    if problem is None or problem.code != code:
        raise KeyError(f"the sample of {code} is answered otherwise")
    return problem
