"""Headings of the help pages: what options are about."""

READ, GRAPH, TEXT, IMAGES, CELLS = "Reading the data", "The graph", "Documents", "Images", "Cells"
OUT, DETAILS = "Output", "The model in detail"
