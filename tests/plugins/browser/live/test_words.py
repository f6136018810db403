"""A person answers in words: a page gets them, the agent gets a name."""

import asyncio

import pytest

from .test_control import invited

pytestmark = pytest.mark.anyio
QUESTION = "Which code is in your mail?"


async def asked(caller, person, text=QUESTION):
    call = asyncio.create_task(caller("live", text=text))
    told = await person.viewer.next("place", lambda told: told["ask"])
    return call, told["ask"]


async def reply(person, text):
    await person.viewer.send(type="reply", place=person.place, text=text)


def name_in(answer):
    name = answer.partition("{{")[2].partition("}}")[0]
    assert name.startswith("answer_")
    return name


@pytest.mark.parametrize("words", [" 471 193 ", "AB3-CX", "a rather long answer"])
async def test_an_answer_is_filled_in_and_not_told(caller, person, words):
    origin = caller.site.rstrip("/")
    call, ask = await asked(caller, person)
    assert (ask["text"], ask["words"]) == (QUESTION, True)
    await reply(person, words)
    answer = await call
    name = name_in(answer)
    assert answer == (
        f"The person answered: {{{{{name}}}}}. Fill in that name, braces included, on {origin}:"
        " it is for no other site."
    )
    value = " ".join(words.split())
    filled = await caller("fill", selector="#a", value=f"{{{{{name}}}}}")
    assert value not in filled
    assert await caller.run("a.value.length") == len(value)
    assert await caller("evaluate", text=f"a.value === {value!r}") == "true"
    for script in ("a.value", "a.value.split('').join(' ')", "'(' + a.value + ')'"):
        shown = await caller("evaluate", text=script)
        assert value not in shown
        if script != "a.value.split('').join(' ')" or len(value) < 8:
            assert f"{{{{{name}}}}}" in shown
    assert value not in await caller("snapshot")
    assert all(value not in str(event) for event in person.viewer.said)


async def test_an_answer_is_for_the_origin_of_the_page(caller, person):
    call, _ = await asked(caller, person)
    await reply(person, "471193")
    name = name_in(await call)
    elsewhere = caller.site.replace("127.0.0.1", "localhost")
    await caller("navigate", url=f"{elsewhere}/form")
    error = await caller.fails("fill", selector="#a", value=f"{{{{{name}}}}}")
    assert error.code == "secret"
    assert f"'{name}' is not for" in str(error)
    assert "471193" not in str(error)


async def test_what_could_not_be_masked_is_refused_and_may_be_answered_again(caller, person):
    call, _ = await asked(caller, person)
    for words in ("", "yes", "a - b - c", "a\x00bcd"):
        await reply(person, words)
        refused = await person.viewer.next("refused")
        person.viewer.said.remove(refused)
        assert "too short to be kept secret" in refused["text"]
    assert not call.done()
    await reply(person, "4711")
    assert "{{answer_" in await call


async def test_a_request_takes_no_words(caller, person):
    call, ask = await asked(caller, person, "Please log in")
    assert ask["words"] is False
    await reply(person, "471193")
    await person.viewer.send(type="decline", place=person.place, reason="")
    assert await call == "The person declined."


async def test_a_short_word_is_masked_alone_and_not_in_other_words(caller, person):
    call, _ = await asked(caller, person)
    await reply(person, "tree")
    name = name_in(await call)
    shown = await caller("evaluate", text="'a tree in a street, TREE-house'")
    assert shown == f'"a {{{{{name}}}}} in a street, TREE-house"'


async def test_a_client_answers_in_words(caller):
    _, inviting = invited(caller, "471193")
    answer = await inviting("live", text=QUESTION)
    assert "{{answer_" in answer
    assert "471193" not in answer
    _, inviting = invited(caller, "no")
    assert "too short" in await inviting("live", text=QUESTION)
