"""Messages of pages under a person's control: nobody else hears of them, then or later."""

import json

import pytest

from tests.support.waiting import becomes, eventually

from .watcher import Person, watching

pytestmark = pytest.mark.anyio
CANARY = "canary-4711"
REPEATS = """a.type = 'password'; a.oninput = () => { const said = a.value; document.title = said;
alert(said); history.replaceState(0, '', '/form?said=' + said); window.open('/says?said=' + said);
window.open('/says?said=' + said + '2').close(); const link = document.createElement('a');
link.href = 'data:text/plain,' + said; link.download = said + '.txt'; link.click(); }; 0"""


async def test_what_pages_say_and_where_they_go_is_told_to_nobody(caller, link, caplog):
    await caller.open("/form")
    await caller.run(REPEATS)
    async with watching(await link()) as viewer, watching(await link()) as other:
        person = Person(viewer, await viewer.open())
        await other.open()
        await viewer.picture()
        await person.order("take", "held")
        await person.click(200, 120)
        await person.do("text", text=CANARY)
        await eventually(lambda: len(person.now["pages"]) == 2)
        during = [await caller(each) for each in ("list_pages", "console", "network", "status")]
        during.append(str(await caller.fails("console", target_id="t99999")))
        assert CANARY not in "".join(during)
        assert "a person has it in hand" in during[0]
        await person.do("go", to="url", url=f"{caller.site}/form/{CANARY}")
        await becomes(lambda: person.now["pages"][0]["url"], f"{caller.site}/form/{CANARY}")
        await person.do("go", to="url", url=f"{caller.site}/")
        await becomes(lambda: person.now["pages"][0]["url"], f"{caller.site}/")
        await person.order("give", "agent")
        popup = next(page["id"] for page in person.now["pages"] if not page["current"])
        after = [await caller(each) for each in ("snapshot", "console", "network", "text")]
        after += [await caller(each, target_id=popup) for each in ("console", "network")]
        assert CANARY not in "".join(after)
        told = [each for each in other.said if not _is_state_after(each, other)]
        assert CANARY not in json.dumps(told)
        assert CANARY not in caplog.text


def _is_state_after(message, viewer):
    """Whether it is how the pages are now, where the agent has them again."""
    return message["type"] == "place" and message["state"] == "agent"


async def test_who_might_not_see_a_page_is_shown_it_when_they_may(caller, link):
    """The page rests meanwhile, so that nothing else draws it."""
    await caller.open("/form")
    async with watching(await link()) as viewer, watching(await link()) as other:
        first, second = Person(viewer, await viewer.open()), Person(other, await other.open())
        await viewer.picture()
        await other.picture()
        await first.order("take", "held")
        await becomes(lambda: second.now["holder"], "other")
        seen = len(other.pictures)
        await first.order("give", "agent")
        await other.picture(seen + 1)
