"""Tables and matrices in files → rows with features, tasks, labels and weights.

dialect     how the cells of text files are written
request     arguments of the caller → a checked request
paths       paths, patterns and folders → files and their formats
table       an opened file: its columns and a stream of record batches
  binary    Parquet and Arrow
  text      CSV and TSV
chunks      an opened file and a request → some rows of the requested columns at a time
layout      the first file → names of features and kinds of ids, which all files share
kinds       what cells of text are: numbers, dates, or true and false
strays      columns of text that are one of these but for a few cells
ids         a column → distinct ids and the code of every row
rows        chunks → numbers, ids and weights
matrices    `.npy` and `.npz` files → the same (arrays)
reading     a file of any format → its layout and its rows

A recipe treats a table the same way whenever a model meets one:

columns     the header of the first file and a choice of columns → a recipe
late_values columns without values in the first rows → their types
task_like   columns that look like tasks, where none is named
recipe      columns, categories and the treatment of missing values, stored with a model
reader      files and a recipe → chunks
encoding    a chunk and a recipe → rows
fills       means that replace missing numbers
categories  chunks → the categories of text columns
passes      all files → categories and means
writing     rows → a table in a file

The same recipe for data frames:

frames      a data frame of any library → a chunk
encoder     the scikit-learn transformer
model       a model of the command line that answers rows of tables
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinspan.tables.encoder import TableEncoder
    from kinspan.tables.model import TableModel

__all__ = ["TableEncoder", "TableModel"]
_MODULES = {"TableEncoder": "encoder", "TableModel": "model"}


def __getattr__(name: str) -> Any:  # scikit-learn is imported when it is needed
    if name in _MODULES:
        return getattr(_import_module(f"kinspan.tables.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'kinspan.tables' has no attribute {name!r}")
