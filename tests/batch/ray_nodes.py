"""Run as a script: two nodes of Ray on loopback; the second goes when a line is read."""

import os
import sys


def main(folder: str) -> None:
    from ray.cluster_utils import Cluster

    args = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 100 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**args, "temp_dir": folder})
    second = cluster.add_node(num_cpus=1, object_store_memory=100 << 20)
    cluster.wait_for_nodes()
    print(f"address {cluster.address}", flush=True)  # noqa: T201
    sys.stdin.readline()
    cluster.remove_node(second, allow_graceful=False)
    print("removed", flush=True)  # noqa: T201
    sys.stdin.readline()
    cluster.shutdown()


if __name__ == "__main__":
    assert os.environ.get("RAY_AUTH_TOKEN")
    main(sys.argv[1])
