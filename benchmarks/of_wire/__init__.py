"""What it costs to have a page's traffic in hand, and what recordings of it show."""
