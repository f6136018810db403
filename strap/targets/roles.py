"""The roles of WAI-ARIA 1.2 that elements of a page have; abstract ones have none."""

_NAMES = """
alert alertdialog application article banner blockquote button caption cell checkbox code
columnheader combobox complementary contentinfo definition deletion dialog directory document
emphasis feed figure form generic grid gridcell group heading img insertion link list listbox
listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter
navigation none note option paragraph presentation progressbar radio radiogroup region row
rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong
subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip
tree treegrid treeitem
"""
ROLES = frozenset(_NAMES.split())
