"""The paper's figures and tables, each made by one command; the library never imports this.

One file per figure or table: `points` lists what is measured, `measure` measures one point, `draw`
shows all points next to the values of the paper, `describe` prints them as text. `rows` stores the
points that are finished, `paper` contains the printed values.
"""
