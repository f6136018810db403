"""Work on hostile data: in processes with limits on computing and memory."""
