"""Pages with controls, a way through them, and what may become of them between two releases."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from strap.scripts.script import Line
from strap.targets.grammar import Mark, Part
from strap_cases.replays.recordings import call

WORDS = (
    *("Order", "Cancel", "Next", "Back", "Search", "Account", "Basket"),
    *("Help", "Save", "Delete", "Agree", "Print", "Share", "Invite"),
    *("Close", "Newsletter", "Colour", "Town", "Street", "Name", "Voucher"),
    *("Wish", "Language", "Theme", "Archive", "Restore", "Export", "Import"),
)
KINDS = ("button", "button", "link", "textbox", "checkbox")
CONTROLS, STEPS = 9, 5
LATE_MS = (50, 150, 400)
LIBRARY = "<script type=module src=/@shoelace-style/shoelace/cdn/shoelace.js></script>"
PAGE = """<!doctype html><title>Page {number}</title>{head}<main>{shown}</main><script>
window.acts = [];
const told = ({{target}}) => {{ if (target.dataset.uid) window.acts.push(target.dataset.uid); }};
addEventListener('click', (event) => {{
  if (event.target.type !== 'text') told(event);
  if (event.target.matches('a, [href]')) event.preventDefault();
}});
addEventListener('input', (event) => {{ if (event.target.type === 'text') told(event); }});
{late}
</script>"""


@dataclass(frozen=True, kw_only=True)
class Control:
    """An element that is acted on; `uid` is what it is, whatever it is called."""

    uid: str
    role: str
    name: str
    testid: str | None = None
    id: str | None = None
    late_ms: int = 0
    hidden: bool = False
    deep: int = 0
    """Elements that it stands in."""
    widget: bool = False
    """Whether it is a widget of a library, with a shadow root, which has the marks outside it."""

    @property
    def target(self) -> Part:
        """Target of the element in a recording."""
        known = {"testid": self.testid, "id": self.id}
        marks = tuple(Mark(kind=kind, value=value) for kind, value in known.items() if value)
        return Part(role=self.role, name=self.name, marks=marks)

    def fits(self, other: "Control") -> bool:
        """Tell whether a recording of another one fits it."""
        same = (self.role, self.name) == (other.role, other.name) and not self.hidden
        return same and {*other.target.marks} <= {*self.target.marks}

    def html(self) -> str:
        """Return it as HTML."""
        given = {"data-uid": self.uid, "data-testid": self.testid, "id": self.id}
        attributes = "".join(f' {key}="{escape(v)}"' for key, v in given.items() if v is not None)
        name = escape(self.name)
        inner = {
            "button": f"<button{attributes}>{name}</button>",
            "link": f'<a href="#{name}"{attributes}>{name}</a>',
            "textbox": f'<input type=text aria-label="{name}"{attributes}>',
            "checkbox": f'<input type=checkbox aria-label="{name}"{attributes}>',
        }[self.role]
        if self.widget:
            inner = {
                "button": f"<sl-button{attributes}>{name}</sl-button>",
                "link": f'<sl-button href="#{name}"{attributes}>{name}</sl-button>',
                "textbox": f'<sl-input type=text label="{name}"{attributes}></sl-input>',
                "checkbox": f"<sl-checkbox{attributes}>{name}</sl-checkbox>",
            }[self.role]
        style = ' style="display:none"' if self.hidden else ""
        return "<div>" * self.deep + f"<p{style}>{inner}</p>" + "</div>" * self.deep


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A page and what is done on it; `lines` are the recording."""

    number: int
    controls: Sequence[Control]
    steps: Sequence[Control]
    mutations: Sequence[str] = field(default_factory=tuple)

    @property
    def lines(self) -> list[Line]:
        """The recording."""
        return [call("wait", url=f"/flows/{self.number}"), *map(_call, self.steps)]

    @property
    def wanted(self) -> list[str]:
        """The uids of what is acted on, in order."""
        return [control.uid for control in self.steps]

    @property
    def is_whole(self) -> bool:
        """Whether each element is still there and can be told from all others."""
        return all(
            [each.uid for each in self.controls if each.fits(step)] == [step.uid]
            for step in self.steps
        )

    def html(self) -> str:
        """Return the page."""
        shown = "\n".join(
            c.html() if not c.late_ms else f"<i id=at{n}></i>" for n, c in self.places
        )
        late = "\n".join(
            f"setTimeout(() => {{ at{n}.outerHTML = {c.html()!r}; }}, {c.late_ms});"
            for n, c in self.places
            if c.late_ms
        )
        head = LIBRARY if any(each.widget for each in self.controls) else ""
        return PAGE.format(number=self.number, shown=shown, late=late, head=head)

    def of_widgets(self) -> "Flow":
        """Return the same page, of a library's widgets."""
        controls, steps = (
            [replace(each, widget=True) for each in some] for some in (self.controls, self.steps)
        )
        return replace(self, controls=controls, steps=steps)

    @property
    def places(self) -> Iterator[tuple[int, Control]]:
        """Yield each control with its number."""
        return enumerate(self.controls)


def _call(control: Control) -> Line:
    ref = str(control.target)
    if control.role == "textbox":
        return call("fill", ref=ref, value="abc")
    return call("click", ref=ref)


def flow(number: int) -> Flow:
    """Return a page of its own for each number."""
    dice = random.Random(number)
    names = dice.sample(WORDS, CONTROLS)
    controls = [_control(dice, name, place) for place, name in enumerate(names)]
    return Flow(number=number, controls=controls, steps=dice.sample(controls, STEPS))


def _control(dice: random.Random, name: str, place: int) -> Control:
    testid = name.lower() if dice.random() < 0.4 else None
    own_id = f"{name.lower()}-control" if dice.random() < 0.3 else None
    return Control(uid=f"u{place}", role=dice.choice(KINDS), name=name, testid=testid, id=own_id)


def mutated(number: int) -> Flow:
    """Return the page after one to three changes."""
    dice, made = random.Random(-number - 1), flow(number)
    for _ in range(dice.randint(1, 3)):
        name = dice.choice(list(MUTATIONS))
        controls = list(made.controls)
        MUTATIONS[name](dice, controls)
        made = replace(made, controls=controls, mutations=(*made.mutations, name))
    return made


def _rename(dice: random.Random, controls: list[Control]) -> None:
    at = dice.randrange(len(controls))
    new = dice.choice([word for word in WORDS if word not in {each.name for each in controls}])
    controls[at] = replace(controls[at], name=new)


def _swap(dice: random.Random, controls: list[Control]) -> None:
    one, other = dice.sample(range(len(controls)), 2)
    controls[one], controls[other] = controls[other], controls[one]


def _relabel(dice: random.Random, controls: list[Control]) -> None:
    """Two change their names; without another mark nobody could tell that of a swap."""
    marked = [n for n, each in enumerate(controls) if each.testid or each.id]
    if len(marked) < 2:
        return
    one, other = dice.sample(marked, 2)
    names = controls[one].name, controls[other].name
    controls[one] = replace(controls[one], name=names[1])
    controls[other] = replace(controls[other], name=names[0])


def _duplicate(dice: random.Random, controls: list[Control]) -> None:
    found = dice.choice(controls)
    twin = replace(found, uid=f"{found.uid}-twin", testid=dice.choice([None, found.testid]))
    controls.insert(dice.randrange(len(controls) + 1), replace(twin, id=None))


def _hidden_twin(dice: random.Random, controls: list[Control]) -> None:
    found = dice.choice(controls)
    twin = replace(found, uid=f"{found.uid}-hidden", hidden=True, id=None)
    controls.insert(dice.randrange(len(controls) + 1), twin)


def _impostor(dice: random.Random, controls: list[Control]) -> None:
    """One goes, and another takes its name, but not its marks."""
    marked = [n for n, each in enumerate(controls) if each.testid or each.id]
    if marked:
        at = dice.choice(marked)
        uid = f"{controls[at].uid}-impostor"
        controls[at] = replace(controls[at], uid=uid, testid=None, id=None)


def _move(dice: random.Random, controls: list[Control]) -> None:
    found = controls.pop(dice.randrange(len(controls)))
    moved = replace(found, deep=dice.randint(1, 4))
    controls.insert(dice.randrange(len(controls) + 1), moved)


def _remove(dice: random.Random, controls: list[Control]) -> None:
    controls.pop(dice.randrange(len(controls)))


def _late(dice: random.Random, controls: list[Control]) -> None:
    at = dice.randrange(len(controls))
    controls[at] = replace(controls[at], late_ms=dice.choice(LATE_MS))


def _other_role(dice: random.Random, controls: list[Control]) -> None:
    at = dice.randrange(len(controls))
    roles = sorted({*KINDS} - {controls[at].role})
    controls[at] = replace(controls[at], role=dice.choice(roles))


MUTATIONS = {
    "rename": _rename,
    "swap": _swap,
    "relabel": _relabel,
    "duplicate": _duplicate,
    "hidden twin": _hidden_twin,
    "impostor": _impostor,
    "move": _move,
    "remove": _remove,
    "late": _late,
    "other role": _other_role,
}
