"""The command line `kinspan`: one verb a file, and a folder for how tables are read.

fit, predict, explain, plan, evaluate       a table → a model → answers
moments, merge                              sites that do not share rows
export, demo
table/                                      how a table becomes features, tasks and labels
"""
