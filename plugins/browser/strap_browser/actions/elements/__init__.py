"""The actions on one element: click, hover, drag, fill, press, select, scroll, upload."""
