"""Relations of elements, by ids or by the properties that scripts set."""

import re

import pytest

pytestmark = pytest.mark.anyio
OPTIONS = "<p role=option id=a>Pear</p><p role=option id=b>Plum</p>"
KEYS = "{}<div id=l role=listbox aria-label=Fruit>{}</div><script>{}</script>"
BY_ID = "f.setAttribute('aria-activedescendant', (f.n = !f.n) ? 'a' : 'b')"
BY_PROPERTY = "f.ariaActiveDescendantElement = (f.n = !f.n) ? a : b"


@pytest.mark.parametrize("moves", [BY_ID, BY_PROPERTY], ids=["id", "property"])
async def test_what_the_keys_are_for_in_what_has_the_focus(one_page, serve_site, moves):
    """The option that is active, as `aria-activedescendant` says (WAI-ARIA 1.2, 5.2.2)."""
    field = "<input id=f role=combobox aria-label=Find aria-expanded=true>"
    body = KEYS.format(field, OPTIONS, f"f.onkeydown = () => {{ {moves} }}")
    await one_page("navigate", url=serve_site({"/": body}))
    first = await one_page("press", selector="#f", key="ArrowDown")
    assert re.search(r'~ option "Pear" e\d+ active$', first)
    then = await one_page("press", key="ArrowDown")
    assert re.search(r'~ option "Pear" e\d+\n~ option "Plum" e\d+ active$', then)
    await one_page("evaluate", text="f.blur()")
    assert "active" not in await one_page("snapshot")


async def test_what_a_script_names_by_properties(one_page, serve_site):
    """As the interface `ARIAMixin` lets it, without ids."""
    body = (
        "<input id=f><b id=n>Name</b><button id=g style=margin:250px>Go</button><p id=d hidden>Tip"
        "<script>f.ariaLabelledByElements = [n], g.ariaDescribedByElements = [d]</script>"
    )
    assert 'textbox "Name" e' in await one_page("navigate", url=serve_site({"/": body}))
    assert (await one_page("hover", selector="#g")).endswith('Described as "Tip".')


async def test_fields_of_a_form_that_hide_what_it_refers_to(one_page, serve_site):
    """A form makes a list of two fields with one name."""
    hides = "<input name=ariaLabelledByElements>"
    for fields in (hides, hides + hides):
        body = f"<form aria-labelledby='' tabindex=0>{fields}<button>Go</button></form>"
        shown = await one_page("navigate", url=serve_site({"/": body}))
        assert 'button "Go" e' in shown


@pytest.mark.parametrize("owner", ["<b role=button {}></b>", "<a href=# {}></a>"])
async def test_what_turns_the_pages_of_a_table_does_not_own_its_rows(one_page, owner):
    turn = owner.format("title='Next page' aria-owns=t")
    await one_page.show(f"<table id=t><tr><td>Ada</table><p>{turn}</p>")
    shown = (await one_page("snapshot")).splitlines()
    assert shown[1] == "table row: Ada"
    assert '"Next page"' in shown[2]
