"""What is wrong with a page: for people, for its speed, in its links."""
