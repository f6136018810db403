"""Run as a script: `strap serve` with the probe plugin; the same path as the installed command."""

import os
import sys
import time


def main() -> None:
    if "--http" in sys.argv:
        serve_http()
        return
    from strap.mcp.stdio.handshake import Handshake
    from strap.prepared_answers import load

    front = Handshake(load())
    front.start()
    if os.environ.get("PROBE_FRONT_ONLY"):
        time.sleep(60)
    import probe

    from strap.config import load as load_config
    from strap.mcp.stdio.server import serve

    serve(load_config(), front, plugins=[("probe", probe)])


def serve_http() -> None:
    import json

    import probe

    from strap.config import load as load_config
    from strap.config.log_setup import configure_logging
    from strap.mcp.http.server import serve

    options = json.loads(os.environ.get("PROBE_HTTP", "{}"))
    config = load_config()
    configure_logging(config)
    serve(config, **{"port": 0, **options}, plugins=[("probe", probe)])


if __name__ == "__main__":
    main()
