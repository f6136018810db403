"""Firefox: started by strap, and driven by the same engine over WebDriver BiDi."""
