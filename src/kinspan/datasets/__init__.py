"""Data to learn from: the paper's Gaussian models, embedded digits, and readers of real data.

Generated, nothing to download:

- :func:`gaussian_mixture` draws rows from the paper's models and returns their population Gram;
  :func:`related_means` and :func:`many_class_means` build the paper's means,
- :func:`load_digit_pairs` cuts scikit-learn's digits into 45 small related tasks.

Read from a folder, given as ``data=`` or in the environment variable ``KINSPAN_DATA``:

- :func:`load_amazon_reviews`, :func:`load_mnist`, :func:`load_office_caltech`,
  :func:`load_office31`, :func:`load_office_home`, each a :class:`TaskDataset`.
"""

from kinspan.datasets._dataset import TaskDataset
from kinspan.datasets.amazon import load_amazon_reviews
from kinspan.datasets.digits import DigitPairs, load_digit_pairs
from kinspan.datasets.gaussian import GaussianTasks, gaussian_mixture
from kinspan.datasets.gaussian_means import many_class_means, related_means
from kinspan.datasets.mnist import load_mnist
from kinspan.datasets.office import load_office31, load_office_home
from kinspan.datasets.office_caltech import load_office_caltech

__all__ = [
    "DigitPairs",
    "GaussianTasks",
    "TaskDataset",
    "gaussian_mixture",
    "load_amazon_reviews",
    "load_digit_pairs",
    "load_mnist",
    "load_office31",
    "load_office_caltech",
    "load_office_home",
    "many_class_means",
    "related_means",
]
