"""The command line `kinspan`: one verb per file.

fit, predict, explain, plan, evaluate       a table → a model → answers
moments, merge                              sites that do not share rows
export, report, demo                        other forms of a model, and an example
"""
