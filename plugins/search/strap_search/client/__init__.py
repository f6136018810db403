"""How engines are reached: JSON APIs and result pages."""
