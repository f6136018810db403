"""Tasks of fields: texts, dates, tables, sums."""

import re

from benchmarks.wob.episode import Episode

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
    """Send away whatever comes in between, and fill again what it kept from being filled."""
    for number, value in enumerate(e.quoted):
        for _ in range(3):
            said = e.web("fill", ref=e.refs("textbox")[number], value=value, may_fail=True)
            e.look()
            cancel = e.refs("button", "Cancel")
            if cancel:
                e.web("click", ref=cancel[0])
                e.look()
            elif said and " but it " not in said:
                break
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
    """With the keys that copy and paste: from a box with a text into the empty one."""
    number = re.search(r"(\d+)(?:st|nd|rd|th)", e.goal)
    full = re.findall(r"textbox (e\d+): ", e.seen)
    (empty,) = [ref for ref in e.refs("textbox") if ref not in full]
    e.web("press", ref=full[int(number[1]) - 1 if number else 0], key="Control+A Control+C")
    e.web("press", ref=empty, key="Control+V")
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
}
