"""The how-to of docs/eval.md on detached runs, word by word, by a client of MCP."""

import json
import re
from pathlib import Path

from tests.mcp.conversation import text_of
from tests.site.server import serve
from tests.support.model_server import act, done, scripted

from .test_kills import Client

PAGE = (Path(__file__).parents[4] / "docs" / "eval.md").read_text("utf-8")
HOW_TO = PAGE.partition("## Runs that outlive the call")[2].partition("\n## ")[0]
FIELD = re.compile(r'(\w+): ("[^"]*"|[^,)]+)')


def test_word_by_word(tmp_path):
    lines = re.search(r"```text\n(.*?)```", HOW_TO, re.DOTALL)[1].splitlines()
    calls = [{k: json.loads(v) for k, v in FIELD.findall(line)} for line in lines[::2]]
    begin, ask = calls
    steps = [act("wait", seconds=3), done("12 orders")]
    with serve({"/": "<title>Shop</title><h1>12 orders</h1>"}) as site, scripted(steps) as model:
        begin["url"] = begin["url"].replace("https://shop.example", str(site))
        with Client(tmp_path, model) as client:
            begun = json.loads(text_of(client.send(**begin)))
            assert list(begun) == re.findall(r'"(\w+)":', lines[1])
            [again] = begun["next_actions"]
            ask["session_id"] = begun["session_id"]
            assert FIELD.findall(again) == [(k, json.dumps(v)) for k, v in ask.items()]
            told = client(**ask, timeout=1)
            assert told["state"] in ("queued", "running")
            assert set(told) <= {*re.findall(r'"(\w+)":', lines[3])}
            answer = client.ended(begun["session_id"])
    assert (answer["status"], answer["result"]) == ("success", "12 orders")
