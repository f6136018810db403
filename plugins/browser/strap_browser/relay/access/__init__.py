"""Who may use the relay, and what a CDP client may ask of a granted tab."""
