"""A form task in five calls: navigate, snapshot, fill, click, and a second look."""

from contextlib import ExitStack

from benchmarks.bench import Bench, Samples, Table, ready
from benchmarks.peers import Peer
from benchmarks.wire import Failed, Server

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
    return samples.table("Form task in five calls")


def _work(bench: Bench, peer: Peer, server: Server, name: str, samples: Samples) -> None:
    dialect = peer.dialect
    assert dialect
    answers = [server.call(*dialect.navigate(f"{bench.site}/form.html"))]
    answers.append(server.call(*dialect.snapshot))
    seen = answers[-1].text
    answers.append(server.call(*dialect.fill(dialect.find(seen, "textbox", "Name"), name)))
    answers.append(server.call(*dialect.click(dialect.find(seen, "button", "Submit"))))
    answers.append(server.call(*dialect.snapshot))
    if f"Submitted {name}" not in server.call(*dialect.read("status")).text:
        raise Failed("the form was not submitted")
    figures = (
        sum(answer.ms for answer in answers),
        sum(bench.tokens(answer.text) for answer in answers),
        sum(answer.size for answer in answers),
        100.0 * (f"Submitted {name}" in answers[-1].text),
    )
    for column, value in zip(COLUMNS, figures, strict=True):
        samples.add(peer.name, column, value)
