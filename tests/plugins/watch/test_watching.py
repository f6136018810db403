"""Reports of a watch: changes, not noise; and states that are no change."""

import json
import resource
import signal
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from click.testing import CliRunner

from strap import ActionError, Caller, PolicyDenied, UsageError
from strap_watch.commands import watch as command
from strap_watch.notifying import check_words, matters, number
from strap_watch.store import MOST_CHANGES, Watches
from strap_watch.watching import open_web, run, seconds
from tests.site.server import Reply

pytestmark = pytest.mark.anyio
NEWS = "".join(f"<p>Paragraph {word} tells of the {word} in some length.</p>" for word in
               ("harbour", "lantern", "meadow", "violin", "orchard"))  # fmt: skip


def noisy(n, news=NEWS):
    return (
        f"<h1>News</h1><p>Updated at {n}:0{n} by the editors of the page</p>{news}"
        f"<p>{n}{n} people are reading this page now</p><p>Written {n} hours ago by Ada.</p>"
        f"<p>More <a href='https://a.example/about?sid={n}f3a'>about us</a> and the house.</p>"
    )


def shop(*rows, n=0):
    cells = "".join(
        f"<li class=item><a href='/i/{name}'>{name}</a> <b class=price>{price} EUR</b> "
        f"<i class=views>{n + 3} views</i></li>"
        for name, price in rows
    )
    return f"<ul>{cells}</ul>"


ROWS = (("oak", 10), ("elm", 12), ("ash", 14), ("fir", 16))


async def test_what_changes_by_itself_is_learnt_and_told_in_words(lab):
    watch = await lab.add(noisy(1), noisy(2))
    assert watch.rules == [
        {"like": "Updated at * by the editors of the page"},
        {"like": "* people are reading this page now"},
    ]
    assert await lab.look(noisy(7)) == []
    [change] = await lab.look(noisy(8, NEWS.replace("the meadow in", "the red meadow in")))
    assert (change["kind"], change["to"].count("red meadow")) == ("changed", 1)
    assert await lab.look(noisy(9)) != []
    assert await lab.look(noisy(4)) == []


async def test_a_slot_whose_words_are_all_new_is_a_rule_by_its_neighbours(lab):
    def page(ad, news="Paragraph violin tells of it."):
        return f"<p>First of all things here.</p><p>{ad}</p><p>{news}</p><p>Last of all here.</p>"

    watch = await lab.add(page("Buy copper now"), page("Drink more milk"))
    [rule] = watch.rules
    assert (rule["after"], rule["before"], rule["most"]) == (
        "First of all things here.", "Paragraph violin tells of it.", 1,
    )  # fmt: skip
    assert await lab.look(page("Fly to the moon")) == []
    assert await lab.look(page("Fly to the moon", "Paragraph of another thing.")) != []
    texts = ["First of all things here.", "Fly to the moon", "New.", "More.", "Last."]
    await lab.look("".join(f"<p>{text}</p>" for text in texts))
    texts[1] = "Sleep on wool"
    assert await lab.look("".join(f"<p>{text}</p>" for text in texts)) == []
    del texts[3]
    texts[1] = "Paint it blue"
    [change] = await lab.look("".join(f"<p>{text}</p>" for text in texts))
    assert (change["kind"], change["text"]) == ("gone", "More.")
    await lab.look(page("Paint it blue"))
    kinds = {each["kind"] for each in await lab.look(page("Eat", "Paragraph violin tells of two."))}
    assert "changed" in kinds or {"gone", "added"} <= kinds


async def test_rows_are_told_by_key_in_any_order(lab):
    fields = {
        "mode": "rows",
        "selector": ".item",
        "fields": "name: a\nprice: .price\nviews: .views",
    }
    watch = await lab.add(shop(*ROWS), shop(*ROWS, n=5), **fields)
    assert (watch.key, watch.rules) == ("name", [{"column": "views"}])
    assert await lab.look(shop(*ROWS[::-1], n=9)) == []
    other = (("oak", 10), ("elm", 9), ("ash", 14), ("yew", 20))
    found = {each["row"]: each for each in await lab.look(shop(*other))}
    assert {row: each["kind"] for row, each in found.items()} == {
        "elm": "changed", "yew": "added", "fir": "gone",
    }  # fmt: skip
    assert found["elm"]["cells"] == {"price": ["12 EUR", "9 EUR"]}
    assert matters(found["elm"], "price < 10")
    assert not matters(found["yew"], "price < 10")


async def test_a_check_tells_when_it_no_longer_holds(lab):
    await lab.add("<p>Sold out, sorry to say so.</p>", mode="check", check="sold out")
    assert await lab.look("<p>Still sold out, and we are sorry.</p>") == []
    [change] = await lab.look("<p>Buy it as long as there are some.</p>")
    assert change["cells"] == {"holds": ["yes", "no"]}


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        (Reply(status=429, body="slow down"), "429: too many requests"),
        (Reply(status=401, body="who?"), "login wall"),
        (Reply(status=302, headers={"Location": "/login"}), "login wall"),
        (Reply(body="<main><h1>Sign in</h1><p>Password</p></main>"), "login wall"),
        (Reply(body="<main><p>Please verify you are human</p></main>"), "bot wall"),
        (Reply(body="<main></main>"), "empty page"),
        (Reply(status=500, body="oops"), "HTTP status 500"),
        (Reply(body="<main><p>Parked.</p><p>Buy this domain.</p></main>"), "another page"),
    ],
)
async def test_what_is_not_the_page_is_a_state_and_no_change(lab, reply, state):
    watch = await lab.add(noisy(1), noisy(2))
    lab.reply = reply
    [told] = await lab.look()
    assert (told["kind"], told["from"]) == ("state", "ok")
    assert told["to"].startswith(state)
    assert watch.next_at > watch.looked_at + watch.every
    assert await lab.look() == []  # it is told once
    lab.reply = None
    [back] = await lab.look(noisy(3))
    assert (back["kind"], back["to"]) == ("state", "ok")


async def test_a_page_that_robots_txt_forbids_cannot_be_watched(lab):
    lab.robots = Reply(body="User-agent: *\nDisallow: /")
    with pytest.raises(ActionError, match="cannot be watched: robots"):
        await lab.add(noisy(1), noisy(2))
    assert [each.path for each in lab.site.requests] == ["/robots.txt"]


async def test_the_tool_tells_of_watches_and_their_last_changes(lab):
    watch = await lab.add(noisy(1), noisy(2), notify="webhook:https://a.example/?key=k")
    await lab.look(noisy(3, NEWS.replace("lantern in", "old lantern in")))
    ask = {"resource": "http", "action": "watch"}
    listed = await lab.web(**ask)
    assert listed.text.splitlines()[0] == "1 watched, 1 shown."
    assert watch.id in listed.text
    told = await lab.web(**ask, url=watch.url)
    assert "changed: Paragraph lantern" in told.text
    [change] = told.data["watches"][0]["changes"]
    assert "old lantern" in change["to"]
    assert "key=k" not in told.text + str(told.data) + str(listed.data)
    with pytest.raises(UsageError, match="is not watched"):
        await lab.web(**ask, url=f"{lab.site}/other")
    with pytest.raises(PolicyDenied):
        await lab.web.call(ask, caller=Caller(transport="http", principal="ci"))


async def test_robots_txt_that_forbids_a_watched_page_later_is_a_state(lab):
    watch = await lab.add(noisy(1), noisy(2))
    lab.robots = Reply(body="User-agent: *\nDisallow: /")
    async with open_web(replace(lab.config, home=lab.home / "next day")) as lab.web:
        [told] = await lab.look()
        assert (told["kind"], told["to"]) == ("state", "robots")
        assert watch.items != []


def visits(lab):
    return [each.path for each in lab.site.requests if each.path == "/page"]


@pytest.mark.parametrize("asked", ["7200", "date", "soon", "-1"])
async def test_a_host_that_asks_for_a_pause_gets_it_for_all_its_pages(lab, asked):
    watches = [await lab.add(noisy(1), noisy(2), every=60) for _ in range(3)]
    after = format_datetime(datetime.now(UTC) + timedelta(hours=2)) if asked == "date" else asked
    lab.reply = Reply(status=429, headers={"Retry-After": after}, body="slow down")
    for watch in watches:
        watch.next_at = 0
        lab.watches.save(watch)
    before = len(visits(lab))
    for _ in range(3):
        await run(lab.web, lab.watches, lab.told.append, once=True)
    assert len(visits(lab)) == before + 1
    [slowed] = [each for each in lab.watches.all() if each.is_slowed]
    pause = slowed.next_at - slowed.looked_at
    assert pause == pytest.approx(7_200 if asked in ("7200", "date") else 120, abs=3)
    assert not slowed.is_due(slowed.looked_at + pause - 5)


async def test_a_full_disk_loses_no_change(lab):
    """A file may have no byte: the change is told at the next look that can be kept."""
    watch = await lab.add(noisy(1), noisy(2))
    kept = (lab.home / "watches" / watch.id / "watch.json").read_bytes()
    whole = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, whole[1]))
    try:
        await lab.look(noisy(3, NEWS.replace("lantern in", "old lantern in")))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, whole)
    assert "Cannot write" in lab.told[-1]
    assert (lab.home / "watches" / watch.id / "watch.json").read_bytes() == kept
    lab.watch = lab.watches.find(watch.id)
    [change] = await lab.look(noisy(4, NEWS.replace("lantern in", "old lantern in")))
    assert "old lantern" in change["to"]


async def test_thousands_of_watches_are_listed_without_what_they_saw(lab):
    """Each file is read once, and again when it is another one."""
    watch = await lab.add(noisy(1), noisy(2))
    [brief] = lab.watches.all()
    assert (brief.id, brief.items, brief.url) == (watch.id, [], watch.url)
    assert lab.watches.all()[0] is brief
    assert lab.watches.read(brief).items == watch.items
    watch.state = "other"
    lab.watches.save(watch)
    assert lab.watches.all()[0].state == "other"
    lab.watches.remove(watch)
    assert lab.watches.all() == []
    assert lab.watches.read(brief) is None


async def test_of_ten_thousand_watches_those_that_are_due_are_looked_at(lab):
    """Items of the others are not kept in memory meanwhile."""
    watch = await lab.add(noisy(1), noisy(2))
    due = {0, 2_501, 5_000, 7_501}
    for n in range(10_000):
        url = f"{lab.site.replace('127.0.0.1', 'localhost') if n % 2 else lab.site}/page?n={n}"
        times = {"looked_at": watch.looked_at - 4_000, "next_at": watch.looked_at - 400}
        more = times if n in due else {}
        other = replace(watch, id=f"{n:018x}", url=url, page_url=url, **more)
        file = lab.watches.root / other.id / "watch.json"
        file.parent.mkdir()
        file.write_text(json.dumps(asdict(other)))  # `save` waits for the disk each time
    lab.watches.remove(watch)
    lab.bodies, before, fresh = [noisy(3)], len(visits(lab)), Watches(lab.home)
    assert len(known := fresh.all()) == 10_000
    assert not any(each.items for each in known)
    for _ in range(2):
        await run(lab.web, fresh, lab.told.append, once=True)
        assert len(visits(lab)) == before + len(due)
    assert lab.told == []
    listed = await lab.web(resource="http", action="watch")
    assert listed.text.splitlines()[0] == "10000 watched, 20 shown."


async def test_an_unchanged_page_is_one_304(lab):
    lab.reply = Reply(
        headers={"ETag": '"same"', "Cache-Control": "max-age=999"}, body=f"<main>{noisy(1)}</main>"
    )
    await lab.add("")
    before = len(lab.site.requests)
    assert await lab.look() == []
    [asked] = lab.site.requests[before:]
    assert asked.headers["if-none-match"] == '"same"'


async def test_nothing_is_kept_of_a_page_that_cannot_be_seen(lab):
    lab.reply = Reply(status=403, body="no")
    with pytest.raises(ActionError, match="cannot be watched: forbidden"):
        await lab.add("")
    assert lab.watches.all() == []


async def test_changes_are_notified_once_and_again_after_a_failure(lab, tmp_path):
    file = tmp_path / "told.jsonl"
    script = f"import sys; open({str(file)!r}, 'a').write(sys.stdin.read())"
    watch = await lab.add(noisy(1), noisy(2), notify=f'command:{sys.executable} -c "{script}"')
    await lab.look(noisy(3, NEWS.replace("lantern in", "old lantern in")))
    assert [json.loads(line)["kind"] for line in file.read_text().splitlines()] == ["changed"]
    watch.notify = f"webhook:{lab.site}/none"
    await lab.look(noisy(3))
    assert watch.pending == [2]
    assert "answered with status 404" in lab.told[-1]
    watch.notify = f"file:{file}"
    assert await lab.look(noisy(3)) == []
    assert (watch.pending, len(file.read_text().splitlines())) == ([], 2)


async def test_history_is_bounded_and_a_removed_watch_stays_removed(lab):
    watch = await lab.add(noisy(1), noisy(2))
    for n in range(MOST_CHANGES + 5):
        lab.watches.note(watch, {"kind": "state", "at": n, "from": "a", "to": "b"})
    assert len(lab.watches.changes(watch)) == MOST_CHANGES
    lab.watches.remove(watch)
    await lab.look(noisy(3, ""))
    assert lab.watches.all() == []


async def test_a_clock_that_jumps_stops_no_watch(lab):
    watch = await lab.add(noisy(1), noisy(2))
    assert not watch.is_due(watch.looked_at + 60)
    assert watch.is_due(watch.next_at)
    assert watch.is_due(watch.looked_at - 365 * 86_400)
    await run(lab.web, lab.watches, lab.told.append, once=True)
    with lab.watches.alone(), pytest.raises(ActionError, match="is at work"):
        await run(lab.web, Watches(lab.home), lab.told.append, once=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,204.50 €", 1204.5), ("1.204,50", 1204.5), ("12,99", 12.99), ("1,204", 1204), ("x", None)],
)
def test_numbers_are_read_as_people_write_them(text, value):
    assert number(text) == value


def test_bad_words_are_refused():
    for when, way in (("price", ""), ("", "mail:me"), ("", "file:")):
        with pytest.raises(UsageError):
            check_words(when, way)
    for every in ("", "h", "0s", "1y", "nan", "1e9d"):
        with pytest.raises(UsageError):
            seconds(every)
    assert seconds("15m") == 900


async def test_the_command_lists_shows_and_removes(lab):
    watch = await lab.add(noisy(1), noisy(2))
    await lab.look(noisy(3, NEWS.replace("lantern in", "old lantern in")))
    home = f"--home={lab.home}"
    listed = CliRunner().invoke(command, ["list", home]).output
    assert watch.id in listed
    assert "1 changes" in listed
    shown = CliRunner().invoke(command, ["show", watch.id, home]).output
    assert "ignored: " in shown
    assert "old lantern" in shown
    assert "Removed" in CliRunner().invoke(command, ["remove", watch.id, home]).output
    assert Watches(lab.home).all() == []
