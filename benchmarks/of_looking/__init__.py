"""What is seen of pages: marks on pictures, audits, layouts in words."""
