"""Refs: found at once, never another element's, healed where that is safe."""

import asyncio
import re

import pytest

from strap_browser.snapshot.refs import Refs, ShownElement

from .conftest import Page, ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


def known(raw, name="A"):
    return ShownElement(node_id=raw, role="button", name=name, url="http://x/")


def test_a_ref_is_never_given_twice():
    refs = Refs()
    first = refs.show(known("one.5"), main="one")
    second = refs.show(known("two.5"), main="two")
    assert (first, second) == ("e1", "e2")
    assert refs.get("e1").node_id == "one.5"
    assert refs.show(known("one.5"), main="one") == "e1"


def test_refs_of_frames_say_so():
    refs = Refs()
    assert refs.show(known("one.5"), main="one") == "e1"
    assert refs.show(known("two.5"), main="one") == "f1e2"
    assert refs.show(known("three.5"), main="one") == "f2e3"
    assert refs.show(known("two.6"), main="one") == "f1e4"


async def test_old_ref_after_navigation(page):
    old = ref_in(await page.open("form.html"), 'button "Submit"')
    await page.open("buttons.html")
    error = await page.fails("click", ref=old)
    assert str(error) == f"ref {old!r} is from before the page changed; take a new snapshot."
    assert error.code == "stale_ref"
    assert f"ref {old!r} is from before" in str(await page.fails("snapshot", ref=old))


async def test_old_ref_never_means_an_element_of_the_new_document(page):
    old = ref_in(await page.open("rerender.html"), 'button "Save"')
    new = await page.open("form.html")
    assert old not in new.split()
    await page.fails("click", ref=old)
    assert "Submitted" not in await page("snapshot")


async def test_node_inserted_before(page):
    ref = ref_in(await page.open("rerender.html"), 'button "Save"')
    await page("evaluate", text="document.querySelector('p').before(document.createElement('hr'))")
    assert "Saved 1" in await page("click", ref=ref)


async def test_replaced_node_is_found_again(page):
    ref = ref_in(await page.open("rerender.html"), 'button "Save"')
    await page("evaluate", text="render(); 0")
    answer = await page("click", ref=ref)
    assert f"The page had replaced {ref}; found it again by role and name." in answer
    assert "Saved 1" in answer


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_what_another_site_puts_into_a_frame_is_something_else(page, serve_site, host):
    pay = "<button onclick=\"this.textContent = 'Paid'\">Pay</button>"
    other = str(serve_site({"/": pay})).replace("127.0.0.1", host)
    around = f"<iframe src=/pay></iframe><a href='{other}/' target=pay>Elsewhere</a>"
    shown = await page("navigate", url=serve_site({"/": around, "/pay": pay}))
    ref = ref_in(shown, 'button "Pay"')
    leave = "document.querySelector('iframe').src"
    await page("evaluate", text=f"{leave} = '/pay?again'; 0")
    await page("wait", value="idle")
    assert "found it again" in await page("click", ref=ref)
    await page("evaluate", text=f"{leave} = '{other}/'; 0")
    await page("wait", value="idle")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"
    assert "Paid" not in await page("snapshot")


async def test_a_frame_of_another_site_does_not_stand_for_what_was_on_the_page(page, serve_site):
    other = serve_site({"/": "<button>Pay</button>"})
    html = f"<button>Pay</button><iframe src='{other}'></iframe>"
    await page("navigate", url=serve_site({"/": html}))
    ref = ref_in(await page("snapshot"), 'button "Pay"')
    await page("evaluate", text="document.querySelector('button').remove()")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"


async def test_reloaded_page(page):
    ref = ref_in(await page.open("rerender.html"), 'button "Save"')
    await page.open("rerender.html")
    assert "found it again" in await page("click", ref=ref)


async def test_replaced_by_another_name(page):
    ref = ref_in(await page.open("rerender.html"), 'button "Save"')
    await page("evaluate", text="render('Delete'); 0")
    assert (await page.fails("click", ref=ref)).code == "stale_ref"
    assert "Saved" not in await page("snapshot")


async def test_replaced_by_two_of_the_name(page):
    ref = ref_in(await page.open("rerender.html"), 'button "Save"')
    await page(
        "evaluate", text="render(); root.append(root.querySelector('button').cloneNode(1)); 0"
    )
    assert (await page.fails("click", ref=ref)).code == "stale_ref"


LIKE = "this.textContent = `Like (${this.count = (this.count || 0) + 1})`"
PLAY = "this.textContent = { Play: 'Pause', Pause: 'Play' }[this.textContent]"


async def shows(page, serve_site, html):
    """Open a page that shows this."""
    return await page("navigate", url=str(serve_site({"/": f"<!doctype html>{html}"})))


@pytest.mark.parametrize(
    ("script", "names"),
    [(LIKE, ["Like (0)", "Like (1)", "Like (2)"]), (PLAY, ["Play", "Pause", "Play"])],
)
async def test_an_element_whose_new_name_was_told_keeps_its_ref(page, serve_site, script, names):
    first, *others = names
    html = f'<button onclick="{script}">{first}</button>'
    ref = ref_in(await shows(page, serve_site, html), f'button "{first}"')
    for name in others:
        assert f'Changed:\n~ button "{name}" {ref}' in await page("click", ref=ref)


async def test_an_element_whose_new_name_was_not_told_is_not_clicked(page):
    ref = ref_in(await page.open("rerender.html"), 'button "Save"')
    later = "setTimeout(() => { root.querySelector('button').textContent = 'Erase all'; }, 300); 0"
    await page("evaluate", text=later)
    await asyncio.sleep(0.5)
    error = await page.fails("click", ref=ref)
    assert error.code == "stale_ref"
    assert str(error) == (
        f'ref {ref!r} is from before the page changed: it is button "Erase all" now;'
        f" use {ref} again if that is meant, or take a new snapshot."
    )
    assert "Saved" not in await page("snapshot")
    assert f'Clicked button "Erase all" {ref}.' in await page("click", ref=ref)


async def test_an_element_that_is_called_the_same_again_keeps_its_ref(page):
    ref = ref_in(await page.open("rerender.html"), 'button "Save"')
    rename = "b = root.querySelector('button'); b.textContent = {!r}; 0"
    await page("evaluate", text=rename.format("Erase all"))
    await page("evaluate", text=rename.format("Save"))
    assert "Saved 1" in await page("click", ref=ref)


async def test_a_name_that_contains_a_field_lasts_while_that_is_filled(page, serve_site):
    html = "<label>Outer <button onclick='document.title = 1'>In</button> <input></label>"
    shown = await shows(page, serve_site, html)
    button, field = ref_in(shown, 'button "Outer"'), ref_in(shown, "textbox")
    await page("fill", ref=field, value="words")
    assert "Clicked button" in await page("click", ref=button)


SAFE = "<title>Safe</title><button onclick='document.title = `KEPT`'>Keep</button>"
DANGER = "<title>Danger</title><button onclick='document.title = `DELETED`'>Delete all</button>"


@pytest.fixture
def two(serve_site):
    popup = "open('/pop', '', 'width=400,height=300')"
    leaving = SAFE + "<script>onblur = null; close_soon = () => setTimeout(close, 200)</script>"
    return serve_site(
        {
            "/": f'{DANGER}<button onclick="{popup}">Sign in</button>',
            "/safe": SAFE,
            "/twin": DANGER,
            "/pop": leaving,
        }
    )


async def test_refs_of_two_pages_are_never_the_same(page, two):
    first = ref_in(await page("navigate", url=f"{two}/"), '"Delete all"')
    await page("new_page")
    second = ref_in(await page("navigate", url=f"{two}/safe"), '"Keep"')
    assert first != second
    closed = (await page("close_page")).split()
    assert closed
    error = await page.fails("click", ref=second)
    assert error.code == "stale_ref"
    assert f'ref {second!r} is button "Keep" on page ' in str(error)
    assert ", which is closed, not on this page" in str(error)
    assert "DELETED" not in await page("list_pages")
    assert "Clicked" in await page("click", ref=first)


async def test_a_ref_of_another_page_names_it_and_works_there(page, two):
    first = ref_in(await page("navigate", url=f"{two}/"), '"Delete all"')
    pages = await page("list_pages")
    await page("new_page")
    await page("navigate", url=f"{two}/safe")
    error = await page.fails("click", ref=first)
    assert error.code == "stale_ref"
    handle = re.search(r"give target_id='(t\d+)'", str(error))[1]
    assert handle in pages
    assert "Clicked" in await page("click", ref=first, target_id=handle)
    await page("close_page")


async def test_nothing_is_found_again_on_another_page_of_the_same_address(page, two):
    first = ref_in(await page("navigate", url=f"{two}/twin"), '"Delete all"')
    await page("new_page")
    await page("navigate", url=f"{two}/twin")
    assert (await page.fails("click", ref=first)).code == "stale_ref"
    assert "DELETED" not in await page("list_pages")
    await page("close_page")


async def test_a_pop_up_that_closes_itself_leaves_its_refs_behind(page, two):
    shown = await page("navigate", url=f"{two}/")
    answer = await page("click", ref=ref_in(shown, '"Sign in"'))
    handle = re.search(r"A new page opened: (t\d+)", answer)[1]
    keep = ref_in(await page("snapshot", target_id=handle), '"Keep"')
    await page("evaluate", text="close_soon()")
    await asyncio.sleep(0.6)
    error = await page.fails("click", ref=keep)
    assert error.code == "stale_ref"
    assert f"page {handle}, which is closed" in str(error)
    assert "DELETED" not in await page("list_pages")


@pytest.mark.parametrize(
    "action", ["hover", "fill", "upload", "screenshot", "scroll", "wait", "drag"]
)
async def test_every_action_refuses_a_ref_of_another_page(page, two, action, outputs):
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "a.txt").write_text("a")
    ref = ref_in(await page("navigate", url=f"{two}/"), '"Delete all"')
    await page("new_page")
    here = ref_in(await page("navigate", url=f"{two}/safe"), '"Keep"')
    fields = {
        "fill": {"value": "x"},
        "type": {"text": "x"},
        "press": {"key": "x"},
        "upload": {"paths": ["a.txt"]},
        "drag": {"value": here},
    }
    error = await page.fails(action, ref=ref, **fields.get(action, {}))
    assert error.code == "stale_ref"
    await page("close_page")


async def test_unknown_ref(page):
    await page.open("form.html")
    assert (await page.fails("click", ref="e999")).code == "unknown_ref"


async def test_what_is_no_ref(page):
    await page.open("form.html")
    error = await page.fails("click", ref="Submit")
    assert str(error).startswith("'Submit' is not a ref.")


@pytest.mark.parametrize("spelling", ["@{}", "[ref={}]", "ref={}", " {} "])
async def test_spellings_of_other_tools(page, spelling):
    ref = ref_in(await page.open("form.html"), 'button "Count"')
    assert "Clicked 1" in await page("click", ref=spelling.format(ref))


async def test_ref_and_selector(page):
    ref = ref_in(await page.open("form.html"), 'button "Count"')
    assert "not both" in str(await page.fails("click", ref=ref, selector="#counter"))


async def test_selectors(page):
    await page.open("form.html")
    assert "Clicked 1" in await page("click", selector="#counter")
    assert (await page.fails("click", selector="#nothing")).code == "not_found"
    assert str(await page.fails("click", selector="button")).startswith(
        "4 elements match 'button'."
    )
    assert (await page.fails("click", selector="<div>")).code == "bad_selector"


@pytest.mark.parametrize(
    ("selector", "hit"),
    [
        ("#two", "two"),
        ("body > button:nth-child(2)", "two"),
        ("button >> nth=1", "two"),
        ("button >> nth=-1", "last"),
        (".pair", "seen"),
        (".pair >> visible=true", "seen"),
        ("button >> visible=true >> nth=2", "seen"),
        ('[title="a >> b"]', "two"),
        ("css=#two", "two"),
        ("text=Two", "two"),
        ("body >> #two", "two"),
        ("text=tw", "two"),
        ('text="Two"', "two"),
        ("text=/^T.o$/", "two"),
        ("body >> text=Two", "two"),
        ('"Two"', "two"),
    ],
)
async def test_kinds_of_selectors(page, selector, hit):
    await page.open("selectors.html")
    assert f"Hit {hit}" in await page("click", selector=selector)


@pytest.mark.parametrize("selector", ["#inner", "#host button", "body #inner", "button >> nth=-1"])
async def test_selectors_reach_into_shadow_roots(page, selector):
    await page.open("selectors.html")
    await page("evaluate", text="hide()")
    assert "Hit inner" in await page("click", selector=selector)


@pytest.mark.parametrize(
    ("selector", "code"),
    [
        ("button", "ambiguous"),
        (":is(button, #two)", "ambiguous"),
        ("text=nowhere", "not_found"),
        ('text="two"', "not_found"),
        ("button >> nth=9", "not_found"),
        ("#two >> nth=x", "bad_selector"),
        ("#two[", "bad_selector"),
        (" >> nth=0", "bad_selector"),
        ("nth=0", "bad_selector"),
        ("visible=true", "bad_selector"),
        ("#unseen", "hidden"),
    ],
)
async def test_selectors_that_do_not_tell(page, selector, code):
    await page.open("selectors.html")
    assert (await page.fails("click", selector=selector)).code == code


@pytest.mark.parametrize(
    ("selector", "near"),
    [
        ("button:has-text('Two')", "button >> text=Two"),
        (":text('Two')", "* >> text=Two"),
        ("#two:visible", "#two >> visible=true"),
        (":nth-match(button, 2)", "button >> nth=1"),
        ("id=two", "#two"),
        ("data-testid=two", '[data-testid="two"]'),
        ("data-test-id=two", '[data-test-id="two"]'),
        ("title='two'", '[title="two"]'),
        ("role=button[name='Two']", ":is(button, [role=button]) >> text=Two"),
        ("role=button >> text=Two", ":is(button, [role=button]) >> text=Two"),
        ("body >> role=button >> nth=1", "body >> :is(button, [role=button]) >> nth=1"),
        ("role=checkbox", ":is(input[type=checkbox], [role=checkbox])"),
        # A label names it, which no CSS finds; what follows means another element.
        ("role=textbox[name='Two']", ""),
        ("label=Two", ""),
        ("getByLabel('Two')", ""),
        ("getByText('One').locator('button')", ""),
        ("page.locator('li').locator('button')", ""),
        ("page.locator('xpath=//button')", ""),
        ("li:has-text('One'):has-text('Two')", ""),
        ("li:visible button:visible", ""),
        ("role=button[name='Two'][pressed]", ""),
        (r"getByText('T\'o')", ""),
        ("page.getByRole('button', { name: 'Two' })", ":is(button, [role=button]) >> text=Two"),
        ('get_by_test_id("two")', '[data-testid="two"]'),
        ("getByText('Two')", "text=Two"),
        ("page.locator('#two')", "#two"),
        ("button:contains('Two')", "button >> text=Two"),
        ('placeholder=Two "2"', r'[placeholder="Two \"2\""]'),
        (":nth-match(button, 0)", ""),
        ("body >> xpath=//button", ""),
        ("//button[@id='two']", ""),
        ("xpath=//button", ""),
        (":is(#two:visible)", ""),
        ("text=", ""),
        ("text=/(/", ""),
        ("a >> ", ""),
    ],
)
async def test_selectors_of_other_tools_are_told_the_nearest_form(page, selector, near):
    await page.open("selectors.html")
    error = await page.fails("click", selector=selector)
    assert error.code == "bad_selector"
    assert f"nearest: {near!r}." in str(error) if near else "nearest" not in str(error)


async def test_a_nearest_form_finds_what_was_meant(page):
    await page.open("selectors.html")
    error = await page.fails("click", selector="getByRole('button', { name: 'Two' })")
    near = re.search(r"nearest: '(.*)'", str(error))[1]
    assert "Hit two" in await page("click", selector=near)


async def test_a_ref_is_no_selector(page):
    await page.open("selectors.html")
    assert "No element matches 'e5'. Give a ref as `ref`." in str(
        await page.fails("click", selector="e5")
    )


async def test_selector_of_an_element_that_is_always_another(page):
    await page.open("selectors.html")
    await page("evaluate", text="restless()")
    for _ in range(5):
        assert "Clicked '#two'." in await page("click", selector="#two")
    assert await page("text", selector="#status") == "Hit two"


async def test_what_is_filled_by_selector_is_known(page):
    await page.open("form.html")
    assert await page("fill", selector="[name=name]", value="Ada") == "Filled '[name=name]'."
    assert "Ada" not in await page("press", key="End")


async def test_only_visible_match_is_meant(page):
    await page.open("overlay.html")
    await page("evaluate", text="uncover(); gone.className = buy.className = 'one'; 0")
    assert "buy:true" in await page("click", selector=".one")


@pytest.fixture
def framed(page, serve_site):
    """A page whose frame holds one button, at the same place in every document."""

    def button(name):
        return f"<h2>Frame</h2><button onclick=\"top.document.title = '{name}'\">{name}</button>"

    routes = {"/": "<title>Outside</title><iframe src=/safe></iframe>"}
    routes |= {f"/{name}": button(name.title()) for name in ("safe", "delete")}
    return Page(page.web, serve_site(routes))


GO = "document.querySelector('iframe').src = '{}'; 0"


@pytest.mark.parametrize("look", ["snapshot", "evaluate", None])
async def test_ref_in_a_frame_that_went_elsewhere_means_no_other_element(framed, look):
    old = ref_in(await framed.open(""), 'button "Safe"')
    asked = "new Promise((done) => { document.querySelector('iframe').onload = () => done(1); "
    gone = await framed("evaluate", text=f"{asked}{GO.format('/delete')} }})")
    assert f'"Delete" {old}' not in gone
    if look:
        seen = await framed(
            look, **({"text": "document.title += '.'"} if look != "snapshot" else {})
        )
        assert f'"Delete" {old}' not in seen
    error = await framed.fails("click", ref=old)
    assert error.code == "stale_ref"
    assert "Delete" not in await framed("evaluate", text="document.title")
    assert (await framed.fails("snapshot", ref=old)).code == "stale_ref"


async def test_ref_in_a_frame_that_loads_again(framed):
    old = ref_in(await framed.open(""), 'button "Safe"')
    await framed(
        "evaluate", text="document.querySelector('iframe').contentWindow.location.reload()"
    )
    assert 'Clicked button "Safe"' in await framed("click", ref=old)
    assert (await framed("evaluate", text="document.title")).startswith('"Safe"')


async def test_an_element_keeps_its_ref_whatever_it_is_called(page, serve_site):
    await page("navigate", url=serve_site({"/": "<button id=a>Play</button><p id=p>x</p>"}))
    first = await page("snapshot")
    await page("evaluate", text="p.before(document.createElement('hr')); p.textContent = 'y'")
    assert first.splitlines()[1] in await page("snapshot")
    changed = await page("evaluate", text="a.textContent = 'Pause'")
    assert f'~ button "Pause" {first.split()[-3]}' in changed


async def test_refs_are_good_again_after_a_way_back(page, serve_site):
    site = serve_site({"/": "<button onclick=\"this.textContent = 'Done'\">Do</button>", "/b": "b"})
    ref = (await page("navigate", url=site)).split()[-1]
    await page("navigate", url=f"{site}/b")
    await page("back")
    assert '"Done"' in await page("click", ref=ref)
