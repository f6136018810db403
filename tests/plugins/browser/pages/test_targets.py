"""Elements named in the words of a snapshot: exactly one fits, or it is told which come near."""

import json

import pytest

from .conftest import engine_of, ref_in

pytestmark = pytest.mark.anyio
SAYS = "onclick='said.textContent = this.dataset.says || this.textContent'"
SHOP = f"""<title>Shop</title><p id=said role=status></p>
<table><tr><th>Tool</th><th></th></tr>
<tr><td>Rake</td><td><button {SAYS} data-says="one rake">Add</button></td></tr>
<tr><td>Spade</td><td><button {SAYS} data-says="one spade">Add</button></td></tr></table>
<ul><li>Ada <a href="#ada">Edit</a></li><li>Bob <a href="#bob">Edit</a></li></ul>
<form aria-label=Login><input aria-label=E-mail name=login_mail><button {SAYS}>Send</button></form>
<form aria-label=News><input aria-label=E-mail name=news_mail><button {SAYS}>Send</button></form>
<button id=place-order {SAYS} data-says="ordered">Order</button>
<button data-cy=checkout {SAYS} data-says="out">Pay</button>
<div data-testid=plain style="width:90px;height:20px" {SAYS} data-says="a plain box"></div>
<button {SAYS} data-says=quoted>Say &quot;hi&quot;*</button>
<button {SAYS} data-says=long>{"word " * 2_000}</button>
<button {SAYS} data-says=marked>\u202eRight\u200f to left</button>
<button {SAYS}>More</button><button {SAYS} data-says="second more">More</button>"""


@pytest.fixture
def page(one_page):
    return one_page


async def shows(page, serve_site, html, **more):
    """Open a page that shows this."""
    site = serve_site({"/": f"<!doctype html><meta charset=utf-8>{html}", **more})
    return await page("navigate", url=str(site))


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ('button "Add" in row "Rake"', "one rake"),
        ('button "Add" in row "Spade"', "one spade"),
        ('button "Add" in row "Spa*"', "one spade"),
        ('button "Add" 2 of 2', "one spade"),
        ('button "Order"', "ordered"),
        ("#place-order", "ordered"),
        ("button #place-order", "ordered"),
        ("testid:checkout", "out"),
        ("testid:plain", "a plain box"),
        ('button "Say \\"hi\\"\\u002a"', "quoted"),
        ('button "word word*"', "long"),
        ('button "\u202eRight\u200f to left"', "marked"),
        ('button "More" 2 of 2', "second more"),
        ('"Order"', "ordered"),
        ('@button "Order"', "ordered"),
    ],
)
async def test_the_one_that_fits_is_clicked(page, serve_site, target, said):
    await shows(page, serve_site, SHOP)
    assert f"status: {said}" in await page("click", ref=target)


@pytest.mark.parametrize(
    ("target", "field"),
    [
        ('textbox "E-mail" in form "News"', "news_mail"),
        ('textbox "E-mail" field:login_mail', "login_mail"),
        ("field:news_mail", "news_mail"),
    ],
)
async def test_fields_are_filled_by_the_form_that_they_are_in(page, serve_site, target, field):
    await shows(page, serve_site, SHOP)
    await page("fill", ref=target, value="ada@example.org")
    held = f"document.querySelector('[name={field}]').value"
    assert await page.run(held) == "ada@example.org"


async def test_the_answer_tells_a_ref_that_means_the_same(page, serve_site):
    await shows(page, serve_site, SHOP)
    answer = await page("click", ref='button "Add" in row "Spade"')
    ref = ref_in(answer, 'button "Add"').rstrip(".")
    await page("click", ref='button "Order"')
    assert "one spade" in await page("click", ref=ref)


async def test_none_fits_and_the_nearest_are_told_with_refs(page, serve_site):
    await shows(page, serve_site, SHOP)
    error = await page.fails("click", ref='button "Ordr"')
    assert error.code == "not_found"
    assert str(error).startswith('No element is button "Ordr". Nearest: button "Order" e')
    ref = ref_in(str(error), 'button "Order"').rstrip(",.")
    assert "ordered" in await page("click", ref=ref)


async def test_several_fit_and_each_is_told_with_what_tells_it_apart(page, serve_site):
    await shows(page, serve_site, SHOP)
    error = await page.fails("click", ref='button "Add"')
    assert error.code == "ambiguous"
    assert str(error).startswith('2 elements are button "Add". One of: button "Add" e')
    assert ' in row "Rake"; button "Add" e' in str(error)
    assert ' in row "Spade".' in str(error)
    assert await page.run("said.textContent") == ""


async def test_what_tells_links_of_a_list_apart_is_what_is_said_in_the_entry(page, serve_site):
    await shows(page, serve_site, SHOP)
    error = str(await page.fails("click", ref='link "Edit"'))
    assert 'in listitem "Ada"' in error
    assert 'in listitem "Bob"' in error
    await page("click", ref='link "Edit" in listitem "Bob"')
    assert await page.run("location.hash") == "#bob"


SPANS = "<span>Spade</span> <span>1</span>"


@pytest.mark.parametrize(
    "inside",
    [SPANS, "<p>Spade</p><p>1</p>", f"<b>{SPANS}</b>", "<i>Spade</i><p><b>1</b></p>"],
)
@pytest.mark.parametrize("target", ['clickable "Spade 1"', 'clickable "Spade 1*"'])
async def test_what_says_several_texts_is_found_by_all_that_it_says(
    page, serve_site, inside, target
):
    label = f"<div style='cursor:pointer' onclick='document.title = 1'>{inside}</div>"
    shown = await shows(page, serve_site, f"<title>0</title><p>1</p>{label}")
    assert 'clickable "Spade 1"' in shown
    await page("click", ref=target)
    assert await page.run("document.title") == "1"


async def test_equal_ones_are_told_by_their_place_and_the_count_must_hold(page, serve_site):
    await shows(page, serve_site, SHOP)
    assert " 1 of 2; " in str(await page.fails("click", ref='button "More"'))
    error = await page.fails("click", ref='button "More" 2 of 3')
    assert error.code == "not_found"


async def test_two_elements_with_the_same_test_id(page, serve_site):
    await shows(
        page, serve_site, "<button data-testid=x>One</button><a href=#a data-testid=x>Two</a>"
    )
    error = await page.fails("click", ref="testid:x")
    assert error.code == "ambiguous"
    assert 'button "One"' in str(error)
    assert 'link "Two"' in str(error)
    assert "Clicked" in await page("click", ref="button testid:x")


async def test_what_nobody_sees_is_not_meant(page, serve_site):
    hidden = "<button style='display:none'>Go</button><button style='opacity:0'>Go</button>"
    await shows(page, serve_site, f"{hidden}<p id=said role=status></p><button {SAYS}>Go</button>")
    assert "status: Go" in await page("click", ref='button "Go"')


async def test_shadow_roots_open_and_closed(page, serve_site):
    html = """<p id=said role=status></p><x-box></x-box><script>
    customElements.define('x-box', class extends HTMLElement { connectedCallback() {
      for (const mode of ['open', 'closed']) {
        const host = document.createElement('div'); this.append(host);
        host.attachShadow({ mode }).innerHTML =
          `<button data-testid=${mode} onclick="said.textContent='${mode}'">In ${mode}</button>`;
      } } });</script>"""
    await shows(page, serve_site, html)
    assert "status: open" in await page("click", ref='button "In open"')
    assert "status: closed" in await page("click", ref="testid:closed")


FRAMED = """<button onclick="parent.postMessage('{0}', '*')" data-testid=pay>Pay</button>"""
FRAMES = """<p id=said role=status></p><script>onmessage = (e) => said.textContent = e.data</script>
<iframe title=Payment src=/one></iframe><iframe name=second src=/two></iframe>
<section aria-label=Box><iframe src=/three></iframe></section>"""


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ('button "Pay" in frame "Payment"', "one"),
        ('button "Pay" in iframe "Payment"', "one"),
        ('button "Pay" in frame "second"', "two"),
        ('button "Pay" in frame "/three"', "three"),
        ('button "Pay" in region "Box"', "three"),
        ('testid:pay in frame "Payment"', "one"),
    ],
)
async def test_frames_by_title_name_and_address(page, serve_site, target, said):
    routes = {f"/{name}": FRAMED.format(name) for name in ("one", "two", "three")}
    await shows(page, serve_site, FRAMES, **routes)
    await page.until("Pay")
    assert f"status: {said}" in await page("click", ref=target)
    error = await page.fails("click", ref='button "Pay" in frame "gone"')
    assert error.code == "not_found"


async def test_several_in_frames_are_told_apart_by_these(page, serve_site):
    routes = {f"/{name}": FRAMED.format(name) for name in ("one", "two", "three")}
    await shows(page, serve_site, FRAMES, **routes)
    error = str(await page.fails("click", ref='button "Pay"'))
    assert 'in frame "Payment"' in error
    assert 'in region "Box"' in error


async def test_dialogs(page, serve_site):
    html = f"""<p id=said role=status></p><button {SAYS} data-says=page>Save</button>
    <dialog open aria-label=Account><form aria-label=Login>
    <button type=button {SAYS} data-says=dialog>Save</button></form></dialog>"""
    await shows(page, serve_site, html)
    target = 'button "Save" in form "Login" in dialog "Account"'
    assert "status: dialog" in await page("click", ref=target)
    wrong = 'button "Save" in dialog "Account" in form "Login"'
    assert (await page.fails("click", ref=wrong)).code == "not_found"


async def test_every_field_ref_takes_one(page, serve_site):
    html = f"""{SHOP}<select aria-label=Size><option>S<option>L</select>
    <div role=group aria-label=Area style="height:50px;overflow:auto"><div style="height:900px">
    </div></div>"""
    await shows(page, serve_site, html)
    shown = await page("snapshot", ref='form "Login"')
    assert "E-mail" in shown
    assert "Order" not in shown
    assert "E-mail" not in await page("text", ref='row "Rake"')
    await page("select", ref='combobox "Size"', value="L")
    await page("hover", ref='button "Order"')
    await page("press", ref='button "Order"', key="Enter")
    assert await page.run("said.textContent") == "ordered"
    name = await page.result("evaluate", ref="testid:checkout", text="(e) => e.textContent")
    assert name.data["result"] == "Pay"
    assert (await page.result("screenshot", ref='button "Order"')).images
    await page("scroll", ref='group "Area"', text="down")


async def test_drag_to_a_target(page, serve_site):
    html = """<p id=said role=status></p><div draggable=true
    ondragstart="event.dataTransfer.setData('text', 'x')"
    role=button tabindex=0 aria-label=Card>Card</div>
    <div role=group aria-label=Done ondragover="event.preventDefault()"
    ondrop="said.textContent='dropped'" style="height:80px">Done</div>"""
    await shows(page, serve_site, html)
    answer = await page("drag", ref='button "Card"', value='group "Done"')
    assert "dropped" in answer


async def test_wait_for_what_comes_and_goes(page, serve_site):
    html = """<button onclick="setTimeout(() => { late.innerHTML = '<button>Later</button>';
    this.remove() }, 300)">Begin</button><div id=late></div>"""
    await shows(page, serve_site, html)
    await page("click", ref='button "Begin"')
    assert 'button "Later" is there' in await page("wait", ref='button "Later"', timeout=5)
    assert "is gone" in await page("wait", ref='button "Begin"', value="gone", timeout=5)
    error = await page.fails("wait", ref='button "Never"', timeout=1)
    assert error.code == "timeout"
    assert 'button "Never"' in str(error)


async def test_what_changed_before_is_told_all_the_same(page, serve_site):
    await shows(page, serve_site, "<button>Nothing</button><p id=out>Before</p>")
    ref = ref_in(await page("snapshot"), 'button "Nothing"')
    for number, target in enumerate((ref, 'button "Nothing"')):
        await engine_of(page).evaluate(f"out.textContent = 'Meanwhile {number}'")
        assert f"Meanwhile {number}" in await page("click", ref=target), target


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        ("the button", "is not a ref"),
        ('button "Add', "neither a ref nor a target"),
        ('bouton "Add"', "not a valid role"),
    ],
)
async def test_what_is_neither_a_ref_nor_a_target(page, serve_site, ref, said):
    await shows(page, serve_site, SHOP)
    assert said in str(await page.fails("click", ref=ref))


async def test_a_target_with_a_value_that_css_would_read(page, serve_site):
    value = 'a"]\\ *{}\n'
    await shows(page, serve_site, "<button>Odd</button>")
    await page.run(f"document.querySelector('button').dataset.testid = {json.dumps(value)}; 0")
    assert "Clicked" in await page("click", ref=f"testid:{json.dumps(value)}")


async def test_large_pages(page, serve_site):
    rows = "".join(f"<tr><td>Row {n}<td><button {SAYS}>Do</button>" for n in range(3_000))
    await shows(page, serve_site, f"<p id=said role=status></p><table>{rows}</table>")
    assert "Clicked" in await page("click", ref='button "Do" in row "Row 2800"')
    assert (await page.fails("click", ref='button "Do"')).code == "ambiguous"


async def test_what_nobody_sees_is_told_as_such(page, serve_site):
    login = "<label>Name <input></label>"
    away = "position:absolute;left:-9999px;height:0;overflow:hidden"
    await shows(page, serve_site, f"<div style='{away}'>{login}</div><p>Name</p><input>")
    told = await page("fill", ref='textbox "Name"', value="Ada")
    assert told.splitlines()[-1] == "It is invisible: no visible element fits."
    await shows(page, serve_site, f"<div style='{away}'>{login}</div>{login}")
    assert "invisible" not in await page("fill", ref='textbox "Name"', value="Ada")
