"""The actions on runs: their fields, and how they are carried out."""
