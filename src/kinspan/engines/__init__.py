"""The same statistics computed elsewhere: a few lines each, because they add.

`kinspan.engines.files` reads files that are larger than memory, `kinspan.engines.dask` rows that
lie on a cluster. Both give the model that `fit` gives with all rows in memory.
"""
