"""What a page does, from its events: documents, frames, requests, console, downloads."""
