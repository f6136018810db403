"""The site of the tests leaves nothing to the collector that other tests would stumble on."""

import gc
import socket
import struct

import pytest

from tests.site.certificates import Authority
from tests.site.serving import secured


@pytest.mark.filterwarnings("error")
def test_who_hangs_up_before_tls_begins_leaves_no_socket(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        connection, _ = listener.accept()
        with pytest.raises(OSError, match="not connected"):
            secured(Authority(tmp_path).context("127.0.0.1"), connection)
        assert connection.fileno() == -1
    gc.collect()
