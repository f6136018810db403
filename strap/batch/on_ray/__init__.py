"""Workers as actors of Ray: on this machine or a cluster, and in pipelines of Ray Data."""
