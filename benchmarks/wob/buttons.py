"""Tasks of clicking: buttons, boxes, links, menus, tabs."""

import re
from time import monotonic

from benchmarks.wob.episode import REF, Episode, Lost, exact

SHORT_OF_TEN = 9.5
"""Seconds that a task takes at most, with some to spare."""
TABS = r'link "((?:Tab #)?\d+)" '


def click_test(e: Episode) -> None:
    e.click("button", "Click Me!")


def click_named_button(e: Episode) -> None:
    e.click("button", e.said(r"[Bb]utton (\w+)")[0])


def click_quoted_button(e: Episode) -> None:
    e.click("button", e.quoted[0])


def click_sequence(e: Episode) -> None:
    e.click("button", "ONE")
    e.click("button", "TWO")


def button_delay(e: Episode) -> None:
    e.click("button", "ONE")
    e.web("wait", value=e.said(r"wait (\d+) second")[0])
    e.click("button", "TWO")


def click_checkboxes(e: Episode) -> None:
    wanted = e.said(r"Select (.*) and click")[0]
    for name in () if wanted == "nothing" else wanted.split(", "):
        e.click("checkbox", name)
    e.submit()


def click_option(e: Episode) -> None:
    e.click("radio", e.said(r"Select (.*) and click")[0])
    e.submit()


def choose_list(e: Episode) -> None:
    e.web("select", ref=e.ref("combobox"), value=e.said(r"Select (.*) from the list")[0])
    e.submit()


def click_scroll_list(e: Episode) -> None:
    wanted = e.said(r"Select (.*) from the scroll list")[0].split(", ")
    e.web("select", selector="select", value="\n".join(wanted))
    e.submit()


def click_dialog(e: Episode) -> None:
    name = e.quoted[0]
    e.click("button", "Close" if name == "x" else name)


def click_link(e: Episode) -> None:
    e.web("click", selector=exact(e.quoted[0]))


def click_menu(e: Episode) -> None:
    path = e.said(r"Select (.*)$")[0].split(">")
    for name in path[:-1]:
        e.web("hover", ref=e.ref("menuitem", name.strip()))
        e.web("wait", value="0.4")
        e.look()
    e.click("menuitem", path[-1].strip())


def click_menu_2(e: Episode) -> None:
    e.click("button", "Menu")
    e.web("wait", value="0.3")
    e.look()
    name = e.quoted[-1]
    if not e.refs("menuitem", name):
        e.web("hover", ref=e.ref("menuitem", "Playback"))
        e.web("wait", value="0.4")
        e.look()
    e.click("menuitem", name)


def click_tab(e: Episode) -> None:
    e.click("link", e.said(r"(Tab #\d+)")[0])


def click_tab_2(e: Episode) -> None:
    """Open tab after tab; where no tab has the link, the last one opened is the answer."""
    link = exact(e.quoted[0])
    for name in re.findall(TABS, e.seen):
        e.click("link", name)
        if e.web("click", selector=f"{link} >> visible=true", may_fail=True):
            return


def click_collapsible(e: Episode) -> None:
    e.click("tab")
    e.web("wait", selector="button >> visible=true")
    e.look()
    e.submit()


def click_collapsible_2(e: Episode) -> None:
    link = exact(e.quoted[0])
    for ref in e.refs("tab"):
        e.web("click", ref=ref)
        e.web("wait", value="0.4")
        if e.web("click", selector=f"{link} >> visible=true", may_fail=True):
            return
    raise Lost("no such link")


def click_widget(e: Episode) -> None:
    kind = e.quoted[0]
    selectors = {"textarea": "textarea", "text": "input:not([type=radio], [type=checkbox])"}
    if kind in selectors:
        e.web("click", selector=f"{selectors[kind]} >> nth=0")
    else:
        e.click(kind)


def buy_ticket(e: Episode) -> None:
    tickets = re.findall(rf'"Book for \$(\d+)" {REF}', e.seen)
    prices = [int(price) for price, _ in tickets]
    minutes = [int(h) * 60 + int(m) for h, m in re.findall(r"text: (\d+)h (\d+)m", e.seen)]
    kinds = {
        "cheapest": (prices, min),
        "most expensive": (prices, max),
        "shortest": (minutes, min),
        "longest": (minutes, max),
    }
    for words, (values, best) in kinds.items():
        if words in e.goal:
            e.web("click", ref=tickets[values.index(best(values))][1])
            return
    raise Lost(e.goal)


def find_greatest(e: Episode) -> None:
    cards = re.findall(r'clickable "(\d+)" (e\d+)', e.seen)
    e.web("click", ref=max(cards, key=lambda card: int(card[0]))[1])
    e.submit()


def odd_or_even(e: Episode) -> None:
    numbers = [int(text) for text in e.texts if re.fullmatch(r"-?\d+", text)]
    odd, even = e.refs("button", "Odd"), e.refs("button", "Even")
    for index, number in enumerate(numbers):
        e.web("click", ref=(odd if number % 2 else even)[index])
    e.submit()


def generate_number(e: Episode) -> None:
    word, limit = e.said(r"(greater|less|even|odd)(?: than (-?\d+))?")
    for _ in range(60):
        e.click("button", "Generate")
        e.look()
        shown = [text for text in e.texts if re.fullmatch(r"-?\d+(\.\d+)?", text)]
        if not shown:
            continue
        number = float(shown[0])
        fits = {
            "greater": lambda n: n > float(limit),
            "less": lambda n: n < float(limit),
            "even": lambda n: n % 2 == 0,
            "odd": lambda n: n % 2 == 1,
        }[word]
        if fits(number):
            break
    e.submit()


def navigate_tree(e: Episode) -> None:
    """Open folder after folder until the name is there."""
    name, opened = e.quoted[0], set[str]()
    for _ in range(12):
        shown = re.findall(r"\b[A-Z]\w+", e.seen.split("\n", 2)[2])
        if name in shown:
            e.web("click", selector=f"{exact(name)} >> visible=true")
            return
        closed = [each for each in shown if each not in opened]
        if not closed:
            raise Lost(e.seen)
        opened.add(closed[0])
        e.web("click", selector=f"{exact(closed[0])} >> visible=true", may_fail=True)
        e.web("wait", value="0.2")
        e.look()
    raise Lost(e.seen)


def phone_book(e: Episode) -> None:
    name, what = e.said(r"Find (\w+) in the contact book and click on their (.*)\.$")
    for _ in range(15):
        if f'"{name}"' in e.seen:
            label = {"phone number": "Phone:", "email": "Email:", "address": "Address:"}[what]
            e.click("clickable", re.findall(rf'{label}\s+clickable "([^"]+)"', e.seen)[0])
            return
        e.click("link", ">")
        e.look()
    raise Lost("nobody of that name")


def search_engine(e: Episode) -> None:
    number = int(e.said(r"(\d+)(?:st|nd|rd|th) search result")[0])
    e.fill(e.quoted[0])
    e.click("button", "Search")
    e.look()
    for _ in range((number - 1) // 3):
        e.click("link", ">")
        e.look()
    results = [
        r for r in re.findall(r'link "([^"]+)" e\d+', e.seen) if not re.fullmatch(r"\d+|[<>]", r)
    ]
    e.click("link", results[(number - 1) % 3])


def stock_market(e: Episode) -> None:
    limit = float(e.said(r"less than \$(\d+\.\d+)")[0])
    began = monotonic()
    while monotonic() - began < SHORT_OF_TEN:
        price = re.search(r"\$(\d+\.\d+)", e.look().split("\n", 2)[2])
        if price and float(price[1]) < limit:
            e.click("button", "Buy")
            return
        e.web("wait", value="0.05")
    raise Lost("it never became cheap")


TASKS = {
    "click-test": click_test,
    "click-test-2": click_named_button,
    "click-test-transfer": click_named_button,
    "click-button": click_quoted_button,
    "unicode-test": click_quoted_button,
    "click-button-sequence": click_sequence,
    "button-delay": button_delay,
    "click-checkboxes": click_checkboxes,
    "click-checkboxes-large": click_checkboxes,
    "click-checkboxes-transfer": click_checkboxes,
    "click-option": click_option,
    "choose-list": choose_list,
    "click-scroll-list": click_scroll_list,
    "click-dialog": click_dialog,
    "click-dialog-2": click_dialog,
    "click-link": click_link,
    "click-menu": click_menu,
    "click-menu-2": click_menu_2,
    "click-tab": click_tab,
    "click-tab-2": click_tab_2,
    "click-tab-2-easy": click_tab_2,
    "click-tab-2-medium": click_tab_2,
    "click-tab-2-hard": click_tab_2,
    "click-collapsible": click_collapsible,
    "click-collapsible-nodelay": click_collapsible,
    "click-collapsible-2": click_collapsible_2,
    "click-collapsible-2-nodelay": click_collapsible_2,
    "click-widget": click_widget,
    "buy-ticket": buy_ticket,
    "find-greatest": find_greatest,
    "odd-or-even": odd_or_even,
    "generate-number": generate_number,
    "navigate-tree": navigate_tree,
    "phone-book": phone_book,
    "search-engine": search_engine,
    "stock-market": stock_market,
}
