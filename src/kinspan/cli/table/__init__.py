"""How a table becomes features, tasks and labels: the same way when fitted and ever after.

columns    the head of the first file and what was asked for → a recipe
categories text columns → their categories, by a pass over the files
reader     files → chunks of their columns
encoding   a chunk and a recipe → numbers and ids of its rows
fills      what takes the place of missing numbers, by a pass over the files
learning   all rows → statistics
writing    rows → a file, whole or not at all
"""
