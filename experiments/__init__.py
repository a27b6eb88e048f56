"""The paper's figures and tables, each by one command; users of the library, never imported by it.

One file a figure or table: `points` says what is measured, `measure` measures one point, `draw`
shows all of them beside the values of the paper, `describe` says the same in words. `rows` keeps
the points that are finished, `paper` holds what was printed.
"""
