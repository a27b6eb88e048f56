"""Step 7: the steps joined as a scikit-learn classifier and transformer."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)

from kinspan._memory.attributes import LearntMixin
from kinspan._memory.given import as_statistics
from kinspan._memory.learnt import Learnt, rule_parameters
from kinspan._memory.statistics import Statistics
from kinspan._memory.streaming import StreamingMixin
from kinspan._memory.threads import learning
from kinspan._rows.types import Floats
from kinspan._validation.copies import warn_of_copies
from kinspan._validation.labelled_rows import check_labelled_rows
from kinspan.answers import AnswersMixin, AuditMixin, RowsMixin, WeightsMixin
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample

_TASK: dict[str, bool] = {"task": True}


class MultiTaskSPCA(
    RowsMixin,
    AnswersMixin,
    AuditMixin,
    WeightsMixin,
    StreamingMixin,
    LearntMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClassifierMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Many small, related classification tasks: one closed-form fit, nothing to tune.

    Supervised principal component analysis for several tasks at once. Every task gets a linear rule
    of its own, built from the class means of all tasks: how much each of them counts follows in
    closed form from how related the tasks are, estimated without bias, and from how many samples
    they have. Rows that are left out, in closed form too, say how much of this a task should use.

    Parameters
    ----------
    labels : {"auto", "spectral", "plugin", "naive", "single"}, default="auto"
        How much the other tasks count. `"spectral"`: along the directions that tasks share, as far
        as these stand out from the noise. `"naive"`: labels ±1 for every task. `"single"`: every
        task alone. `"auto"`: all three, and each task by a covariance of its own, in a combination
        that left-out rows weigh: those of the task if they are many, those of all tasks if they are
        few. `"plugin"`: the optimum of the paper with the estimated relatedness.
    scale : {"auto", "pooled", "task", None}, default="auto"
        What features are divided by: `"pooled"` is their standard deviation within the classes of
        all tasks, `"task"` the total standard deviation of each task, None nothing. `"auto"`
        combines rules with pooled scale, with None and with a scale by fourth moments, in which
        features that few rows show count less, weighed by left-out rows of all tasks.
    metric : "auto" or float, default="auto"
        The share of the covariance within classes in the metric, at least 0 and below 1: 0 treats
        features as uncorrelated, 1 would be linear discriminant analysis. `"auto"` combines rules
        with the shares 0, .1, .4 and .8, weighed by left-out rows, without cross-validation.
    row_sample : int, default=100
        Rows kept of every class of every task, for covariance, combination and forecast, all of
        which use every kept row: with many tasks the time of a fit grows with this number, and the
        forecast intervals shrink. Fewer are kept where all would be more than 2²⁶ numbers,
        with a warning if another number than the default was asked for.
        With 0 nothing can be left out: `labels="auto"` is the best of spectral, single and pooled
        by their formulas, the same for all tasks, with pooled scale and metric 0, and the forecast
        is the formula of the paper, too optimistic for correlated features.
    random_state : int, optional
        The key of the hash that chooses these rows. By default it is public, so that all sites
        choose alike. Where contributors may be hostile, pass the same secret everywhere, such as
        `secrets.randbits(128)`: who knows the key can make rows that are always chosen. Files
        have its digest only: a loaded model needs it again (`set_params`) to learn more rows.
    multi_class : {"shared", "one-vs-all"}, default="shared"
        One relatedness for all classes, which `labels="auto"` combines with one for each class; or
        Algorithm 1 of the paper, whose scores are in standard deviations and not log odds.
    priors : None, "empirical" or array of shape (n_classes,), default=None
        Class priors: equal, each task's own frequencies, or given.
    class_weight : None, "balanced" or dict, default=None
        The cost of an error in each class, as in scikit-learn; it multiplies the prior.
        `"balanced"` makes their product equal for all classes.
    threshold : None, "error", "cost", "f1", {"precision": p}, {"budget": q}, {"cost": matrix}
        For two classes, when `predict` answers `classes_[1]`, by default None: where its log odds,
        with priors and costs, are positive. Otherwise where left-out rows say that the goal is
        reached best, with classes as frequent as in the labels of the task: the fewest errors, the
        least cost (by `class_weight`, or by a matrix), the largest F1, the largest recall with a
        precision of p, or a share of q of all rows. Thresholds of tasks with few rows are drawn to
        those of the others; with `"tasks": "all"` in the dict there is one for all. Probabilities
        and scores do not change, forecasts are of the answers.
    pos_label : label, optional
        Of two classes, the one that F1, average precision, recall, precision, lift and thresholds
        for them are about, such as `"fraud"`; by default `classes_[1]`, the second in sorted order.
    task_column : str or int, optional
        The column of X that holds the task id, for use where scikit-learn cannot pass `task=` on.
    unseen : {"error", "shared"}, default="error"
        What to do with rows of tasks that `fit` has not seen: refuse them, or use the rule that the
        fitted tasks agree on.
    unseen_classes : {"never", "share"}, default="never"
        Whether a task may answer a class of which it has no samples, with what the other tasks
        agree on. A task with samples of one class only is treated as a new one (see `add_task`) and
        may answer all.
    n_components : int, optional
        Number of components of `transform`; by default all, which is n_classes − 1.
    forget : float, default=0
        For tasks that drift: every row of a task multiplies the weight of the task's earlier rows
        by 1 − forget, in the order in which rows come. All formulas then use the number of rows
        that the weights are worth, at most about 2/forget per task. How rows are cut into batches
        matters only where rows repeat and a class has more of them than are kept. A row with a
        `sample_weight` of 2 is two rows at the same time: each takes weight from earlier rows, not
        from the other.
    missing : {"impute", "refuse"}, default="impute"
        What NaN in X, or a null of a data frame, is: an error, or a missing value, which takes the
        mean of its feature in its task, drawn to that of all tasks where it is made of few values,
        and what a linear regression expects of it given the other values of its row, in `fit` and
        in `predict`. It takes more, or less, where classes with
        larger values have more holes, or fewer. Left-out rows have their holes too, so that
        forecasts are those of rows with as many. A feature of which a task has no value at all is
        what tasks that have it know of it from the other features.
    label_noise : None, "auto", float or array of shape (n_classes,), default=None
        Whether rows count as much as their labels are likely to be right. `"auto"`: where left-out
        rows say that some labels rather are wrong than not (see `label_issues`); elsewhere the fit
        is that of None, bit for bit. A number is the share of the labels of every class that is
        wrong, an array that of each class. The forecast is then about right labels, where it is
        clear which these are, and rows without labels are not used. A fit takes up to three times
        as long.
    unlabelled : label, optional
        What stands for no label in y, besides missing values (None, NaN, NA): −1 for y as in
        scikit-learn's `semi_supervised`. It is no default, because −1 is a class to many. Rows
        without labels are not used where `label_noise` makes rows count less, nor one-vs-all.

    Attributes
    ----------
    tasks_, classes_ : arrays of shape (n_tasks,) and (n_classes,)
        Ids, sorted; all that follows is in their order.
    coef_ : array of shape (n_tasks, 1 or n_classes, n_features)
        In the units of X. With two classes the one row points towards `classes_[1]`.
    intercept_ : array of shape (n_tasks, 1 or n_classes)
        Scores are log odds (two classes) or log probabilities up to a constant, calibrated on
        left-out rows.
    feature_importances_ : array, one number per column of X
        Mean size of coefficients over tasks, times the spread of the feature within classes, for
        `RFE(clf, importance_getter="feature_importances_")`. A task column has the largest.
    threshold_ : array of shape (n_tasks,)
        The decision score above which each task answers `classes_[1]`; zero unless `threshold` is
        set.
    forecast_error_ : array of shape (n_tasks,)
        The expected error of each task's rule on new rows: how often sampled rows are
        misclassified when they are left out in turn, in closed form, those of the task if they are
        many and those of all tasks if they are few. Where none can be left out, the formula of the
        paper. For a task without labels of two classes, the error of the other tasks when they
        pretend to be new.
    forecast_interval_ : array of shape (n_tasks, 2)
        90 % interval for the error of this fitted rule on new rows of the task.
    single_task_error_, transfer_gain_ : arrays of shape (n_tasks,)
        The error to expect of each task alone, and by how much it exceeds the forecast of the task
        with the others: both rules on the same left-out rows, drawn to what the others save on
        average where these are few. Alone means that no other task is in the rule of a task, as
        with `labels="single"`; scale and covariance of the features are those of all tasks.
    metric_ : array of shape (n_tasks,)
        The mean share of the covariance in the metrics that the rule of each task combines.
    labels_ : array of shape (n_tasks, 1 or n_classes, n_tasks, n_classes)
        labels_[t, r, s, j] is the label that samples of class j in task s have when row r of the
        rule of task t is learnt, up to a factor per rule. Computed on access.
    relatedness_ : array of shape (n_tasks, n_tasks)
        Cosines between the class contrasts of tasks, corrected for noise. Computed on access.
    unlabelled_weight_ : array of shape (n_tasks,)
        How much of each rule was learnt from rows without labels, from 0, not used, to 1:
        `explain_unlabelled()` says why. With one label per class forecasts know nothing of them.
    moments_, sample_, unlabelled_ : ClassMoments, RowSample or None, ClassMoments or None
        Everything that was learnt from the samples; the last are the moments, in one class, of rows
        without labels.
    n_features_in_, feature_names_in_
        As in scikit-learn; a task column counts.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> digits = load_digit_pairs(n_per_class=3)  # 45 tasks, six labels each
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> alone = MultiTaskSPCA(labels="single").fit(digits.X, digits.y, task=digits.task)
    >>> test = dict(X=digits.X_test, y=digits.y_test, task=digits.task_test)
    >>> clf.score(**test) > alone.score(**test)
    True
    """

    __metadata_request__fit = __metadata_request__partial_fit = _TASK
    __metadata_request__score = _TASK
    __metadata_request__predict = __metadata_request__decision_function = _TASK
    __metadata_request__predict_proba = __metadata_request__predict_log_proba = _TASK
    __metadata_request__transform = _TASK

    def __init__(
        self,
        *,
        labels: str = "auto",
        scale: str | None = "auto",
        metric: float | str = "auto",
        row_sample: int = 100,
        random_state: int | None = None,
        multi_class: str = "shared",
        priors: ArrayLike | str | None = None,
        class_weight: dict[Hashable, float] | str | None = None,
        task_column: str | int | None = None,
        unseen: str = "error",
        unseen_classes: str = "never",
        n_components: int | None = None,
        forget: float = 0.0,
        missing: str = "impute",
        label_noise: float | ArrayLike | str | None = None,
        unlabelled: Hashable | None = None,
        threshold: str | dict[str, Any] | None = None,
        pos_label: Hashable | None = None,
    ) -> None:
        self.labels = labels
        self.scale = scale
        self.metric = metric
        self.row_sample = row_sample
        self.random_state = random_state
        self.multi_class = multi_class
        self.priors = priors
        self.class_weight = class_weight
        self.task_column = task_column
        self.unseen = unseen
        self.unseen_classes = unseen_classes
        self.n_components = n_components
        self.forget = forget
        self.missing = missing
        self.label_noise = label_noise
        self.unlabelled = unlabelled
        self.threshold = threshold
        self.pos_label = pos_label

    def fit(
        self, X: Any, y: ArrayLike, *, task: Any = None, sample_weight: ArrayLike | None = None
    ) -> MultiTaskSPCA:
        """Fit the rules of all tasks.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Any hashable labels. A missing one (None, NaN, NA) is that of a row without label, which
            counts in the class means as far as left-out labels say that this helps.
        task : array of shape (n_samples,), one id for all rows, or None
            Any hashable ids. None is one task, unless `task_column` names a column of X.
        sample_weight : array of shape (n_samples,), optional
            Frequencies: weight 2 is the row twice, weight 0 its absence.
        """
        with learning(self) as draft:
            rows = check_labelled_rows(X, y, task, sample_weight, estimator=draft, reset=True)
            nothing = Learnt(rule_parameters(draft))
            draft._learnt = nothing.with_rows(rows, draft, is_part=False)
            if sample_weight is None:
                warn_of_copies(draft._learnt.statistics.sample)
            _ = draft._learnt.rules  # now, so that errors come from fit
        return self

    def fit_moments(
        self,
        moments: ClassMoments | Statistics,
        sample: RowSample | None = None,
        unlabelled: Statistics | None = None,
    ) -> MultiTaskSPCA:
        """Fit from ready statistics, for instance those of several machines added up.

        Of a data frame pass the `Statistics` whole: they know the names of the features, by which
        later frames are read. Moments alone do not, and columns are then found by position. Without
        a sample of rows the metric has no covariance in it, and the forecast is the formula of the
        paper. `unlabelled` are those of rows without labels, `Statistics.unlabelled`.
        """
        rule_parameters(self)
        whole = as_statistics(moments, sample, unlabelled)
        with learning(self) as draft:
            draft.__dict__.pop("_learnt", None)
            draft._merge_features(whole)
            draft._learnt = Learnt(rule_parameters(draft)).plus(whole)
            _ = draft._learnt.rules
        return self

    def fit_transform(
        self, X: Any, y: ArrayLike, *, task: Any = None, sample_weight: ArrayLike | None = None
    ) -> Floats:
        """Fit, then project the same rows."""
        return self.fit(X, y, task=task, sample_weight=sample_weight).transform(X, task=task)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "impute"
        return tags
