"""Options of `strap sanity` that start nothing."""

import socket

import pytest


@pytest.fixture(autouse=True)
def no_socket(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a socket is opened")

    monkeypatch.setattr(socket.socket, "bind", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_the_real_set_wants_a_confirmation(sanity):
    ran = sanity("--set", "real", "--model", "openai/gpt-5-mini")
    assert ran.status == 2
    assert "SANITY_REAL_CONFIRM=1" in ran.err
    ran = sanity("--set", "real", SANITY_REAL_CONFIRM="yes")
    assert ran.status == 2
    assert ran.bundle is None


def test_the_real_set_wants_a_real_model(sanity, monkeypatch):
    monkeypatch.delenv("STRAP_MODEL", raising=False)
    ran = sanity("--set", "real", "--model", "scripted", SANITY_REAL_CONFIRM="1")
    assert (ran.status, "local site alone" in ran.err) == (2, True)
    ran = sanity("--set", "real", SANITY_REAL_CONFIRM="1")
    assert (ran.status, "--model PROVIDER/MODEL" in ran.err) == (2, True)


def test_what_is_there_is_listed(sanity):
    ran = sanity("--list", "-k", "total")
    assert [line.split()[0] for line in ran.out.splitlines()] == [
        "judge-total-bug",
        "judge-total-fixed",
    ]
    assert sanity("--set", "real", "--list").status == 0
    assert sanity("-k", "moon").status == 5


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--set", "moon"), "is not a valid set"), (("--model", "gpt"), "is not a valid model")],
)
def test_bad_words_are_refused(sanity, words, said):
    ran = sanity(*words)
    assert (ran.status, said in ran.err, ran.bundle) == (2, True, None)


def test_a_model_that_cannot_be_asked_is_told_once(sanity):
    ran = sanity("--model", "moon/rock")
    assert (ran.status, ran.out, ran.whole.get("scenarios", [])) == (3, "", [])
    assert ran.err.startswith("strap: Unknown model provider 'moon' in 'moon/rock'.")
    assert len(ran.err.splitlines()) == 1
