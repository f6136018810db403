"""The site that scenarios are played on: pages, and a server that counts what it was asked."""
