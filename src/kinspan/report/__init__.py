"""A fitted model → one HTML page for the person who must decide; it needs no network.

    contents   what the page shows, as plain data: every number is the model's
      → page   the data in a page, with its style, its script and the drawing library

It needs plotly, which ships the drawing library: `pip install 'kinspan[report]'`.
"""

from kinspan.report.writing import write_report

__all__ = ["write_report"]
