"""Input and output of `strap call`: fields without names, bodies of files, data, statuses."""

import io
import json
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from strap import UsageError
from strap.cli.call_words import to_arguments, with_contents
from strap.config import load
from strap.routing.assembly import make_router
from tests.site.server import Reply, serve


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    return make_router(load(environ={}, directory=home, home=home)).catalog


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (["http", "fetch", "https://a.b/?q=1&r=2"], "url", "https://a.b/?q=1&r=2"),
        (["http", "fetch", "method=HEAD", "a.b/?q=1"], "url", "a.b/?q=1"),
        (["fetch", "https://a.b/"], "url", "https://a.b/"),
        (["search", "query", "web standards"], "query", "web standards"),
        (["browser", "fill", "Ada", "ref=e1"], "value", "Ada"),
        (["http", "fetch", "url=https://a.b/?c"], "url", "https://a.b/?c"),
    ],
)
def test_the_one_required_field_needs_no_name(catalog, words, field, value):
    assert to_arguments(words, catalog)[field] == value


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["browser", "click", "e5"], r"browser.click: 'e5' needs the name of its field.*\[profile"),
        (["browser", "resize", "5"], "'5' needs the name of its field"),
        (["http", "fetch", "a", "b"], "A call is written as RESOURCE ACTION key=value"),
        (["http", "fetch", "a", "url=b"], "both as url=b and without its name"),
        (["htpt", "fetch", "a"], "Unknown resource: 'htpt' .* Did you mean 'http'"),
        (["url=a", "fetch", "b"], "A call is written as"),
        (["htpt", "a"], "Did you mean 'http'"),
        ([], "A call is written as"),
    ],
)
def test_words_that_cannot_be_meant(catalog, words, said):
    with pytest.raises(UsageError, match=said):
        catalog.find(*(to_arguments(words, catalog).get(k) for k in ("resource", "action")))


def test_a_body_of_a_file_or_of_standard_input(tmp_path):
    file = tmp_path / "body.json"
    file.write_text('{"a": "ä"}', "utf-8")
    assert with_contents([f"body=@{file}"], None) == ['body={"a": "ä"}']
    assert with_contents(["body=-"], io.BytesIO(b"x\n")) == ["body=x\n"]
    assert with_contents(["body=@", "text=@a"][1:], None) == ["text=@a"]
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        with_contents([f"body=@{tmp_path}/none"], None)
    file.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not text in UTF-8"):
        with_contents([f"body=@{file}"], None)
    with pytest.raises(UsageError, match="standard input has the calls"):
        with_contents(["body=-"], None)


@contextmanager
def echo():
    def answer(request):
        return Reply(headers={"Content-Type": "text/plain"}, body=request.body)

    with serve({"/": answer, "/gone": Reply(status=410), "/down": Reply(status=500)}) as site:
        yield site


def test_a_body_is_sent_and_the_data_are_printed(strap, tmp_path):
    (tmp_path / "body.txt").write_text("from a file")
    with echo() as site:
        words = ("call", "http", "fetch", f"{site}/?a=b", "method=POST", "--json")
        answer = json.loads(strap(*words, "body=@body.txt").stdout)
        assert answer["text"].endswith("from a file")
        assert (answer["data"]["status"], answer["data"]["url"]) == (200, f"{site}/?a=b")
        assert strap(*words[:-1], "body=-", stdin="piped").stdout.endswith("piped\n")


@pytest.mark.parametrize(
    ("words", "said"), [("-", ""), ("http fetch {} method=POST body=-", "200 ")]
)
def test_closed_standard_input_has_nothing(words, said, tmp_path):
    with echo() as site:
        command = f"{sys.executable} -m strap call {words.format(site)} <&-"
        env = os.environ | {"STRAP_HOME": str(tmp_path)}
        shown = subprocess.run(
            ("sh", "-c", command), capture_output=True, text=True, env=env, timeout=60, check=False
        )
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith(said)


def test_the_status_of_the_server_as_exit_status(strap):
    with echo() as site:
        words = ("call", "--check-status", "http", "fetch")
        assert strap(*words, f"{site}/").returncode == 0
        assert strap(*words, f"{site}/gone").returncode == 4
        assert strap(words[0], *words[2:], f"{site}/gone").returncode == 0
        lines = f"http fetch {site}/gone\nhttp fetch {site} urls={site}/down\nhttp help\n"
        assert strap("call", "-", "--check-status", stdin=lines).returncode == 5


def test_a_call_alone_says_how_a_session_is_kept(strap):
    """A new user launched the browser in the call before, and it ended with that."""
    words = ("browser", "snapshot")
    shown = strap("call", *words)
    assert shown.stderr.rstrip().endswith("in a session of its own; --keep keeps one.")
    answer = json.loads(strap("call", "--json", *words).stdout)
    assert "--keep" in answer["error"]["hint"]
    assert "--keep" in answer["text"]
    assert "--keep" not in strap("call", "-", stdin="browser snapshot").stderr


def test_a_call_alone_does_not_detach(strap):
    """The run would end with the process, so the caller would never have its result."""
    with echo() as site:
        words = ("http", "crawl", str(site), "output=pages", "detach=true")
        shown = strap("call", *words)
        assert shown.returncode == 2
        assert "--keep" in shown.stderr
        assert '"queued"' in strap("call", "-", stdin=" ".join(words)).stdout
