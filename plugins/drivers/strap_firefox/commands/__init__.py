"""Commands of the DevTools protocol, by those of WebDriver BiDi."""
