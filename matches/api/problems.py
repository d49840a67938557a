"""The errors of matches in the table of problem documents."""

from collections.abc import Iterator

from matches.engine import errors as e
from matches.refusals import CommandReused, ConcurrentAppend, StreamNotFound, VersionMismatch
from tarneeb_service.http.errors import IdempotencyKeyReused, Unavailable
from tarneeb_service.http.problems import Explanation, explain_as, explain_by_itself, register_problem

RULE_STATUS: dict[type[e.RuleViolation], tuple[int, str]] = {
    e.RuleViolation: (422, "The rules do not allow this"),
    e.InvalidRules: (422, "These rules cannot be combined"),
    e.WrongPhase: (409, "Not in this phase"),
    e.MatchNotStarted: (409, "The match has not started"),
    e.MatchOver: (409, "The match is over"),
    e.NotYourTurn: (409, "Not your turn"),
    e.NotSeated: (403, "Not seated in this match"),
    e.NotAllowed: (403, "Forbidden"),
    e.SeatTaken: (409, "The seat is taken"),
    e.SeatEmpty: (409, "The seat is empty"),
    e.AlreadySeated: (409, "Already seated"),
    e.MatchFull: (409, "The match is full"),
}
"""HTTP status and title of a rule's error; a class that is not here has those of its parent."""


def register() -> None:
    """Called once, when the app is ready."""
    for error in _all_rules(e.RuleViolation):
        status, title = _row(error)
        # What the rules decided, a retry must be told again; `not_seated` is a decision though its status is 403.
        register_problem(error, status, error.code, title, decided=True)
    register_problem(
        VersionMismatch,
        412,
        "version_mismatch",
        "The match has moved on",
        explain=lambda error: Explanation(str(error), {"current_version": error.current}, {}),
    )
    register_problem(StreamNotFound, 404, "not_found", "Not found", explain=explain_as("There is nothing here."))
    register_problem(
        CommandReused,
        422,
        "idempotency_key_reused",
        "Idempotency key reused",
        decided=False,
        explain=lambda _: explain_by_itself(IdempotencyKeyReused()),
    )
    register_problem(
        ConcurrentAppend,
        503,
        "unavailable",
        "Unavailable",
        explain=lambda _: explain_by_itself(Unavailable()),
    )


def _all_rules(error: type[e.RuleViolation]) -> Iterator[type[e.RuleViolation]]:
    yield error
    for kind in error.__subclasses__():
        yield from _all_rules(kind)


def _row(error: type[e.RuleViolation]) -> tuple[int, str]:
    return next(RULE_STATUS[kind] for kind in error.__mro__ if kind in RULE_STATUS)
