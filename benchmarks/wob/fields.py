"""Tasks of fields: texts, dates, tables, sliders, forms."""

import re

from benchmarks.wob.episode import Episode, Lost

FACTS = r"row: ([^|]+) \| (.*)$"


def enter_text(e: Episode) -> None:
    e.fill(e.quoted[0])
    e.submit()


def enter_text_2(e: Episode) -> None:
    word = e.quoted[0]
    e.web("type", ref=e.ref("textbox"), text=word.lower() if "lower" in e.goal else word.upper())
    e.submit()


def enter_password(e: Episode) -> None:
    e.fill(e.quoted[0], 0)
    e.fill(e.quoted[0], 1)
    e.submit()


def login_user(e: Episode) -> None:
    """Everything in one call."""
    name, password = e.quoted
    first, second = e.refs("textbox")
    steps = [
        f"fill ref={first} value='{name}'",
        f"fill ref={second} value='{password}'",
        f"click ref={e.ref('button', 'Login')}",
    ]
    e.web("batch", steps=steps)


def login_user_popup(e: Episode) -> None:
    for number, value in enumerate(e.quoted):
        for _ in range(3):
            if e.web("fill", ref=e.refs("textbox")[number], value=value, may_fail=True):
                break
            e.look()
            close = [*e.refs("button", "Cancel"), *e.refs("button", "Close")]
            if close:
                e.web("click", ref=close[0])
                e.look()
        e.look()
        for name in ("Cancel", "No"):
            if e.refs("button", name):
                e.click("button", name)
                e.look()
    e.click("button", "OK" if e.refs("button", "OK") else "Login")


def enter_date(e: Episode) -> None:
    month, day, year = e.said(r"(\d+)/(\d+)/(\d+)")
    e.fill(f"{year}-{month}-{day}")
    e.submit()


def enter_time(e: Episode) -> None:
    hour, minute, half = e.said(r"(\d+):(\d+) ([AP]M)")
    e.fill(f"{int(hour) % 12 + (12 if half == 'PM' else 0):02}:{minute}")
    e.submit()


def focus_text(e: Episode) -> None:
    number = re.search(r"(\d+)(?:st|nd|rd|th)", e.goal)
    e.web("click", ref=e.refs("textbox")[int(number[1]) - 1 if number else 0])


def copy_paste(e: Episode) -> None:
    """With the keys that copy and paste."""
    number = re.search(r"(\d+)(?:st|nd|rd|th)", e.goal)
    boxes = e.refs("textbox")
    e.web("press", ref=boxes[int(number[1]) - 1 if number else 0], key="Control+A Control+C")
    e.web("press", ref=boxes[-1], key="Control+V")
    e.submit()


def find_word(e: Episode) -> None:
    number = int(e.said(r"(\d+)(?:st|nd|rd|th) word")[0])
    words = e.texts[1].split()
    e.fill(words[number - 1].strip(".,"))
    e.submit()


def read_table(e: Episode) -> None:
    facts = dict(re.findall(FACTS, e.seen, re.MULTILINE))
    e.fill(facts[e.said(r"value of (.*) into")[0]])
    e.submit()


def read_table_2(e: Episode) -> None:
    facts = dict(re.findall(FACTS, e.seen, re.MULTILINE))
    labels = [text.rstrip(":") for text in e.texts if text.rstrip(":") in facts]
    for number, label in enumerate(labels):
        e.fill(facts[label], number)
    e.submit()


def simple_arithmetic(e: Episode) -> None:
    left, sign, right = re.findall(r"(-?\d+) ([-+x/]) (-?\d+)", "\n".join(e.texts))[0]
    a, b = int(left), int(right)
    e.fill(str({"+": a + b, "-": a - b, "x": a * b, "/": a // b if b else 0}[sign]))
    e.submit()


def simple_algebra(e: Episode) -> None:
    left, sign, right, result = re.findall(
        r"(x|-?\d+) ([-+]) (x|-?\d+) = (-?\d+)", "\n".join(e.texts)
    )[0]
    total = int(result)
    if left == "x":
        solved = total - int(right) if sign == "+" else total + int(right)
    else:
        solved = total - int(left) if sign == "+" else int(left) - total
    e.fill(str(solved))
    e.submit()


def text_transform(e: Episode) -> None:
    e.fill("".join(text for text in e.texts[1:] if len(text) == 1))
    e.submit()


def scroll_text(e: Episode) -> None:
    text = e.web("text", ref=e.refs("textbox")[0])
    e.fill(text.split()[-1].strip("."), 1)
    e.submit()


def scroll_text_2(e: Episode) -> None:
    e.web("scroll", ref=e.ref("textbox"), text="top" if "to the top" in e.goal else "bottom")
    e.submit()


def sign_agreement(e: Episode) -> None:
    if not e.quoted:
        e.click("button", "Cancel")
        return
    name, button = e.quoted
    e.web("scroll", ref=e.ref("textbox"), text="bottom")
    e.look()
    e.web("fill", ref=e.ref("textbox", "Name"), value=name)
    e.click("button", button)


def guess_number(e: Episode) -> None:
    low, high = 0, 9
    while low <= high:
        middle = (low + high) // 2
        e.fill(str(middle), role="spinbutton")
        e.submit()
        said = e.look().lower()
        if "higher" in said:
            low = middle + 1
        elif "lower" in said:
            high = middle - 1
        else:
            return


def use_slider(e: Episode) -> None:
    _slide(e, int(e.said(r"Select (-?\d+)")[0]))
    e.submit()


def use_slider_2(e: Episode) -> None:
    """Slider after slider, by the keys that the first one hears when it has the focus."""
    wanted = [int(each) for each in e.said(r"\[(-?\d+),(-?\d+),(-?\d+)\]")]
    for number, goal in enumerate(wanted):
        _slide(e, goal, number)
    e.submit()


def _slide(e: Episode, goal: int, number: int = 0) -> None:
    """Give a slider without a name the focus and move it by keys."""
    e.web("press", key="Tab")
    shown = [int(text) for text in e.texts[1:] if re.fullmatch(r"-?\d+", text)]
    steps = goal - shown[number]
    key = "ArrowRight" if steps > 0 else "ArrowLeft"
    while steps:
        count = min(abs(steps), 90)
        e.web("press", key=" ".join([key] * count))
        steps -= count if steps > 0 else -count


def use_spinner(e: Episode) -> None:
    e.web("fill", ref=e.ref("spinbutton"), value=e.said(r"Select (-?\d+)")[0])
    e.submit()


def use_autocomplete(e: Episode) -> None:
    begin, end = [*e.quoted, ""][:2]
    e.web("type", ref=e.ref("textbox"), text=begin)
    e.web("wait", value="0.6")
    e.look()
    names = re.findall(r"^ *- e\d+: (.*)$", e.seen, re.MULTILINE)
    fits = [name for name in names if name.startswith(begin) and name.endswith(end)]
    if not fits:
        raise Lost(e.seen)
    e.web("click", selector=f'text="{fits[0]}" >> visible=true')
    e.submit()


def choose_date(e: Episode) -> None:
    month, day, _ = e.said(r"(\d+)/(\d+)/(\d+)")
    e.web("click", ref=e.ref("textbox"))
    e.web("wait", selector=".ui-datepicker-calendar")
    for _ in range(12 - int(month)):
        e.web("click", selector='text="Prev"')
    e.web("click", selector=f'td >> text="{int(day)}"')
    e.web("wait", value="0.3")
    e.submit()


def form_sequence(e: Episode) -> None:
    goal, number = e.said(r"Select (-?\d+) with the slider, click the (\d)")
    _slide(e, int(goal))
    e.web("click", ref=e.refs("checkbox")[int(number) - 1])
    e.submit()


def form_sequence_2(e: Episode) -> None:
    radio, value, box = e.said(r'Check the (\d)\w+ radio.* "(-?\d+)" into the (\d)')
    e.web("click", ref=e.refs("radio")[int(radio) - 1])
    e.fill(value, int(box) - 1)
    e.submit()


def form_sequence_3(e: Episode) -> None:
    choice = e.said(r"Choose (.*) from the dropdown")[0]
    e.web("select", ref=e.ref("combobox"), value=choice)
    e.click("button", e.quoted[0])


def movies(e: Episode) -> None:
    genre, director, year = e.said(r"Search for (\S+) movies directed by (\S+) from year (\d+)")
    values = {"Genre": genre, "Year": year, "Director": director}
    lines = e.seen.splitlines()
    label = ""
    for line in lines:
        for name in values:
            if name in line and "movies" not in line:
                label = name
        field = re.search(r"textbox (e\d+)", line)
        if field and label:
            e.web("fill", ref=field[1], value=values.pop(label))
            label = ""
    button = re.search(r'(?:button|clickable) "(?:Submit|Search)" (e\d+)', e.seen)
    if button is None:
        raise Lost(e.seen)
    e.web("click", ref=button[1])


def terminal(e: Episode) -> None:
    ending = e.said(r"extension (\.\w+)")[0] if "extension" in e.goal else ""
    box = e.ref("textbox")
    e.web("type", ref=box, text="ls\n")
    files = re.findall(r"[\w-]+\.\w+|\b[\w-]+\b", e.look().split("ls", 1)[1])
    fits = [f for f in files if (f.endswith(ending) if ending else "." not in f)]
    if not fits:
        raise Lost(e.seen)
    e.web("type", ref=e.ref("textbox"), text=f"rm {fits[0]}\n")


TASKS = {
    "enter-text": enter_text,
    "enter-text-dynamic": enter_text,
    "enter-text-2": enter_text_2,
    "enter-password": enter_password,
    "login-user": login_user,
    "login-user-popup": login_user_popup,
    "enter-date": enter_date,
    "enter-time": enter_time,
    "focus-text": focus_text,
    "focus-text-2": focus_text,
    "copy-paste": copy_paste,
    "copy-paste-2": copy_paste,
    "find-word": find_word,
    "read-table": read_table,
    "read-table-2": read_table_2,
    "simple-arithmetic": simple_arithmetic,
    "simple-algebra": simple_algebra,
    "text-transform": text_transform,
    "scroll-text": scroll_text,
    "scroll-text-2": scroll_text_2,
    "sign-agreement": sign_agreement,
    "guess-number": guess_number,
    "use-slider": use_slider,
    "use-slider-2": use_slider_2,
    "use-spinner": use_spinner,
    "use-autocomplete": use_autocomplete,
    "use-autocomplete-nodelay": use_autocomplete,
    "choose-date": choose_date,
    "choose-date-easy": choose_date,
    "choose-date-medium": choose_date,
    "choose-date-nodelay": choose_date,
    "form-sequence": form_sequence,
    "form-sequence-2": form_sequence_2,
    "form-sequence-3": form_sequence_3,
    "multi-layouts": movies,
    "multi-orderings": movies,
    "terminal": terminal,
}
