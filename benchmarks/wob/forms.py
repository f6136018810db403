"""Tasks of richer controls: sliders, calendars, suggestions, whole forms, a terminal."""

import re

from benchmarks.wob.episode import Episode, Lost, exact


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
    items = re.findall(r"^ *- (e\d+): (.*)$", e.seen, re.MULTILINE)
    fits = [ref for ref, name in items if name.startswith(begin) and name.endswith(end)]
    if not fits:
        raise Lost(e.seen)
    e.web("click", ref=fits[0])
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
    """Fill fields whose labels stand above or below them, in the same order."""
    genre, director, year = e.said(r"Search for (\S+) movies directed by (\S+) from year (\d+)")
    values = {"Genre": genre, "Director": director, "Year": year, "Date": year}
    labels = re.findall(rf"\b({'|'.join(values)})\b", e.seen.split("\n", 2)[2])
    for label, ref in zip(labels, e.refs("textbox"), strict=True):
        e.web("fill", ref=ref, value=values[label])
    buttons = re.findall(r"(Search|Submit|Go!?)\W*(?:e\d+)?\s*$", e.seen, re.MULTILINE)
    if not buttons:
        raise Lost(e.seen)
    e.web("click", selector=f"{exact(buttons[-1])} >> visible=true")


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
