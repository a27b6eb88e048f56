"""Questions about the labels that a model was given, as methods of the estimator."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from kinspan._arrays.elsewhere import in_library_of, on_host
from kinspan._memory.learnt import Learnt
from kinspan._rows.holes import has_holes, with_alike_holes
from kinspan._rows.keys import content_keys
from kinspan._rows.types import Floats, Ids, Keys
from kinspan._validation.moments import check_same_key
from kinspan._validation.parameters import check_random_state
from kinspan._validation.rows import check_known_labels, check_labels, check_one_task
from kinspan.answers.label_issues import LabelIssues, label_issues
from kinspan.selection.wrong_labels import Audit


class JudgedRows(NamedTuple):
    """What is known of the labels of rows."""

    quality: Floats  # (rows,): the probability that the label is right
    predicted: Ids  # (rows,): the most likely class


class AuditMixin:
    """Whether the labels of a fitted MultiTaskSPCA are right."""

    tasks_: Ids
    classes_: Ids
    random_state: int | None
    _learnt: Learnt
    _with_rules: Any
    _known_rows: Any
    _rows_by: Any

    def label_issues(self, task: Any = None) -> LabelIssues:
        """Return the labels of one task or of all, the least likely first.

        Every sampled row is left out of the rules that judge its label. How many labels are wrong
        is estimated from all tasks together, and for each class of each task; where there is no
        evidence of wrong labels, the answer says so. Where there rather are some than not, rows
        count as much as their labels are likely to be right, and are judged again: the answer takes
        one or two fits from moments and sampled rows.

        Only sampled rows are in the answer, up to `row_sample` of each class of each task:
        `label_quality` rates any rows. After `partial_fit`, `merge` or `load` rows have a key and
        no index.

        Parameters
        ----------
        task : one id, optional
            None is all tasks.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=10)
        >>> y = digits.y.copy()
        >>> y[::12] = 1 - y[::12]  # 75 of 900 labels are wrong
        >>> clf = MultiTaskSPCA().fit(digits.X, y, task=digits.task)
        >>> issues = clf.label_issues()
        >>> issues.headline()
        'About 9.1 % of 900 labels look wrong (90 % interval 7.6 to 10.8 %).'
        >>> issues.index[:5] % 12
        array([0, 0, 0, 0, 0])
        """
        check_is_fitted(self)
        now = self._with_rules()
        chosen = np.ones(len(now.tasks_), dtype=bool)
        if task is not None:
            chosen = np.arange(len(now.tasks_)) == check_one_task(task, now.tasks_)
        return label_issues(now._audit(), now.tasks_, now.classes_, chosen)

    def label_quality(self, X: Any, y: ArrayLike, *, task: Any = None) -> Floats:
        """(n_samples,): the probability that the label of every row is right, in their order.

        A sampled row is judged by rules that have not seen it, any other by rules that may have: of
        its class and task more rows than are sampled were learnt, and it is one among them. NaN
        where its task has no other row with that label.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The labels to judge.
        task : array of shape (n_samples,), one id for all rows, or None

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=10)
        >>> y = digits.y.copy()
        >>> y[::12] = 1 - y[::12]
        >>> clf = MultiTaskSPCA().fit(digits.X, y, task=digits.task)
        >>> quality = clf.label_quality(digits.X, y, task=digits.task)
        >>> bool(quality[::12].mean() < 0.1 < 0.9 < quality[1::12].mean())
        True
        """
        return in_library_of(self._judged(X, y, task).quality, X)

    def _judged(self, X: Any, y: ArrayLike, task: Any) -> JudgedRows:
        """What is known of the labels of rows."""
        now = self._with_rules()
        features, names, rules = now._known_rows(X, task)
        classes = check_known_labels(check_labels(y, features.shape[0]), now.classes_)
        found = now._audit()
        scores = now._rows_by(features, names, rules, found.rules.coef, found.rules.intercept)
        tasks = on_host(rules)
        is_new = (tasks < 0) | (tasks == len(now.tasks_))
        tasks = np.where(is_new, 0, tasks)
        log_odds, wrong = found.judged(on_host(scores), tasks, classes)
        keys = now._keys(on_host(features))
        kept = found.places(tasks * len(now.classes_) + classes, keys)
        sampled = (kept >= 0) & ~is_new
        log_odds[sampled], wrong[sampled] = (
            found.scores[kept[sampled]],
            found.probability[kept[sampled]],
        )
        wrong[is_new] = np.nan
        return JudgedRows(1.0 - wrong, now.classes_[found.likely(log_odds, tasks)])

    def _audit(self) -> Audit:
        found = self._learnt.audit
        if found is None:
            raise ValueError(
                "no row can be left out to judge its label; fit with row_sample=100, or from "
                "statistics with rows, and with two rows of a class at least"
            )
        return found

    def _keys(self, features: Any) -> Keys:
        """Keys of rows, as those of the sampled ones."""
        sample, key = self._learnt.statistics.sample, check_random_state(self.random_state)
        assert sample is not None
        check_same_key(sample.key_name, key.name)
        rows = with_alike_holes(features) if has_holes(features) else features
        return content_keys(rows, np.arange(features.shape[0]), key)
