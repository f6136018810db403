"""Elements of real pages in a snapshot: roles, names and states."""

import re

import pytest

from strap_browser.snapshot.snapshot import DRAWN

pytestmark = pytest.mark.anyio
TRANSPARENT = "<input type=checkbox aria-label=T style='opacity:0'>"
SPLITTER = "role=separator tabindex=0 aria-valuenow=40 style='height: 9px'"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("<button>Save</button>", 'button "Save" #'),
        ("<button aria-label=Close>x</button>", 'button "Close" #: x'),
        (f"<p {SPLITTER} aria-label=Sides>", 'separator "Sides" #: 40'),
        (f"<p {SPLITTER}>", "separator #: 40"),
        (f"<p {SPLITTER} aria-valuetext='40 px'>", "separator #: 40 px"),
        ("<p role=separator aria-valuenow=4>Today</p>", "text: Today"),
        ("<p role=scrollbar aria-valuenow=40 tabindex=0 style='height: 9px'>", "scrollbar #: 40"),
        ("<button><img src=x alt=Print></button>", 'button "Print" #'),
        ("<button><svg><title>Menu</title></svg></button>", 'button "Menu" #'),
        ("<button title=Help></button>", 'button "Help" #'),
        ("<button>3 <b>new</b><span hidden>old</span></button>", 'button "3 new" #'),
        ("<button>Up<span style='display:block'>now</span></button>", 'button "Up now" #'),
        ("<input type=submit>", 'button "Submit" #'),
        ("<input type=reset>", 'button "Reset" #'),
        ("<input type=image alt=Go>", 'button "Go" #'),
        ("<input type=file>", 'button "Choose File" #'),
        ("<label>Name <input></label>", 'textbox "Name" #'),
        ("<input id=a><label for=a aria-hidden=true>Name</label>", 'textbox "Name" #'),
        ("<label aria-hidden=true>Name <input></label>", 'textbox "Name" #'),
        ("<input id=a><label for=a hidden>Name</label>", "textbox #"),
        ("<input placeholder=Mail>", 'textbox "Mail" #'),
        ("<input aria-label=M placeholder=Mail>", 'textbox "M" #: (Mail)'),
        ("<b id=a>By</b> <b id=b>id</b><input aria-labelledby='a b'>", 'textbox "By id" #'),
        ("<p hidden id=h>Secret</p><input aria-labelledby=h>", 'textbox "Secret" #'),
        ("<input title=T value=v>", 'textbox "T" #: v'),
        ("<input type=search aria-label=S>", 'searchbox "S" #'),
        ("<input list=l aria-label=L><datalist id=l>", 'combobox "L" #'),
        ("<input type=number value=3 aria-label=N>", 'spinbutton "N" #: 3'),
        ("<input type=range value=4 aria-label=V>", 'slider "V" #: 4'),
        ("<input type=password value=hunter2 aria-label=P>", 'textbox "P" #: ••••••••'),
        ("<input type=password aria-label=P>", 'textbox "P" #'),
        (
            "<input value=hunter2 aria-label=Q><input type=password value=hunter2>",
            'textbox "Q" #: ••••••••',
        ),
        ("<textarea aria-label=T>a  b</textarea>", 'textbox "T" #: a b'),
        ("<div contenteditable>Edit <b>me</b></div>", "textbox #: Edit me"),
        ("<div role=textbox aria-label=R contenteditable>x</div>", 'textbox "R" #: x'),
        ("<label><input type=checkbox checked>Yes</label>", 'checkbox "Yes" # checked'),
        ("<div role=checkbox aria-checked=mixed>All</div>", 'checkbox "All" # checked=mixed'),
        ("<div role=switch aria-checked=true>On</div>", 'switch "On" # checked'),
        (
            "<input type=checkbox role=switch aria-checked=true aria-label=On>",
            'switch "On" # aria-checked=true',
        ),
        (
            "<input type=checkbox checked aria-checked=false aria-label=On>",
            'checkbox "On" # checked aria-checked=false',
        ),
        ("<input type=checkbox checked aria-checked=true aria-label=A>", 'checkbox "A" # checked'),
        ("<div role=tab aria-selected=true>One</div>", 'tab "One" # selected'),
        ("<button aria-selected=true>13</button>", 'button "13" # selected'),
        ("<a href=#b aria-selected=true>B</a>", 'link "B" # selected'),
        ("<div tabindex=0 aria-selected=true>C</div>", 'clickable "C" # selected'),
        ("<button aria-pressed=true>B</button>", 'button "B" # pressed'),
        ("<button aria-expanded=true>M</button>", 'button "M" # expanded'),
        ("<fieldset disabled><button>D</button></fieldset>", 'button "D" # disabled'),
        ("<div role=button aria-disabled=true>D</div>", 'button "D" # disabled'),
        ("<input aria-label=I aria-invalid=true>", 'textbox "I" # invalid'),
        ("<input aria-label=F id=f><script>f.focus()</script>", 'textbox "F" # focused'),
        ("<h3>Title <small>sub</small></h3>", 'h3 "Title sub"'),
        ("<div role=heading aria-level=2>H</div>", 'h2 "H"'),
        ("<select aria-label=C><option>a<option selected>b</select>", 'combobox "C" #: b (a, b)'),
        (
            "<select aria-label=C><optgroup label=G><option>a</optgroup><option>b</select>",
            'combobox "C" #: G: a (G: a, b)',
        ),
        ("<a href=x>Link</a>", 'link "Link" #'),
        ("<a>No link</a>", "text: No link"),
        ("<a href=x><h4>Head</h4><p>rest</p></a>", 'link "Head rest" #'),
        ("<section aria-label=S>x</section>", 'region "S": x'),
        ("<section>x</section>", "text: x"),
        ("<header>top</header>", "banner: top"),
        ("<article><header>top</header></article>", "article: top"),
        ("<img src=x alt=Photo>", 'img "Photo"'),
        ("<span aria-label='4 stars'></span>", "text: 4 stars"),
        ("<style>p::before{content:'Now '}</style><p>here</p>", "text: Now here"),
        ("<style>p::before{content:'\\f101'}</style><p>icon</p>", "text: icon"),
        ("<style>p::after{content:'\\f101' / 'Alt'}</style><p>the </p>", "text: the Alt"),
        ("<style>p::before{content:url('data:,a') 'Now '}</style><p>here</p>", "text: Now here"),
        ("<style>p::before{content:image-set('a' 1x) / 'New '}</style><p>a</p>", "text: New a"),
        ("<style>p::after{content:url('data:,a')}</style><p role=button>Go</p>", 'button "Go" #'),
        (f"<b onclick=1>{TRANSPARENT}<i role=img aria-label=V></i></b>", 'checkbox "T" #'),
        ("a<br>b", "text: a b"),
        ("<b>Total</b><b style='margin-left:8px'>42</b>", "text: Total 42"),
        ("<b style='padding-right:8px'>In</b><b>Out</b>", "text: In Out"),
        ("<b style='padding:0 8px'>In</b>, out", "text: In, out"),
        ("<b>to</b><i style='margin:1px'>day</i>", "text: today"),
        ("<p>\u200b</p><p>so\u00adft</p>", "text: soft"),
        ("one <i>two</i> three", "text: one two three"),
        ("<table role=presentation><tr><td>a<td>b</table>", "text: a b"),
        ("<ul role=none><li>plain</ul>", "text: plain"),
        ("<div role=none tabindex=0 aria-label=x>a</div>", 'clickable "x" #: a'),
        ("<button role=none>kept</button>", 'button "kept" #'),
        ("<a href=x role=presentation tabindex=-1>kept</a>", 'link "kept" #'),
        ("<div role='nonsense button'>b</div>", 'button "b" #'),
        ("<input role=alert aria-label=Count value=3>", 'alert "Count" #: 3'),
        ("<div contenteditable role=note aria-label=N>Words</div>", 'note "N" #: Words'),
        ("<fieldset><legend>Who</legend><input aria-label=N></fieldset>", 'group "Who"'),
        ("<div style='cursor:pointer'>Click <i>me</i></div>", 'clickable "Click me" #'),
        (
            "<a style='cursor:pointer' aria-label='Close menu'><svg></svg></a>",
            'clickable "Close menu" #',
        ),
        ("<i style='cursor:pointer;padding:9px' title=Delete></i>", 'clickable "Delete" #'),
        ("<i style='cursor:pointer' title='In May'>15</i>", 'clickable "15" #'),
        ("<i style='cursor:pointer' aria-label='May 15'>15</i>", 'clickable "May 15" #: 15'),
        ("<time title=now>12:00</time> and <code title=c>x</code>", "text: 12:00 and x"),
        ("<div role=image aria-label=Map></div>", 'img "Map"'),
        ("<a href=x role=doc-noteref>1</a>", 'link "1" #'),
        ("<div role=option aria-selected=true>Orphan</div>", 'option "Orphan" # selected'),
        ("<button role=tab aria-selected=true>Orphan</button>", 'tab "Orphan" # selected'),
        ("<div style='display:contents'><button>C</button></div>", 'button "C" #'),
        ("<button style='display:contents'>C</button>", 'button "C" #'),
        ("<a href=x style='display:contents'><i style='display:contents'>C</i></a>", 'link "C" #'),
        (
            "<div style='visibility:hidden'>no<button style='visibility:visible'>B</button></div>",
            'button "B" #',
        ),
    ],
)
async def test_line(outline, body, line):
    assert (await outline(body))[0] == line


LARGE = "<label><input type=radio>Large</label>"
DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="
HIDDEN = "<style>input{display:none}</style>"
TINY = "width:0;height:0;appearance:none;position:absolute"
CATCHER = "<i tabindex=0 style=position:fixed;width:1px;height:1px></i>"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("<div tabindex=0>Focus</div>", ['clickable "Focus" #']),
        (
            f"{CATCHER}<i tabindex=0 style=position:fixed;width:9px;height:9px></i>"
            + CATCHER.replace("<i", "<i onclick=go()"),
            ["clickable #", "clickable #"],
        ),
        ("<div tabindex=-1>Target</div>", ["text: Target"]),
        ("<div onclick=x()>Act</div>", ['clickable "Act" #']),
        ("<div onload=x()>Text</div>", ["text: Text"]),
        ("<a onclick=x()>Act</a>", ['clickable "Act" #']),
        ("<div role=presentation onclick=x()>Act</div>", ['clickable "Act" #']),
        ("<ul role=none><li onclick=x()>Act</ul>", ['clickable "Act" #']),
        ("<table role=none><tr onclick=x()><td>Act</table>", ['clickable "Act" #']),
        (f"<img alt='' title=Act onclick=x() width=9 src={DOT}>", ['clickable "Act" #']),
        (f"<button><img alt='' style=cursor:pointer src={DOT}>Act</button>", ['button "Act" #']),
        ("<div draggable=true>Card</div>", ['clickable "Card" #']),
        ("<div draggable=false>Card</div>", ["text: Card"]),
        ("<div ondrop=x()>Bin</div>", ['clickable "Bin" #']),
        ("<a title=Prev data-handler=prev>Prev</a>", ['clickable "Prev" #']),
        ("<a name=top>Here</a>", ["text: Here"]),
        (
            "<div style=cursor:pointer>Row <span onclick=x()>Delete</span></div>",
            ['clickable "Row" #', '  clickable "Delete" #'],
        ),
        (
            "<table role=grid><tr><td tabindex=0>A</td><td role=gridcell tabindex=-1>B</table>",
            ["grid row: text #: A | text #: B"],
        ),
        ("<table><tr onclick=x()><td>Row</td></tr></table>", ["table", "  row #: Row"]),
        (
            "<ul role=listbox tabindex=0 aria-label=L><li role=option>One</ul>",
            ['listbox "L" #', '  option "One" #'],
        ),
        (
            "<select multiple aria-label=L><option>One</select>",
            ['listbox "L" #', '  option "One" #'],
        ),
        (
            f"{HIDDEN}<input type=radio id=a checked><label for=a>Small</label>{LARGE}",
            ['radio "Small" # checked', 'radio "Large" #'],
        ),
        (
            f"{HIDDEN}<label>Photo<input type=file></label>",
            ['button "Photo" #'],
        ),
        (
            f"<label>Agree<input type=checkbox style='{TINY}'></label>",
            ['checkbox "Agree" #'],
        ),
        (
            "<div tabindex=0>D <b style=cursor:pointer>1</b><b style=cursor:pointer>2</b></div>",
            ['clickable "D" #', '  clickable "1" #', '  clickable "2" #'],
        ),
        (
            "<div role=switch tabindex=0 aria-label=On><b style=cursor:pointer>I</b></div>",
            ['switch "On" #: I'],
        ),
        ("<canvas width=50 height=50></canvas>", ["canvas #"]),
        ("<canvas width=50 height=50 aria-label=Map>old</canvas>", ['canvas "Map" #']),
        ("<video controls width=100></video>", ["video #"]),
        ("<audio controls></audio>", ["audio #"]),
        ("<body onclick=x()>Words", ["text: Words"]),
    ],
)
async def test_what_can_be_used_has_a_ref(outline, body, lines):
    assert await outline(body) == lines


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("<progress value=.3></progress>", "progressbar: 30%"),
        ("<progress value=3 max=12></progress>", "progressbar: 3 of 12"),
        ("<progress aria-label=Load></progress>", 'progressbar "Load"'),
        ("<progress></progress>", "progressbar"),
        ("<b role=progressbar style=display:block;height:9px><i></i></b>", "progressbar"),
        ("<meter value=3 max=10>old</meter>", "meter: 3 of 10"),
        ("<div role=progressbar aria-valuenow=40 aria-label=Up></div>", 'progressbar "Up": 40'),
        (
            "<div role=slider tabindex=0 aria-valuenow=5 aria-valuetext=Warm aria-label=V>-</div>",
            'slider "V" #: Warm',
        ),
        ("<a href=x aria-current=page>Home</a>", 'link "Home" # current'),
        ("<a href=x aria-current=false>Home</a>", 'link "Home" #'),
        (
            "<p>Was <del>$120</del> <s>$110</s> <ins>$99</ins></p>",
            "text: Was ~~$120~~ ~~$110~~ $99",
        ),
    ],
)
async def test_what_a_person_sees_of_values(outline, body, line):
    assert await outline(body) == [line]


@pytest.mark.parametrize(
    "style", ["width:0", "opacity:0", "position:absolute;left:-999px", "visibility:hidden"]
)
async def test_a_wait_that_nobody_sees_is_not_told(outline, style):
    bar = f"<b role=progressbar style='display:block;width:9px;height:9px;{style}'></b>"
    assert await outline(f"{bar}<p>Text") == ["text: Text"]


async def test_the_order_of_a_column(outline):
    table = "<table><tr><th aria-sort=ascending>Name<th>Age<tr><td>a<td>b</table>"
    assert (await outline(table))[1] == "  columns: text # sort=ascending: Name | Age"


SVG = "<svg width=99 height=99>{}</svg>"


@pytest.mark.parametrize(
    ("drawing", "lines"),
    [
        ("<a href='#a'><text y=20>To</text></a>", ['link "To" #']),
        ("<text y=20>Sales</text><text y=40>10</text>", ["text: Sales", "text: 10"]),
        ("<title>Chart</title><text y=20>10</text>", ['img "Chart"', "  text: 10"]),
        ("<g style=cursor:pointer onclick=x()><rect width=9 height=9 /></g>", ["clickable #"]),
        (
            "<rect width=9 height=9 onclick=x()><title>Seat 1A</title></rect>",
            ['img "Seat 1A" #'],
        ),
        ("<path d='M0 0h9v9z'><title>May: 30</title></path>", ['img "May: 30"']),
        ("<path d='M0 0h9v9z'/>", [DRAWN]),
        ("<g role=button tabindex=0 aria-label=Q1><path d='M0 0h9v9z'/></g>", ['button "Q1" #']),
        ("<g aria-label=Series><text y=20>1</text></g>", ['group "Series": 1']),
        (
            "<foreignObject y=9 width=90 height=90><button>In</button></foreignObject>",
            ['button "In" #'],
        ),
        ("<defs><text>no</text></defs><desc>no</desc>", [DRAWN]),
        ("<mask><text>no</text></mask><pattern><text>no</text></pattern>", [DRAWN]),
    ],
)
async def test_drawings(outline, drawing, lines):
    assert await outline(SVG.format(drawing)) == lines


async def test_the_text_of_a_drawing(one_page, serve_site):
    drawing = "<title>no</title><text y=20>Sales</text><a href='/x'><text y=40>more</text></a>"
    await one_page("navigate", url=serve_site({"/": SVG.format(drawing)}))
    lines = (await one_page("text")).splitlines()[1:]
    assert [line for line in lines if line] == ["Sales", "[more](/x)"]


async def test_what_stands_for_a_hidden_field_is_clicked_and_tells_its_state(one_page, serve_site):
    page = one_page
    html = f"{HIDDEN}<input type=checkbox id=a><label for=a>Agree</label>"
    ref = (await page("navigate", url=serve_site({"/": html}))).split()[-1]
    assert f'~ checkbox "Agree" {ref} checked' in await page("click", ref=ref)
    assert f'~ checkbox "Agree" {ref}' in await page("click", ref=ref)


@pytest.mark.parametrize(
    "body",
    [
        "<div style='display:none'>x</div>",
        "<div style='visibility:hidden'>x</div>",
        "<div style='content-visibility:hidden'>x</div>",
        "<div hidden>x</div>",
        "<span aria-hidden=true>★</span>",
        "<img src=x alt=''>",
        "<style>p{}</style><script>0</script><template>x</template><noscript>x</noscript>",
        "<i class=icon></i><hr>",
    ],
)
async def test_nothing(outline, body):
    assert await outline(body) == ["The page shows nothing."]


async def test_details_show_their_content_only_when_they_are_open(outline):
    closed = "<details><summary>More</summary>Inner</details>"
    assert await outline(closed) == ['clickable "More" #']
    opened = closed.replace("details>", "details open>", 1)
    assert await outline(opened) == ['clickable "More" # expanded', "text: Inner"]
    twice = opened.replace("Inner", "<summary role=button>Inner</summary>")
    assert await outline(twice) == ['clickable "More" # expanded', 'button "Inner" #']
    named = opened.replace("<summary", "<summary role=button")
    assert (await outline(named))[0] == 'button "More" # expanded'


async def test_text_in_blocks_stays_apart_and_in_lines_together(outline):
    assert await outline("<div>one</div><div>two</div><b>three</b> <b>four</b>") == [
        "text: one",
        "text: two",
        "text: three four",
    ]


async def test_shadow_roots_and_slots_are_shown_as_they_are_drawn(outline):
    body = (
        "<x-a><template shadowrootmode=open><button>In <slot></slot></button></template>"
        "slotted</x-a><x-b><template shadowrootmode=open><p>only</p></template>lost</x-b>"
    )
    assert await outline(body) == ['button "In slotted" #', "text: only"]


async def test_what_another_element_owns_stands_there(outline):
    body = (
        "<div id=m role=menuitem>Owned</div><p>between</p><div role=menu aria-owns=m></div>"
        "<div id=a role=group aria-label=A aria-owns=b></div>"
        "<div id=b role=group aria-label=B aria-owns=a></div>"
    )
    shown = await outline(body)
    assert shown == ["text: between", "menu", '  menuitem "Owned" #', 'group "B"', '  group "A"']


async def test_what_cannot_show_what_it_owns_leaves_it_where_it_is(outline):
    body = (
        "<input role=combobox aria-label=City aria-owns=c aria-expanded=true>"
        "<div id=c role=listbox><div role=option>Rome</div></div>"
        "<textarea aria-label=Note aria-owns=n></textarea><p id=n>Of a note</p>"
        "<select aria-label=Size aria-owns=s><option>S</select><p id=s>Of a choice</p>"
        "<p hidden aria-owns=h>x</p><button id=h>Of what is hidden</button>"
        "<div role=slider aria-label=Much aria-valuenow=3 aria-owns=r></div><p id=r>Of a slider</p>"
        "<details><summary>More</summary><p aria-owns=d>x</p></details><p id=d>Of what is shut</p>"
        "<p aria-hidden=true aria-owns=a>x</p><p id=a>Of what is unspoken</p>"
    )
    assert await outline(body) == [
        'combobox "City" # expanded',
        "listbox",
        '  option "Rome" #',
        'textbox "Note" #',
        "text: Of a note",
        'combobox "Size" #: S (S)',
        "text: Of a choice",
        'button "Of what is hidden" #',
        'slider "Much": 3',
        'clickable "More" #',
        "text: Of what is shut",
        "text: Of what is unspoken",
        "text: Of a slider",
    ]


async def test_fields_that_hide_what_their_form_has(outline):
    names = ("getAttribute", "childNodes", "checkVisibility", "localName", "labels", "children")
    fields = "".join(f"<input name={name} aria-label={name}>" for name in names)
    assert await outline(f"<form aria-label=F>{fields}<button>Go</button></form>") == [
        *(f'textbox "{name}" #' for name in names),
        'button "Go" #',
    ]


async def test_frames_in_frames(outline):
    inner = "<iframe title=Deep srcdoc='<button>Deepest</button>'></iframe><button>Mid</button>"
    body = (
        f'<iframe title=A srcdoc="{inner}"></iframe>'
        "<iframe hidden srcdoc='<b>Hidden</b>'></iframe><iframe title=B src=/></iframe>"
    )
    shown = await outline(body.replace("src=/", "srcdoc='<button>Last</button>'"))
    assert [re.sub(r"f\d+#", "f#", line) for line in shown] == [
        'iframe "A"',
        '  iframe "Deep"',
        '    button "Deepest" f#',
        '  button "Mid" f#',
        'iframe "B"',
        '  button "Last" f#',
    ]


async def test_deep_nesting_keeps_everything(outline):
    deep = "<div role=group aria-label=g>" * 480
    shown = await outline(f"{deep}<button>Bottom</button>")
    assert any('"g"' in line for line in shown)
    spans = "<span>" * 400
    assert await outline(f"<button>{spans}Deep</button>") == ['button "Deep" #']
    found = "<div id=d></div><script>let at = d; for (let n = 0; n < 2500; n++) {"
    found += (
        "at = at.appendChild(document.createElement('div')) } at.innerHTML = 'Deepest'</script>"
    )
    assert "Deepest" in "\n".join(await outline(found))
    named = found.replace("<div id=d></div>", "<button id=d></button>").replace("'div'", "'b'")
    assert 'button "Deepest" #' in await outline(named)


UNSEEN = "position:absolute;opacity:0"


@pytest.mark.parametrize("around", ["cursor:pointer", ""])
async def test_a_box_that_only_its_label_passes_clicks_to_has_the_ref(one_page, around):
    box = f'<input type=checkbox style="{UNSEEN};pointer-events:none">'
    await one_page.show(f'<label style="{around}"><span>{box}<i>*</i></span><b>Agree</b></label>')
    shown = await one_page("snapshot")
    ref = re.search(r'checkbox "[* ]*Agree" (e\d+)$', shown, re.MULTILINE)[1]
    assert "clickable" not in shown
    assert "checked" in await one_page("click", ref=ref)


async def test_the_label_of_a_control_that_is_told_is_a_part_of_it(outline):
    style = "<style>label { cursor: pointer }</style>"
    star = "<svg width=20 height=20><path d='M0 0H9V9Z'/></svg>"
    rate = f"<input type=radio id=r aria-label=1 style='opacity:0'><label for=r>{star}</label>"
    tick = "<input type=checkbox id=c><label for=c><span>Chip</span></label>"
    assert await outline(style + rate + tick) == ['radio "1" #', 'checkbox "Chip" #']
    icon = "<input type=radio id=i><label for=i><i class='fa fa-star'></i></label>"
    fa = "<style>.fa::before { content: '\\f005' }</style>"
    assert await outline(style + fa + icon) == ["radio #", "clickable #: <i.fa.fa-star>"]
    field = "<label for=f>Name</label><input id=f>"
    assert await outline(style + field) == ['textbox "Name" #']
    free = "<label>Free</label><input type=checkbox id=h hidden><label for=h>Hidden</label>"
    assert await outline(style + free) == ['clickable "Free" #', 'checkbox "Hidden" #']
    within = "<label for=c>Agree to <a href=#x>terms</a></label><input type=checkbox id=c>"
    assert await outline(style + within) == [
        *("text: Agree to", 'link "terms" #', 'checkbox "Agree to terms" #')
    ]


async def test_ticks_in_cells(outline):
    cells = "<div role=gridcell>Ada</div><div role=gridcell aria-checked=true><svg></svg></div>"
    [*_, row] = await outline(f"<div role=grid><div role=row>{cells}</div></div>")
    assert "checked" in row


COUNTED = """<style>ol { counter-reset: i; list-style: none } li { counter-increment: i }
li::before { content: counters(i, ".") ") " } pre { counter-reset: n }
b::before { counter-increment: n; content: counter(n) " " }</style>"""


async def test_what_counters_write(outline):
    items = "<ol><li>one<ol><li>in it</ol><li>two</ol>"
    assert await outline(COUNTED + items) == ["- 1) one [- 1.1) in it]", "- 2) two"]


async def test_counters_are_no_part_of_a_code(outline):
    code = "<pre><b>first</b>\n<b>second</b></pre>"
    assert await outline(COUNTED + code) == ["pre", "   first", "   second"]


async def test_what_takes_the_focus_in_turn(outline):
    tabs = "<x-tab tabindex=0>One</x-tab><x-tab tabindex=-1>Two</x-tab>"
    assert await outline(f"{tabs}<b tabindex=-1>No</b>") == [
        'clickable "One" #',
        'clickable "Two" #',
        "text: No",
    ]


async def test_what_a_label_draws_is_seen(outline):
    style = "position:absolute;width:1px;height:1px;overflow:hidden;padding:0;border:0"
    button = f"<button role=switch id=s aria-label=Night style='{style}'></button>"
    drawn = await outline(f"{button}<label for=s>Night mode</label>")
    assert drawn == ['switch "Night" #', "text: Night mode"]
    assert await outline(button) == ['switch "Night" # invisible']


async def test_a_state_is_told_once(outline):
    table = "<table role=grid><tr><td tabindex=0>1<td tabindex=-1>2</table>"
    [line] = await outline(f"<div style='opacity:0'>{table}</div>")
    assert line == "grid row: text # invisible: 1 | text # invisible: 2"
