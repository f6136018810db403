"""The relay: a CDP endpoint on loopback for the tabs that the user grants in their own Chrome."""
