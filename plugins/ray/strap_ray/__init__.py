"""Workers as actors of Ray: on this machine or a cluster."""
