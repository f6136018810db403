"""Formulas: from MathML to TeX."""
