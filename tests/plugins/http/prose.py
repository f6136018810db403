"""Text for pages: paragraphs of which none is like another."""


def prose(number):
    """A paragraph that is like no other."""
    return (
        f"In year {number} the mill at the upper ford ground {number * 7} sacks of rye, and "
        f"{number * 3} carts came down the valley road to fetch the flour before the frost set in."
    )
