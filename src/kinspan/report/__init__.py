"""A fitted model as one page for a person who must decide; it needs no network.

    contents   what the page shows, as plain data: every number is the model's
      → page   the data in a page, with its style, its script and the library that draws

It needs plotly, which carries the library that draws: `pip install 'kinspan[report]'`.
"""

from kinspan.report.writing import write_report

__all__ = ["write_report"]
