"""How secrets look."""

import hashlib

import pytest

from tarneeb_service.access.tokens import issue_token, read_token


def test_a_secret_has_256_bits_and_only_its_hash_is_kept() -> None:
    issued = issue_token("tk")
    kind, prefix, secret = issued.text.split("_", 2)
    assert (kind, prefix) == ("tk", issued.prefix)
    assert len(secret) == 43  # base64 of 32 bytes
    assert issued.hash == hashlib.sha256(secret.encode()).digest()
    assert secret not in issued.prefix


def test_no_two_secrets_are_alike() -> None:
    issued = [issue_token("mt") for _ in range(200)]
    assert len({token.prefix for token in issued}) == len({token.text for token in issued}) == 200


def test_a_secret_is_read_back_with_its_hash() -> None:
    for kind in ("tk", "mt"):
        issued = issue_token(kind)
        assert read_token(issued.text) == (kind, issued.prefix, issued.hash)


GOOD = "tk_abcdefghijkl_" + "s" * 43


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tk_",
        "tk_abcdefghijkl",
        "tk__" + "s" * 43,
        GOOD[:-1],
        GOOD + "s",
        GOOD + "\n",
        " " + GOOD,
        GOOD.upper(),
        GOOD.replace("tk_", "xx_"),
        GOOD.replace("s", "é"),
        GOOD + ", Bearer " + GOOD,
    ],
)
def test_other_texts_are_no_secrets(text: str) -> None:
    assert read_token(GOOD) is not None
    assert read_token(text) is None
