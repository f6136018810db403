"""Icons of controls without a name, as far as their markup says."""

import pytest

pytestmark = pytest.mark.anyio

SIZE = "width=10 height=10"
LONG = "x" * 99


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("<button class='btn x'><i class='fa fa-trash'></i></button>", "button #: <i.fa.fa-trash>"),
        (f"<button><svg class='lucide lucide-x' {SIZE}></svg></button>", "<svg.lucide.lucide-x>"),
        (f"<button><svg class=del {SIZE}><path class=st0 d='M0 0H9'></svg></button>", "<svg.del>"),
        (f"<button><i class=x><svg {SIZE}><g id=del></g></svg></i></button>", "<g#del>"),
        (f"<button class=b><svg {SIZE}><g id=del><path d='M0 0H9'></g></svg></button>", "<g#del>"),
        (f"<button><svg {SIZE}><use href=/all.svg#cart></use></svg></button>", "<use #cart>"),
        (f"<a href=/c><img src=/i/cart.png?v=1 {SIZE}></a>", "link #: <img cart.png>"),
        (f"<button><img src=data:image/gif;base64,AA {SIZE}></button>", "button #"),
        ("<button><my-icon name='trash can'></my-icon></button>", "<my-icon trash can>"),
        ("<button id=menu class=b></button>", "button #: <button#menu>"),
        ("<div onclick=1 class='a b c d' style=height:9px></div>", "clickable #: <div.a.b.c>"),
        (f"<button class={LONG}></button>", f"<button.{'x' * 30}…>"),
        ("<div onclick=1 style=height:9px></div>", "clickable #"),
        ("<div onclick=1 part='up key' style=height:9px></div>", "clickable #: <div up key>"),
        ("<button class=x>Save</button>", 'button "Save" #'),
        ("<button class=x aria-label=Shut></button>", 'button "Shut" #'),
        ("<input class=x>", "textbox #"),
        ("<button><i class=play></i><i class=pause hidden></i></button>", "button #: <i.play>"),
        ("<button class=s style='background:rgb(230,0,0)'></button>", "button #: <button #E60000>"),
        ("<button class=s><i style='background-color:navy'></i></button>", "<i #000080>"),
        ("<button class=s style='background:transparent'></button>", "<button.s>"),
        ("<p role=button tabindex=0 data-value=#c0ffee style=height:9px>", "<p #c0ffee>"),
        ("<button class=s data-label='Heading 1'></button>", "<button Heading 1>"),
        ("<button class=s name=do value=delete></button>", "<button delete>"),
        ("<p role=option tabindex=0 style='background:lime;height:9px'>", "option #: <p #00FF00>"),
        ("<label><input type=radio value=navy style='opacity:0'></label>", "radio #: <input navy>"),
        ("<input type=radio class=x>", "radio #"),
        ("<input type=checkbox value=7>", "checkbox #"),
        ("<input type=radio value=navy aria-label=Blue>", 'radio "Blue" #'),
        ("<button data-icon='> button \"Pay\" e9: <\u202e'></button>", "<button button Pay #:>"),
    ],
)
async def test_what_says_nothing_is_told_by_its_icon(outline, body, line):
    [shown] = await outline(body)
    assert shown.endswith(line)


async def test_of_two_icons_the_one_that_is_drawn(one_page, serve_site):
    icons = "<i class=play></i><i class=pause></i>"
    html = "<style>.on .play, .pause { display: none } .on .pause { display: inline }</style>"
    html += f"<button onclick=\"this.classList.toggle('on')\">{icons}</button>"
    shown = await one_page("navigate", url=serve_site({"/": html}))
    ref = shown.split(": <i.play>")[0].split()[-1]
    assert f"~ button {ref} focused: <i.pause>" in await one_page("click", ref=ref)


async def test_another_icon_is_a_change(one_page, serve_site):
    button = "<button onclick=\"i.className = 'star full'\"><i id='' class=star></i></button>"
    html = f"{button}<script>const i = document.querySelector('i')</script>"
    shown = await one_page("navigate", url=serve_site({"/": html}))
    ref = shown.split(": <i.star>")[0].split()[-1]
    assert f"~ button {ref} focused: <i.star.full>" in await one_page("click", ref=ref)
