"""Snapshots of real pages: small, and nothing out of reach."""

import re

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


@pytest.mark.parametrize(
    ("name", "most"), [("form", 200), ("article", 2_500), ("table", 2_500), ("buttons", 2_500)]
)
async def test_size(page, o200k, name, most):
    await page.open(f"{name}.html")
    assert len(o200k.encode(await page("snapshot"))) <= most


async def test_every_answer_about_a_table_of_numbers_is_bounded(page, o200k):
    await page.open("table.html")
    start = int(re.search(r"more rows \(start=(\d+)\)", await page("snapshot"))[1])
    for answer in (
        await page("snapshot", start=start),
        await page("snapshot", text="View"),
        await page("text"),
        await page("text", start=50_000),
        await page("evaluate", text="[...document.querySelectorAll('td')].map((d) => d.innerText)"),
        await page("evaluate", text="Array.from({length: 5000}, (_, n) => n / 7)"),
    ):
        assert len(o200k.encode(answer)) <= 2_500


async def test_form(page):
    await page.open("form.html")
    lines = (await page("snapshot")).splitlines()
    assert lines[0] == f'"Sign up" {page.site}/form.html'
    assert re.fullmatch(r' *textbox "Name" e\d+: \(Your name\)', lines[7]), lines
    assert any(re.fullmatch(r' *button "Submit" e\d+', line) for line in lines)
    assert any("France (France, Japan, Peru)" in line for line in lines)


async def test_python_callers_are_told_what_can_be_acted_on(page, serve_site):
    button = "<button>Press {}</button>"
    many = "".join(map(button.format, range(2_001)))
    shop = serve_site({"/": button.format("me") + "<p>Text", "/many": many})
    await page("navigate", url=f"{shop}/")
    data = (await page.result("snapshot")).data
    [told] = data["elements"]
    assert (told["role"], told["name"]) == ("button", "Press me")
    assert await page("click", ref=told["ref"])
    await page("navigate", url=f"{shop}/many")
    assert (await page.result("snapshot")).data["elements"] is None


async def test_password_is_masked(page):
    await page.open("form.html")
    await page("evaluate", text="document.forms[0].password.value = 'hunter2'; 0")
    shown = await page("snapshot")
    assert "hunter2" not in shown
    assert "••••••••" in shown


async def test_budget_of_the_caller(page, o200k):
    await page.open("article.html")
    assert len(o200k.encode(await page("snapshot", max_tokens=300))) <= 300


async def test_folded_rows_are_reached_by_paging_and_by_text_and_clicked(page):
    """On one page: to look at 2,000 rows takes seconds."""
    await page.open("table.html")
    shown = await page("snapshot")
    assert "Customer 1777 " not in shown
    assert re.search(r"… 1,\d{3} more rows \(start=\d+\)", shown)
    seen = set(map(int, re.findall(r"Customer (\d+)", shown)))
    first = start = int(re.search(r"more rows \(start=(\d+)\)", shown)[1])
    for _ in range(10):
        shown = await page("snapshot", start=start, max_tokens=20_000)
        seen |= set(map(int, re.findall(r"Customer (\d+)", shown)))
        following = re.search(r"… more: snapshot start=(\d+)", shown)
        if following is None:
            break
        assert int(following[1]) > start
        start = int(following[1])
    assert seen == set(range(2000))
    shown = await page("snapshot", start=first)
    row = next(line for line in shown.splitlines() if "Customer 30 " in line)
    assert "Order 30 opened" in await page("click", ref=ref_in(row, 'link "View"'))
    found = await page("snapshot", text="Customer 1777")
    assert "columns: Id | Name | Amount | Status | Action" in found
    answer = await page("click", ref=ref_in(found, 'link "View"'))
    assert "Order 1777 opened" in answer


async def test_last_button(page):
    await page.open("buttons.html")
    answer = await page("click", ref=await page.ref('button "Action 249"'))
    assert "Pressed Action 249" in answer


async def test_link_in_a_cut_paragraph(page):
    await page.open("article.html")
    assert "needle in the haystack" not in await page("snapshot")
    found = await page("snapshot", text="needle")
    assert 'link "needle in the haystack"' in found
    assert "#needle" in found


async def test_every_heading_and_link_is_reached_by_paging(page):
    await page.open("article.html")
    seen, start = set(), 1
    for _ in range(30):
        shown = await page("snapshot", start=start)
        seen |= set(re.findall(r"Section (\d+):", shown))
        following = re.search(r"… more: snapshot start=(\d+)", shown)
        if following is None:
            break
        start = int(following[1])
    assert len(seen) == 30
    assert "needle in the haystack" in shown


async def test_inside_an_element(page):
    await page.open("table.html")
    table = ref_in(await page("snapshot"), "\ntable")
    shown = await page("snapshot", ref=table, max_tokens=400)
    assert "h1" not in shown
    following = re.search(rf"… more: snapshot ref={table} start=(\d+)", shown)
    assert "Customer 1" in await page("snapshot", ref=table, start=int(following[1]))


async def test_blank_page(page):
    await page("new_page")
    shown = "about:blank\nThe page is blank: open one with `navigate`."
    assert await page("snapshot") == shown


async def test_details(page, serve_site):
    more = "<details><summary>More <b>of it</b></summary><p>Inner</p></details>"
    shown = await page("navigate", url=serve_site({"/": more}))
    ref = shown.split('clickable "More of it" ')[1].split()[0]
    assert "Inner" not in shown
    opened = await page("click", ref=ref)
    assert f'~ clickable "More of it" {ref} expanded' in opened
    assert "+ text: Inner" in opened
    closed = await page("click", ref=ref)
    assert "- text: Inner" in closed
    assert "expanded" not in closed


@pytest.mark.parametrize(
    "style", ["", "padding: 30px; border: 9px solid", "scale: .5", "line-height: 3", "zoom: 2"]
)
async def test_details_without_a_summary_have_the_browsers_own(page, serve_site, style):
    body = "<p>Inner <b>words</b></p>" * 9 + "<button>Deep</button>"
    html = f"<style>details {{ {style} }}</style><details>{body}</details>"
    shown = await page("navigate", url=serve_site({"/": html}))
    ref = ref_in(shown, 'group "Details"')
    assert "Inner" not in shown
    opened = await page("click", ref=ref)
    assert f'~ group "Details" {ref} expanded' in opened
    assert 'button "Deep"' in opened
    closed = await page("click", ref=ref)
    assert f'~ group "Details" {ref}' in closed
    assert "expanded" not in closed


@pytest.mark.parametrize("days", [10, 31])
async def test_much_that_is_gone_is_counted(page, serve_site, days):
    cells = "".join(f"<b style=display:block>Day {day}</b>" for day in range(1, days + 1))
    choose = "c.remove(); o.textContent = 'Chosen'"
    html = f'<button onclick="{choose}">Choose</button><div id=c>{cells}</div>'
    ref = ref_in(await page("navigate", url=serve_site({"/": html + "<p id=o>"})), '"Choose"')
    shown = (await page("click", ref=ref)).split("Changed:\n")[1].splitlines()
    told = days if days == 10 else 5
    gone = [f"- text: Day {day}" for day in range(1, told + 1)]
    assert shown == [*gone, *(["- … 26 more"] if days == 31 else []), "+ text: Chosen"]


async def test_text_that_is_not_there(page):
    await page.open("form.html")
    assert "Nothing on the page contains 'Zanzibar'." in await page("snapshot", text="Zanzibar")


async def test_text_that_is_not_in_an_element(page):
    await page.open("form.html")
    ref = re.search(r'textbox "[^"]*" (e\d+)', await page("snapshot"))[1]
    assert f"Nothing in {ref} contains 'Zanzibar'." in await page(
        "snapshot", text="Zanzibar", ref=ref
    )


@pytest.mark.parametrize("start", ["<p aria-hidden=true>", "<b aria-hidden=true>A <i>", "<p>It<p>"])
async def test_text_that_no_line_has_and_somebody_sees(page, start):
    """As that which is hidden from screen readers, or ends in another line."""
    await page.open("form.html")
    await page("evaluate", text=f"document.body.innerHTML = `{start}scores 5`; 0")
    text = "It scores" if "It" in start else "scores"
    told = await page("snapshot", text=text)
    assert f"No line contains '{text}', but it is drawn on the page: `text value=" in told
    assert text in (await page("text", value="plain")).replace("\n", " ")


async def test_text_finds_all_words_in_any_order(page):
    await page.open("table.html")
    assert "Customer 1999" in await page("snapshot", text="paid 1999")


async def test_start_beyond_the_end(page):
    await page.open("form.html")
    assert "nothing after that" in await page("snapshot", start=10_000)


async def test_hidden_text_is_not_shown(page):
    await page.open("hidden.html")
    shown = await page("snapshot")
    assert "Plain words" in shown
    for hidden in ("Silent", "Absent", "Invisible", "Commented", "Template"):
        assert hidden not in shown


async def test_frames(page):
    await page.open("frames.html")
    shown = await page("snapshot")
    assert shown.count("Words of the frame") == 2
    assert len(set(re.findall(r'button "Go" (f\d+e\d+)', shown))) == 2


async def test_shadow_dom(page):
    await page.open("shadow.html")
    assert 'button "Greet"' in await page("snapshot")


async def test_going_on_sees_what_changed_meanwhile(page):
    await page.open("table.html")
    await page("snapshot")
    assert "Customer 777 " in await page("snapshot", text="Customer 777")
    cell = "document.querySelector('tbody').rows[777].cells[1]"
    await page("evaluate", text=f"{cell}.textContent = 'Client'; 0")
    assert "Customer 777" not in (await page("snapshot", text="Customer 777")).partition("table")[2]
    assert re.search(r"row e\d+: 777 \| text e\d+: Client", await page("snapshot", text="Client"))


LINKS = " ".join(f"<a href='/m/{n}'>module_{n}</a>," for n in range(300))
WORDS = " ".join(f"word{n}" for n in range(2_000))


async def test_of_a_long_line_what_matches_and_what_is_beside_it(page):
    await page.show(f"<p>All: {LINKS}</p>")
    _, line, _ = (await page("snapshot", text="module_77")).splitlines()
    assert re.fullmatch(
        r'text e\d+: … \[link "module_76" e\d+ -> /m/76\] \[link "module_77" e\d+ -> /m/77\]'
        r' \[link "module_78" e\d+ -> /m/78\] …',
        line,
    )
    assert "/m/77" in await page("click", ref=ref_in(line, '"module_77"'))


async def test_of_a_long_line_what_has_one_of_the_words(page):
    await page.show(f"<p>All: {LINKS}</p>")
    found = await page("snapshot", text="module_200 module_10")
    assert "module_200" in found
    assert len(found) < 700


async def test_of_a_long_line_every_match_up_to_a_number(page):
    await page.show(f"<p>All: {LINKS}</p>")
    found = await page("snapshot", text="module_")
    assert 5 < found.count('"module_') < 30


async def test_of_a_long_row_the_cells_that_match(page):
    cells = "".join(f"<td>cell {n}</td>" for n in range(200))
    await page.show(f"<table><tr>{cells}</tr><tr><td>short</td><td>cell 55</td></tr></table>")
    found = await page("snapshot", text="cell 55")
    assert re.search(r"row e\d+: … \| cell 54 \| text e\d+: cell 55 \| cell 56 \| …", found)
    assert re.search(r"row e\d+: short \| text e\d+: cell 55", found)


async def test_of_a_long_text_what_is_around(page):
    await page.show(f"<p>{WORDS}</p>")
    found = await page("snapshot", text="word1234 word1235")
    assert "word1233 word1234 word1235 word1236" in found
    assert len(found) < 600
    assert re.search(r"text e\d+: …word", found)


async def test_a_row_without_cells_shows_its_text(page):
    await page.show("<table><tr><th>Alone</table><div role=table><div role=row>Loose</div></div>")
    shown = await page("snapshot")
    assert "Alone" in shown
    assert "Loose" in shown


async def test_a_value_is_no_name(page):
    style = 'style="width:9px;height:9px" tabindex=0'
    await page.show(f"<div role=slider aria-valuenow=4 aria-valuetext=four {style}></div>")
    assert re.search(r"^slider e\d+: four$", await page("snapshot"), re.MULTILINE)


CODE = """<pre>def f(x):
    if x:
        return 1

    return 2
</pre>
<pre style="white-space:pre-wrap"><code><span>for</span> i in x:<br>  <span>print</span>(i)
</code></pre>
<pre>one line</pre>
<p style="white-space:pre">a
 b</p>
<p style="white-space:pre-wrap">c
d</p>
<div style="white-space:pre">x <a href=/y>link
in</a> y
 after</div>
<table><tr><td><pre>e
f</pre></td><td>2</td></tr></table>
<ul><li><pre>g
h</pre></li></ul>
<button style="white-space:pre">A
B</button>"""
CODE_SHOWN = """pre
  def f(x):
      if x:
          return 1
      return 2
pre
  for i in x:
    print(i)
text: one line
pre
  a
   b
text: c d
text: x
link "link in" e
pre
   y
   after
table row
  pre
    e
    f
  text: 2
- pre
  g
  h
button "A B" e"""


async def test_code_keeps_its_lines(page):
    await page.show(CODE)
    _, _, shown = (await page("snapshot")).partition("\n")
    assert re.sub(r"\be\d+", "e", shown) == CODE_SHOWN
    found = await page("snapshot", text="print")
    assert "pre\n    print(i)\n" in found
    ref = re.search(r"pre (e\d+)", await page("snapshot", text="def f"))
    assert ref is None


async def test_long_code_is_folded_and_read_on(page):
    lines = "".join(f"  line_{number} = compute({number})\n" for number in range(900))
    await page.show(f"<h1>Long</h1><pre>{lines}</pre><p>The end</p>")
    answer = await page("snapshot")
    assert "    line_0 = compute(0)\n    line_1 = compute(1)\n" in answer
    assert "text: The end" in answer
    more, start = re.search(r"… (\d+) more lines \(start=(\d+)\)", answer).groups()
    shown = answer.count("compute(")
    assert shown + int(more) == 900
    onward = await page("snapshot", start=int(start))
    assert f"line_{shown} = compute({shown})" in onward


async def test_a_line_of_code_that_changes_is_told(page):
    await page.show("<button>Go</button><pre id=p>one\ntwo\nthree</pre>")
    script = (
        "document.querySelector('button').onclick = () => { p.textContent = 'one\\n2\\nthree' }; 0"
    )
    await page("evaluate", text=script)
    await page("snapshot")
    answer = await page("click", selector="button")
    assert "~ 2" in answer
    assert "three" not in answer
