"""Rows outside of memory → the model that `fit` gives with all rows in memory.

`kinspan.engines.files` reads files that are larger than memory, `kinspan.engines.dask` rows on a
cluster. Both add the statistics of parts.
"""
