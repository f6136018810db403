"""Access to the relay: who may connect, and what a CDP client may ask of a granted tab."""
