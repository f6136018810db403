"""The areas of image maps: links and other places on a picture."""

import pytest

pytestmark = pytest.mark.anyio

PICTURE = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='100'></svg>"
)
MAP = """<!doctype html><title>Map</title><div style="height:{above}px"></div>
<img src="{picture}" width=200 height=100 usemap="#m" alt=Plan style="{style}">
<map name=m>
<area href="#a" alt=Left shape=rect coords="0,0,90,100">
<area href="#b" alt=Right shape=circle coords="150,50,40">
<area href="#c" alt=Wedge shape=poly coords="100,50,110,0,100,20">
<area title=Corner coords="180,80,200,100" onclick="document.title='cornered'">
<area alt=Nothing coords="0,0,1,1">
</map>"""


@pytest.fixture
def shown(one_page, serve_site):
    async def opened(style="", above=0):
        html = MAP.format(picture=PICTURE, style=style, above=above)
        return await one_page("navigate", url=serve_site({"/": html}))

    return opened


async def test_areas_stand_in_their_picture(shown):
    lines = (await shown()).splitlines()[1:]
    assert [" ".join(line.split()[:-1]) for line in lines] == [
        "img",
        'link "Left"',
        'link "Right"',
        'link "Wedge"',
        'clickable "Corner"',
    ]


STYLES = ["", "border:5px solid;padding:9px", "zoom:2", "transform:scale(.5)"]


@pytest.mark.parametrize("style", STYLES)
# , "border:5px solid;padding:9px", "zoom:2", "transform:scale(.5)"])
async def test_an_area_is_clicked_where_it_is(one_page, shown, style):
    await shown(style, above=3000)
    for name, fragment in (("Left", "#a"), ("Right", "#b"), ("Wedge", "#c")):
        told = await one_page("click", ref=await one_page.ref(name))
        assert "Clicked link" in told
        assert f"{fragment}\n" in told, (name, told)
    assert 'Title: "cornered"' in await one_page("click", ref=await one_page.ref("Corner"))


async def test_an_area_of_a_hidden_picture_is_not_shown(shown):
    assert "Left" not in await shown("display:none")
