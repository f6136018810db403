"""Pictures of pages with marks, audits, and layouts in words."""
