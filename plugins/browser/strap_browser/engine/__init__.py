"""Pages by their events: documents, frames, requests, console, downloads."""
