"""Finds the element that a recorded call was about in a page that has changed since.

Each piece of evidence that is equal gives points. The best element is taken where it has enough of
them, from several kinds, and clearly more than the next one. What identifies an element, such as a
test id or its name, must be among them: an element that only stands where the recorded one stood
is another one, as "Remove" is where "Add" was. If the recorded element had a test id or an id of
its own, the best one has one of them: without them another element with its words looks the same.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from strap import record
from strap.scripts.evidence import MARKS
from strap.targets.grammar import Target
from strap_browser.api import Evidence

POINTS = {"testid": 5.0, "id": 4.0, "field": 3.0, "path": 3.0}
"""Points of each mark; from the most lasting to what several elements may share."""
SAME_NAME, ALIKE_NAME = 4.0, 3.0
ALIKE = 2 / 3
"""Share of words that two names have in common, from which on they are alike."""
LEAST, KINDS, LEAD = 6.0, 3, 1.5
"""Points and kinds of evidence of the best one, and its lead over the second."""
STRONG = frozenset(("testid", "id", "name"))
IDENTIFYING = frozenset((*POINTS, "name", "name alike"))
FIELDS = frozenset(("combobox", "searchbox", "spinbutton", "textbox"))
FAMILIES = (
    frozenset(("button", "clickable", "link", "menuitem", "option", "tab", "treeitem")),
    FIELDS,
    frozenset(("checkbox", "menuitemcheckbox", "menuitemradio", "radio", "switch")),
)
"""Roles that are acted on in the same way."""
FINAL = re.compile(
    r"delet|remov|\bpay|purchas|\bbuy|\border|\bsend|submit|transfer|confirm|cancel"
    r"|lösch|entfern|bezahl|kauf|bestell|\bsend|überweis|supprim|payer|achet|command|envoy|virement"
    r"|borra|elimin|pagar|compra|\bpedi|envia|transfer|apagar|exclu|enviar|elimina|paga|acquist"
    r"|ordina|invia|bonific|verwijder|betaal|koop|verstuur|overmak|usuń|zapłać|kup|wyślij|przelej"
    r"|удал|оплат|купи|заказ|отправ|перев|sil\b|öde|satın|gönder|havale|削除|支払|購入|注文|送信|振込"  # noqa: RUF001
    r"|删除|支付|购买|下单|发送|转账|삭제|결제|구매|주문|보내|송금",
    re.IGNORECASE,
)
"""Names of acts that cannot be taken back, in 13 languages."""
CLOSES = re.compile(
    r"[×✕✖⨯xX]|(?:close|dismiss|reject|decline|deny|refuse|no,? thanks|not now|skip|maybe later"  # noqa: RUF001
    r"|schließen|ablehnen|nein,? danke|nicht jetzt|fermer|refuser|non,? merci|plus tard|cerrar"
    r"|rechazar|no,? gracias|fechar|recusar|rejeitar|não,? obrigad[oa]|chiudi|rifiuta|no,? grazie"
    r"|sluiten|weigeren|nee,? bedankt|zamknij|odrzuć|nie,? dziękuję|закрыть|отклонить|нет,? спасибо"
    r"|kapat|reddet|hayır,? teşekkürler|閉じる|拒否|关闭|拒绝|닫기|거부)"  # noqa: RUF001
    r"(?: (?:all|everything|alle|alles|tout|todo|todas?|tudo|tutto|все))?"
    r"(?: (?:cookies|dialog|banner|message|popup|modal|window|notice|notification))?",
    re.IGNORECASE,
)
"""Names of what closes a dialog or refuses its offer, as a whole."""
_WORD = re.compile(r"\w+")


@record
class Recorded:
    """The evidence of a call's element, its target as the script has it, and what it sent."""

    evidence: Evidence
    target: Target | None = None
    requests: Sequence[str] = ()

    @property
    def containers(self) -> set[str]:
        """Containers that must hold it: its target's, else the nearest with another name."""
        if self.target is not None and self.target.within:
            return {str(part) for part in self.target.within}
        own = f' "{self.evidence.name}"'
        return set([name for name in self.evidence.within if not name.endswith(own)][:1])

    @property
    def marks(self) -> dict[str, str]:
        """Attributes from its author, each unique on its page; the most lasting first."""
        marks = self.evidence.marks
        return {kind: marks[kind] for kind in MARKS if kind in marks}

    @property
    def is_final(self) -> bool:
        """Whether the act cannot be taken back, by its name or by a request other than GET."""
        sent = any(not request.startswith(("GET ", "HEAD ")) for request in self.requests)
        is_pressed = self.evidence.role not in FIELDS
        return sent or (is_pressed and bool(FINAL.search(self.evidence.name)))


@record
class Likeness:
    """An element and what it has in common with the recorded one."""

    evidence: Evidence
    points: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """The sum of points."""
        return sum(self.points.values())


def likest(recorded: Recorded, candidates: Sequence[Evidence]) -> list[Likeness]:
    """Return the candidates by likeness, the likest first."""
    known = [
        Likeness(evidence=candidate, points=_points(recorded, candidate))
        for candidate in candidates
    ]
    return sorted(known, key=lambda likeness: -likeness.total)


def choose(recorded: Recorded, ranked: Sequence[Likeness]) -> Likeness | None:
    """Return the one that is without doubt the recorded element, None where none is."""
    rivals = [likeness for likeness in ranked if _may_stand_there(recorded, likeness)]
    best = next((rival for rival in rivals if _can_be(rival)), None)
    if best is None or any(_is_marked_instead(likeness, best) for likeness in ranked):
        return None
    if recorded.marks and recorded.marks.keys().isdisjoint(best.points):
        return None
    second = max((rival.total for rival in rivals if rival != best), default=0.0)
    is_sure = best.total >= max(LEAST, LEAD * second) and len(best.points) >= KINDS
    strong = len(STRONG & best.points.keys())
    return best if is_sure and (strong >= 2 or not recorded.is_final) else None


def _is_marked_instead(other: Likeness, best: Likeness) -> bool:
    """Whether another element has a mark of the recorded one, and the best one has not."""
    return any(kind in other.points and kind not in best.points for kind in MARKS)


def closing(controls: Sequence[Evidence]) -> Evidence | None:
    """Return the control that closes what is in the way without agreeing to anything."""
    named = [control for control in controls if CLOSES.fullmatch(control.name.strip())]
    return named[0] if named else None


def _can_be(likeness: Likeness) -> bool:
    """Whether it is used in the same way as the recorded element, and something identifies it."""
    return "role" in likeness.points and not IDENTIFYING.isdisjoint(likeness.points)


def _may_stand_there(recorded: Recorded, likeness: Likeness) -> bool:
    """Whether it is in the row, or at the place, that told the recorded element from others.

    One that its author marked may be anywhere.
    """
    points, target = likeness.points, recorded.target
    if points.keys() & {"testid", "id"} or target is None:
        return True
    if target.place is not None and "place" not in points:
        return False
    return not target.within or "container" in points


def _points(original: Recorded, other: Evidence) -> dict[str, float]:
    recorded, containers = original.evidence, original.containers
    points = {
        kind: worth
        for kind, worth in POINTS.items()
        if recorded.marks.get(kind) and recorded.marks[kind] == other.marks.get(kind)
    }
    if recorded.name and recorded.name == other.name:
        points["name"] = SAME_NAME
    elif (share := _shared(recorded.name, other.name)) >= ALIKE:
        points["name alike"] = share * ALIKE_NAME
    if recorded.role == other.role:
        points["role"] = 2.0
    elif any({recorded.role, other.role} <= family for family in FAMILIES):
        points["role"] = 1.0
    if containers and containers <= set(other.within):
        points["container"] = 2.0
    for kind in ("heading", "before", "after"):
        if (own := getattr(recorded, kind)) and own == getattr(other, kind):
            points[kind] = 1.0
    if recorded.place and recorded.place[1] > 1 and recorded.place == other.place:
        points["place"] = 1.0
    return points


def _shared(first: str, second: str) -> float:
    """Return the share of words that both names have, of all that one of them has."""
    own, others = ({*_WORD.findall(name.casefold())} for name in (first, second))
    return len(own & others) / len(own | others) if own | others else 0.0
