"""The pages of a site, and what crawlers are lost in."""
