"""JSON: what a schema asks for, and how much a text holds, writing it."""
