"""Rows as they come: types, ids, sums of cells, keys of rows."""
