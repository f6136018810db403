"""Run as a script: two nodes of Ray on loopback; the second goes when a line is read."""

import os
import sys


def main(folder: str, first: str, second: str) -> None:
    """Take the CPUs of each of the two."""
    from ray.cluster_utils import Cluster

    args = {"num_cpus": int(first), "include_dashboard": False, "object_store_memory": 100 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**args, "temp_dir": folder})
    node = cluster.add_node(num_cpus=int(second), object_store_memory=100 << 20)
    cluster.wait_for_nodes()
    print(f"address {cluster.address}", flush=True)  # noqa: T201
    sys.stdin.readline()
    cluster.remove_node(node, allow_graceful=False)
    print("removed", flush=True)  # noqa: T201
    sys.stdin.readline()
    cluster.shutdown()


if __name__ == "__main__":
    assert os.environ.get("RAY_AUTH_MODE")
    main(*sys.argv[1:])
