"""Files as Markdown: what the converters of this plugin run, in the process apart."""
