"""A form task in five calls: navigate, snapshot, fill, click, and a second look.

And the same in four calls, as strap's `navigate` shows a small page, so that nobody who reads its
answer looks again; and in one call of `batch`, which names its elements by selectors.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from benchmarks.bench import Bench, Samples, Table, ready
from benchmarks.dialects import Dialect
from benchmarks.peers import Peer
from benchmarks.wire import Answer, Failed, Server

Tool = Callable[[str, Mapping[str, Any]], Answer]
"""Calls a tool with arguments."""
FEWER = "strap, without the look after navigate"
BATCH = "strap, in one batch"
COLUMNS = ("ms", "result tokens", "bytes on the wire", "status seen in the last look, %")


def measure(bench: Bench) -> Table:
    samples = Samples(COLUMNS)
    with ExitStack() as stack:
        servers: dict[Peer, Server] = {}
        for peer in bench.variants:
            with samples.trial(peer.name):
                server = stack.enter_context(ready(peer))
                assert peer.dialect
                peer.dialect.open(server, f"{bench.site}/article.html")
                servers[peer] = server
        for number in range(bench.runs(8, 2)):
            for peer, server in list(servers.items()):
                with samples.trial(peer.name):
                    _work(bench, peer, server, f"Ada {number}", samples)
                if peer.name in samples.failures:
                    del servers[peer]
            if bench.strap in servers:
                with samples.trial(FEWER):
                    _work(bench, bench.strap, servers[bench.strap], f"Eve {number}", samples, FEWER)
                with samples.trial(BATCH):
                    _work_at_once(bench, servers[bench.strap], f"Ada {number}", samples)
    rivals = [who for who in samples.values if who not in (bench.strap.name, FEWER, BATCH)]
    return samples.table("Form task in five calls", others=rivals)


def _work(
    bench: Bench, peer: Peer, server: Server, name: str, samples: Samples, who: str = ""
) -> None:
    assert peer.dialect
    answers = fill_in(server.call, peer.dialect, bench.site, name, looks=who != FEWER)
    _note(bench, who or peer.name, answers, name, samples)


def fill_in(
    call: Tool, dialect: Dialect, site: str, name: str, *, looks: bool = True
) -> list[Answer]:
    """Do the task, and return what was answered; raises `Failed` where it is not done.

    Unless it `looks`, the answer of navigate has to show the page.
    """
    answers = [call(*dialect.navigate(f"{site}/form.html"))]
    if looks:
        answers.append(call(*dialect.snapshot))
    seen = answers[-1].text
    answers.append(call(*dialect.fill(dialect.find(seen, "textbox", "Name"), name)))
    answers.append(call(*dialect.click(dialect.find(seen, "button", "Submit"))))
    answers.append(call(*dialect.snapshot))
    if f"Submitted {name}" not in call(*dialect.read("status")).text:
        raise Failed("the form was not submitted")
    return answers


def _work_at_once(bench: Bench, server: Server, name: str, samples: Samples) -> None:
    steps = [
        f"navigate url={bench.site}/form.html",
        "snapshot",
        f"fill selector='input >> nth=0' value='{name}'",
        "click selector='form button >> nth=0'",
        "snapshot",
    ]
    arguments = {"resource": "browser", "action": "batch", "steps": steps}
    answer = server.call("web", arguments)
    if f"Submitted {name}" not in answer.text:
        raise Failed(f"the form was not submitted: {answer.text[:300]}")
    _note(bench, BATCH, [answer], name, samples)


def _note(bench: Bench, who: str, answers: Sequence[Answer], name: str, samples: Samples) -> None:
    figures = (
        sum(answer.ms for answer in answers),
        sum(bench.tokens(answer.text) for answer in answers),
        sum(answer.size for answer in answers),
        100.0 * (f"Submitted {name}" in answers[-1].text),
    )
    for column, value in zip(COLUMNS, figures, strict=True):
        samples.add(who, column, value)
