"""Masked fields are told by nothing; values that are not drawn are no text of the page."""

import pytest

from strap import ActionError

pytestmark = pytest.mark.anyio

WORD = "Tr0ub4dor"
FIELD = f"<input class=p type=password aria-label=Password value={WORD}>"
DOTS = "<style>.p { -webkit-text-security: disc }</style>"
DISC = f"{DOTS}<input class=p aria-label=Pin value={WORD}>"
PLACES = {
    "page": FIELD,
    "label": f"<label>Password {FIELD}</label>",
    "shadow root": "<div id=host></div>",
    "frame": f"<iframe srcdoc='{FIELD}'></iframe>",
    "combobox": FIELD.replace("class", "role=combobox class"),
    "style sheet": DISC,
    "style sheet, area": DISC.replace("<input", "<textarea").replace(
        f" value={WORD}>", f">{WORD}</textarea>"
    ),
    "placeholder": FIELD.replace("value", "placeholder=Yours value"),
}


@pytest.mark.parametrize("place", PLACES)
async def test_no_answer_has_what_a_field_masks(page, place):
    await page.show(f"<h1>Log in</h1>{PLACES[place]}<p>Below</p>")
    if place == "shadow root":
        inner = f"host.attachShadow({{ mode: 'open' }}).innerHTML = {FIELD!r}"
        await page("evaluate", text=f"{inner}, 0")
    frame = "iframe >> " if place == "frame" else ""
    answers = [
        await page("text", value="plain"),
        await page("text", value="plain", selector=f"{frame}.p"),
        await page("snapshot", text=WORD),
        await page("snapshot"),
        await page("text"),
        await page("text", selector=f"{frame}.p"),
        await page("press", selector=f"{frame}.p", key="Control+A"),
        await page("press", selector=f"{frame}.p", key="End"),
    ]
    with pytest.raises(ActionError) as waited:
        await page("wait", text=WORD, timeout=1.5)
    answers.append(str(waited.value))
    for answer in answers:
        asked = answer.replace(f"'{WORD}'", "")
        assert WORD not in asked
        assert "it is drawn" not in answer


async def test_what_is_typed_into_such_a_field_is_not_told(page):
    await page.show(DISC.replace(WORD, "Old"))
    told = [await page("fill", selector=".p", value=WORD), await page("snapshot")]
    told.append(await page("type", selector=".p", text="-more"))
    assert not any(WORD in each or "-more" in each for each in told), told


async def test_a_password_that_its_page_shows_is_a_text(page):
    await page.show(
        f"{FIELD}<button onclick=\"document.querySelector('.p').type='text'\">Show</button>"
    )
    assert WORD not in await page("text", value="plain")
    await page("click", selector="button")
    assert WORD in await page("text", value="plain")


UNDRAWN = {
    "button": "<button aria-label=Save value=internal_42>S</button>",
    "checkbox": "<input type=checkbox aria-label=Agree value=internal_42>",
    "radio": "<input type=radio aria-label=Agree value=internal_42>",
    "select": "<select aria-label=Town><option value=internal_42>Rome</select>",
    "range": "<input type=range aria-label=Volume max=999 value=742>",
    "hidden": "<input type=hidden aria-label=Key value=internal_42>",
    "list": "<ol><li aria-label=Item value=742>Item</ol>",
    "progress": "<progress aria-label=Done max=1000 value=742></progress>",
    "placeholder": "<input aria-label=Name placeholder=internal_42 value=Ada>",
}


@pytest.mark.parametrize("kind", UNDRAWN)
async def test_a_value_that_is_not_drawn_is_no_text(page, kind):
    await page.show(f"<h1>Form</h1>{UNDRAWN[kind]}")
    assert "42" not in (await page("text", value="plain")).replace("742. Item", "")
    with pytest.raises(ActionError):
        await page("wait", text="internal_42", timeout=1.2)


async def test_what_fields_draw_is_a_text(page):
    await page.show(
        "<input aria-label=A value=one><input placeholder=two><textarea>three</textarea>"
        "<input type=submit value=four><select><option>five</select>"
        "<input type=password aria-label=six placeholder=seven>"
    )
    told = await page("text", value="plain")
    for word in ("one", "two", "three", "four", "five", "six", "seven"):
        assert word in told
        assert "is there" in await page("wait", text=word)
