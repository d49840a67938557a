"""`/webhooks/{id}/deliveries`: the delivery log in pages, and a delivery once more."""

from uuid import uuid4

import pytest

from matches.webhooks import claims
from matches.webhooks.answers import DeliveryAnswer
from matches.webhooks.attempts import Attempt
from tests.api.callers import House
from tests.api.games import Game
from tests.webhooks.hooks import FAILED, SUCCEEDED, Hook, claimed_until, hook, later, read_until_queued, waiting

NOWHERE = "http://127.0.0.1:9/"


@pytest.fixture
def made(north: House) -> Hook:
    """A webhook whose first delivery has failed, second has arrived, and others wait, of three matches."""
    made = hook(north, NOWHERE, ["match.started"])
    for _ in range(3):
        Game(north)
    read_until_queued(3)
    failed, arrived, _ = claimed_until(3)
    claims.settle(failed, Attempt("refused", 500, "no", None, 12))
    claims.settle(arrived, Attempt(None, 204, "", None, 7))
    return made


def test_the_log_says_what_was_sent_and_what_came_of_it(made: Hook) -> None:
    page = made.house.backend.get(f"{made.path}/deliveries").ok()
    assert set(page) == {"deliveries", "next_cursor"}
    assert page["next_cursor"] is None
    newest, arrived, failed = page["deliveries"]
    assert all(set(each) == set(DeliveryAnswer.__struct_fields__) for each in page["deliveries"])
    assert {each["type"] for each in page["deliveries"]} == {"match.started"}
    assert (failed["status"], failed["attempts"], failed["error"]) == ("waiting", 1, "refused")
    assert (failed["response_status"], failed["response_body"], failed["took_ms"]) == (500, "no", 12)
    assert failed["next_try_at"] > failed["last_attempt_at"]
    assert (arrived["status"], arrived["error"], arrived["response_status"]) == ("delivered", None, 204)
    assert (arrived["next_try_at"], arrived["took_ms"]) == (None, 7)
    assert arrived["delivered_at"] is not None
    assert (newest["status"], newest["attempts"], newest["response_status"]) == ("waiting", 1, None)


def test_the_log_in_pages(made: Hook) -> None:
    whole = made.house.backend.get(f"{made.path}/deliveries").ok()["deliveries"]
    found, cursor = [], ""
    for _ in range(3):
        page = made.house.backend.get(f"{made.path}/deliveries?limit=1{cursor}").ok()
        found += page["deliveries"]
        cursor = f"&cursor={page['next_cursor']}"
    assert (found, page["next_cursor"]) == (whole, None)


def test_the_log_narrowed_to_a_status(made: Hook) -> None:
    for status, count in (("waiting", 2), ("delivered", 1), ("failed", 0)):
        found = made.house.backend.get(f"{made.path}/deliveries?status={status}").ok()["deliveries"]
        assert [each["status"] for each in found] == [status] * count


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("status=lost", {"status": "invalid_choice"}),
        ("cursor=garbage", {"cursor": "invalid"}),
        ("limit=0", {"limit": "out_of_range"}),
        ("limit=201", {"limit": "out_of_range"}),
    ],
)
def test_queries_that_are_refused(made: Hook, query: str, fields: dict[str, str]) -> None:
    assert made.house.backend.get(f"{made.path}/deliveries?{query}").fields() == fields


# Once more


def redeliver(made: Hook, delivery: str, **given: str) -> dict[str, object]:
    """Ask for it."""
    answer: dict[str, object] = made.house.backend.post(f"{made.path}/deliveries/{delivery}/redeliver", **given).ok(202)
    return answer


def test_a_delivered_one_is_sent_again_under_the_same_id(made: Hook) -> None:
    [arrived] = made.log(status="delivered")
    again = redeliver(made, arrived["id"])
    assert (again["id"], again["status"], again["attempts"]) == (arrived["id"], "waiting", 0)
    assert again["next_try_at"] is not None
    later(60)
    assert arrived["id"] in {str(claimed.id) for claimed in claims.claim(9)}


def test_one_that_waits_for_its_next_try_is_tried_now(made: Hook) -> None:
    failed = made.log()[0]
    assert claims.claim(9) == []
    redeliver(made, failed["id"])
    later(0.001)
    assert [str(claimed.id) for claimed in claims.claim(9)] in ([failed["id"]], [])


def test_one_that_waits_for_another_goes_on_waiting(north: House) -> None:
    made = hook(north, NOWHERE)
    Game(north)
    read_until_queued(2)
    [first] = claimed_until(1)
    second = made.log()[1]
    assert redeliver(made, second["id"])["next_try_at"] is None
    assert claims.claim(9) == []
    claims.settle(first, SUCCEEDED)
    assert [str(claimed.id) for claimed in claims.claim(9)] == [second["id"]]


def test_one_that_is_under_way_is_left_alone(north: House) -> None:
    made = hook(north, NOWHERE, ["match.started"])
    Game(north)
    read_until_queued(1)
    [first] = claimed_until(1)
    before = made.log()
    redeliver(made, str(first.id))
    assert made.log() == before
    claims.settle(first, FAILED)
    assert waiting() == 1


def test_a_retried_request_asks_once(made: Hook) -> None:
    [arrived] = made.log(status="delivered")
    path = f"{made.path}/deliveries/{arrived['id']}/redeliver"
    first = made.house.backend.post(path, key="once")
    again = made.house.backend.post(path, key="once")
    assert (again.body, again.replayed) == (first.body, True)


def test_nothing_is_sent_again_to_a_webhook_that_is_disabled(made: Hook) -> None:
    [arrived] = made.log(status="delivered")
    made.change(enabled=False)
    made.house.backend.post(f"{made.path}/deliveries/{arrived['id']}/redeliver").problem(409, "webhook_disabled")


def test_only_its_own_deliveries(made: Hook, south: House) -> None:
    [arrived] = made.log(status="delivered")
    other = hook(made.house, NOWHERE)
    foreign = hook(south, NOWHERE)
    for path in (f"{other.path}/deliveries/{arrived['id']}", f"{made.path}/deliveries/{uuid4()}"):
        made.house.backend.post(f"{path}/redeliver").problem(404, "not_found")
    south.backend.post(f"{foreign.path}/deliveries/{arrived['id']}/redeliver").problem(404, "not_found")
    assert other.log() == []
