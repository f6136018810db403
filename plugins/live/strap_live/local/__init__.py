"""The socket by which this user's own programs ask for the live view."""
