"""Side channels of a public page, beside its requests: not even a connection is made."""

import socket
import threading
from contextlib import contextmanager

import pytest

from tests.plugins.browser.gate.test_pages import PUBLIC, go, opened
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio
HEAD = """<title>waits</title><meta name=referrer content=no-referrer>
<link rel=preconnect href=TARGET/a><link rel=prerender href=TARGET/b>
<link rel=prefetch href=TARGET/c><link rel=modulepreload href=TARGET/d>
<link rel=icon href=TARGET/e><link rel=manifest href=TARGET/f>
<link rel=compression-dictionary href=TARGET/g>
<script type=speculationrules>{"prefetch": [{"urls": ["TARGET/h"], "eagerness": "immediate"}],
  "prerender": [{"urls": ["TARGET/i"], "eagerness": "immediate"}]}</script>
<a href=/ ping=TARGET/j>Leave</a>
<iframe sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
  srcdoc="<script>open('TARGET/k')</script>"></iframe>
<iframe src="data:text/html,<script>location='TARGET/l'</script>"></iframe>
<embed src=TARGET/m><video src=TARGET/n></video><img src=/blocked>"""
SCRIPT = """<script>
const blob = (code) => URL.createObjectURL(new Blob([code]));
new SharedWorker(blob("fetch('TARGET/o', {mode: 'no-cors'}); importScripts('TARGET/p')"));
CSS.paintWorklet?.addModule("TARGET/q").catch(() => {});
new AudioContext().audioWorklet?.addModule("TARGET/r").catch(() => {});
addEventListener("pagehide", () => {
  navigator.sendBeacon("TARGET/s", "x");
  fetch("TARGET/t", {method: "POST", mode: "no-cors", keepalive: true});
});
try { new WebTransport("https://127.0.0.1:PORT/u") } catch {}
const own = {username: "a", credential: "b"};
const peer = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:PORT"},
  ...["udp", "tcp"].map((way) => ({urls: `turn:127.0.0.1:PORT?transport=${way}`, ...own}))]});
peer.createDataChannel("x");
peer.createOffer().then((offer) => peer.setLocalDescription(offer));
setTimeout(() => { document.title = "done" }, 1500);
</script>"""
TOLD = {
    "Content-Type": "text/html",
    "Link": "<TARGET/v>; rel=preconnect, <TARGET/w>; rel=preload; as=style",
    "Content-Security-Policy": "img-src 'none'; report-uri TARGET/x; report-to here",
    "Reporting-Endpoints": 'here="TARGET/y", default="TARGET/z"',
}


@contextmanager
def counted():
    """A port of this machine: yields it, and all that comes there by TCP or UDP."""
    came = []

    def connected():
        connection, _ = tcp.accept()
        connection.close()
        return "a connection"

    def take(receive):
        while True:
            try:
                came.append(receive())
            except OSError:
                return

    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with tcp, udp:
        udp.bind(tcp.getsockname())
        ways = (connected, lambda: udp.recv(99))
        threads = [threading.Thread(target=take, args=(way,)) for way in ways]
        for thread in threads:
            thread.start()
        try:
            yield tcp.getsockname()[1], came
        finally:
            tcp.shutdown(socket.SHUT_RDWR)
            udp.setblocking(False)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
                end.sendto(b"end", udp.getsockname())
            for thread in threads:
                thread.join(10)


@pytest.mark.parametrize("network", ["local", "public"])
async def test_no_connection_is_made(tmp_path, network):
    with counted() as (port, came):

        def aimed(text):
            return text.replace("TARGET", f"http://127.0.0.1:{port}").replace("PORT", str(port))

        headers = {name: aimed(value) for name, value in TOLD.items()}
        routes = {
            "/": "<title>Public</title>",
            "/asks": Reply(headers=headers, body=aimed(HEAD + SCRIPT)),
        }
        with serve(routes) as public:
            async with opened(tmp_path, public, public, network) as web:
                await go(web, f"{PUBLIC}/asks")
                script = """new Promise((tell) => setInterval(() => {
                    if (document.title === "done") tell(1)}, 50))"""
                await web(resource="browser", action="evaluate", text=script)
                await web(resource="browser", action="click", selector="a")
                await web(resource="browser", action="wait", value="1")
                assert came == []
                if network == "local":  # it is counted
                    await web.fails(
                        resource="browser", action="navigate", url=aimed("TARGET/"), timeout=2
                    )
                    assert came
