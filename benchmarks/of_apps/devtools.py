"""How Chrome DevTools MCP is told the calls of a plan."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.of_apps.peers import Peer
from benchmarks.of_apps.playing import Cannot
from benchmarks.wire import Answer, Server


class DevTools(Peer):
    """Every call names its page; elements have a `uid`."""

    line = re.compile(
        r'(?P<indent>\s*)uid=(?P<ref>\S+) (?P<role>\w+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?'
    )

    def __init__(self, server: Server, uploads: str) -> None:
        super().__init__(server, uploads)
        self._number = 1

    @property
    def snapshot(self) -> tuple[str, Mapping[str, Any]]:
        return "take_snapshot", {"pageId": self._number}

    def turn(self, fields: Mapping[str, Any]) -> Callable[[], Answer] | None:
        if fields.get("target_id", self._page) != self._page:
            self._page, self._nodes = fields["target_id"], ()
            self._number = int(self._page[1:])
        return None

    def first(self, action: str, fields: dict[str, Any]) -> tuple[str, Any] | None:
        # Keys go to where the focus is.
        return (
            self.to_click({"ref": fields["ref"]}) if action == "type" and "ref" in fields else None
        )

    def _to(self, tool: str, fields: Mapping[str, Any], **more: Any) -> tuple[str, Any]:
        if "selector" in fields or str(fields.get("ref", "")).startswith("#"):
            raise Cannot("no selectors")
        uid = {"uid": self.ref(fields)} if "ref" in fields else {}
        return tool, {"pageId": self._number, **uid, **more}

    def to_navigate(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return self._to("navigate_page", {}, type="url", url=fields["url"])

    def to_new_page(self, fields: dict[str, Any]) -> tuple[str, Any]:
        self._page, self._number = "t2", 2
        return "new_page", {"url": fields["url"]}

    def to_click(self, fields: dict[str, Any]) -> tuple[str, Any]:
        if fields.get("value") not in (None, "double") or fields.get("key"):
            raise Cannot("no other button, no key held")
        more = {"dblClick": True} if fields.get("value") else {}
        return self._to("click", fields, **more)

    def to_fill(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return self._to("fill", fields, value=fields["value"])

    to_select = to_fill

    def to_type(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return self._to("type_text", {}, text=fields["text"])

    def to_press(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return self._to("press_key", {}, key=fields["key"])

    def to_hover(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return self._to("hover", fields)

    def to_drag(self, fields: dict[str, Any]) -> tuple[str, Any]:
        if re.match(r"-?\d+,", fields["value"]):
            raise Cannot("no drag along a path")
        ends = [
            self._to("", {"ref": fields.get("ref", "#")}),
            self._to("", {"ref": fields["value"]}),
        ]
        start, end = (arguments["uid"] for _, arguments in ends)
        return self._to("drag", {}, from_uid=start, to_uid=end)

    def to_wait(self, fields: dict[str, Any]) -> tuple[str, Any]:
        if "text" not in fields or fields.get("value") == "gone":
            raise Cannot("no wait but for a text")
        return self._to("wait_for", {}, text=[fields["text"]])

    def to_dialog(self, fields: dict[str, Any]) -> tuple[str, Any]:
        return self._to("handle_dialog", {}, action=fields.get("value", "accept"))

    def to_upload(self, fields: dict[str, Any]) -> tuple[str, Any]:
        files = [str(Path(self.uploads) / name) for name in json.loads(fields["paths"])]
        return self._to("upload_file", {"ref": fields["ref"]}, filePaths=files)
