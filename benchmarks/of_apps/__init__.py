"""Applications that nobody here wrote: tasks in them, judged by their own data."""
