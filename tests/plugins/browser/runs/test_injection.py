"""No text that the model gives to an action of the agent runs as a script."""

import pytest

from strap_agent.person.agent_actions import ACTIONS, refusal
from strap_agent.worker import known_actions
from tests.site.server import serve
from tests.support.model_server import act, acts, done, say

from .lab import laboratory

pytestmark = pytest.mark.anyio
RUN = "fetch('/ran?'+document.cookie)"
PAYLOADS = [
    f'zz")) {{ }} {RUN}; if (("',
    f"zz')) {{ }} {RUN}; if (('",
    f'zz\\")) {{ }} {RUN}; if (("',
    f"`${{{RUN}}}`",
    f"'+{RUN}+'",
    f"zz\u2028{RUN}\u2029//",
    f"zz\n{RUN}\r\n//",
    f'</script><img src=x onerror="{RUN}"><script>{RUN}</script>',
    f'x"]{{}}*[a="{RUN}',
    f'//*[contains(., "{RUN}")]',
    f'{{"__proto__":{{"toString":"{RUN}"}}}}',
    f"javascript:{RUN}",
]
"""One of each kind: quotes of three kinds, template ends, concatenation, line separators, line
breaks, HTML, CSS selectors, XPath, JSON and URL schemes."""
PAGE = """<!doctype html><title>Form</title><h1>Form</h1>
<script>document.cookie = "login=4711"</script><label>Name <input></label>
<label>Kind <select><option>a<option>b</select></label>"""
TEXTS = """<!doctype html><title>Texts</title><p>Top<p style="margin-top: 3000px">It is far below
<p>in <b>two</b> parts<p hidden>never drawn<div><template shadowrootmode="open">in a root</template>
</div>"""


@pytest.fixture
def lab(quick_lab, monkeypatch):
    monkeypatch.setattr(quick_lab.model, "script", [say("what `extract` asks the model for")])
    return quick_lab


@pytest.fixture(scope="module")
def trap():
    with serve({"/": PAGE, "/texts": TEXTS, "/ran": ""}) as trap:
        yield trap


def text_fields():
    """Each text field of each action that the agent has, with what else the action needs."""
    from browser_use import Tools

    tools = Tools()
    known_actions.keep_known(tools)
    for name, registered in tools.registry.registry.actions.items():
        fields = registered.param_model.model_fields
        for field, info in fields.items():
            if "str" not in str(info.annotation) or name == "done":
                continue
            others = {
                other: {"index": 1}.get(other, "x")
                for other, told in fields.items()
                if other != field and told.is_required()
            }
            yield name, field, "list" in str(info.annotation), others


async def test_no_text_of_an_action_runs(lab, trap):
    tried = []
    for name, field, is_list, others in text_fields():
        element = {"index": 2} if name == "select_dropdown" else {}
        texts = [[payload] if is_list else payload for payload in PAYLOADS]
        # Failures in a row would end the run, but not those of steps with several actions.
        script = [
            acts({"wait": {"seconds": 0}}, {name: {**others, **element, field: text}})
            for text in texts
        ]
        await lab.run(*script, done("tried"), url=f"{trap}/", max_steps=30, budget_s=120)
        assert [r.path for r in trap.requests if r.path.startswith("/ran")] == [], (name, field)
        tried.append(f"{name}.{field}")
    assert {"find_text.text", "search_page.css_scope", "find_elements.attributes"} <= set(tried)


async def test_find_text_scrolls(lab, trap):
    """The text may be spread over elements, in a shadow root, or written in other case."""
    asked = len(lab.model.asked)
    texts = ["far  BELOW", "in two parts", "in a root", "never drawn", "not there"]
    script = [act("find_text", text=text) for text in texts]
    answer = await lab.run(*script, done("ok"), url=f"{trap}/texts", max_steps=12)
    assert answer["status"] == "success"
    told = str([body["messages"] for body in lab.model.asked[asked:]])
    assert all(f"Scrolled to text: {text}" in told for text in texts[:3])
    assert all(f"Text {text!r} is not on the page, or not drawn." in told for text in texts[3:])


def test_an_action_that_nobody_knows_is_left_out():
    from browser_use import Tools

    tools = Tools()

    @tools.action("Run a script.")
    async def run_script(code: str) -> None:
        """An action that a new version of browser-use may bring."""

    assert known_actions.keep_known(tools) == ["run_script"]
    offered = tools.registry.registry.actions
    assert {"click", "done", "find_text"} <= set(offered) <= set(ACTIONS)
    for name, action in offered.items():
        assert set(action.param_model.model_fields) <= set(ACTIONS[name].fields)


def test_an_action_or_field_that_nobody_knows_is_refused_by_name():
    assert refusal("evaluate", {}).startswith("strap does not know the action 'evaluate'")
    assert refusal("click", {"index": 1, "script": "x"}).startswith(
        "strap does not know the field 'script' of click"
    )
    assert refusal("click", {"index": 1}) == refusal("go_back", {}) == ""


NEWER = """
import sys
if "strap_agent.worker" in sys.orig_argv:
    import browser_use.tools.service as service
    from pydantic import BaseModel
    class Find(BaseModel):
        text: str
        script: str = ""
    inner = service.Tools.__init__
    def init(self, *args, **kwargs):
        inner(self, *args, **kwargs)
        @self.action("Run a script.")
        async def run_script(script: str):
            return "it ran"
        del self.registry.registry.actions["find_text"]
        @self.action("Scroll to text.", param_model=Find)
        async def find_text(params: Find):
            return "it ran"
    service.Tools.__init__ = init
"""
"""A browser-use with one more action, and with one more field of one."""


async def test_a_newer_browser_use_is_told_what_it_is_refused(tmp_path, trap, monkeypatch):
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / "sitecustomize.py").write_text(NEWER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "newer"))
    async with laboratory(tmp_path / "home", trap) as lab:
        script = act("run_script", script="1"), act("find_text", text="Form", script="1")
        result = await lab.raw(*script, done("held"))
        asked = str([body["messages"] for body in lab.model.asked])
    assert (result.data["status"], result.data["result"]) == ("success", "held")
    named = "The agent did without actions that this strap does not know: run_script."
    assert named in result.data["warnings"]
    assert "strap does not know the field 'script' of find_text" in asked
    assert "it ran" not in asked
