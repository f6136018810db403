"""How a Chromium that is not strap's own is started with what a test needs of it."""

LEAN = "--disable-features=WebUIOmniboxAimPopup,WebUIOmniboxPopup"
"""Without the address bar's pop-up, a web page that takes more than half the time of a start."""
FOREIGN = ("--headless", "--no-sandbox", "--no-first-run", "--disable-dev-shm-usage", LEAN)
"""The switches of a browser that strap attaches to."""
