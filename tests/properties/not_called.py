"""Public names that the contract does not call, each with its reason."""

from __future__ import annotations

from kinspan import MultiTaskSPCA
from kinspan.answers import RowsMixin
from tests.properties.public_surface import methods_of

_RESULTS = (  # made by the library, read by users
    *("DigitPairs", "Forecasts", "GaussianTasks", "LabelIssues", "LabelsNeeded"),
    *("LssvmStrengths", "MislabelledCells", "WrongLabelRates", "LabelIssues.name"),
    *("PhaseTransition", "ScoreMoments", "SupervisionGap", "TaskDataset", "TaskLeftOut"),
    "UnlabelledExplanation",
    "ScoreForecasts",
    *("TaskReport", "TransferExplanation", "engines.files.Answers", "engines.files.Batch"),
    *("engines.files.FilesRead", "engines.files.ReadFile", "engines.files.SkippedFile"),
    *("ForecastDisplay", "LearningCurveForecastDisplay", "RelatednessDisplay"),
    *("ScoreDistributionDisplay", "SpectrumDisplay", "TransferDisplay"),
    *("RocForecastDisplay", "PrecisionRecallForecastDisplay"),
    *("GainForecastDisplay", "CalibrationForecastDisplay"),
)
_WITHOUT_ARGUMENTS = (
    *("ClassMoments.effective", "ClassMoments.record", "ClassMoments.to_bytes"),
    *("ClassMoments.without_empty", "RowSample.effective", "RowSample.record"),
    *("Statistics.record", "Statistics.to_bytes", "TaskReport.sorted_by_error"),
    *("TaskReport.to_frame", "TaskScorer.get_metadata_routing"),
    "MultiTaskSPCA.explain_unlabelled",
    *("Forecasts.to_frame", "ScoreForecasts.to_frame"),
    *("LabelIssues.caution", "LabelIssues.headline", "LabelIssues.to_frame"),
    "RowSample.without_positions",
)
_AFTER_THE_CHECKS = (  # steps between steps, which take what was checked before
    *("ClassMoments", "RowSample", "Statistics"),
    *("ClassMoments.among", "ClassMoments.chosen", "ClassMoments.faded", "ClassMoments.where"),
    *("ClassMoments.of_features", "ClassMoments.with_enough_values", "Statistics.among"),
    *("ClassMoments.from_checked", "RowSample.from_checked", "Statistics.from_checked"),
    *("ClassMoments.from_record", "RowSample.from_record", "Statistics.from_record"),
    *("RowSample.aligned", "RowSample.faded", "RowSample.of_cells", "RowSample.completed"),
    *("RowSample.columns", "RowSample.cut"),
    *("Statistics.faded", "Statistics.next_to", "Statistics.of_tasks"),
)
_CALLED_AS_ANOTHER = (  # `from_estimator` plots, `-` subtracts, mixins are parts of MultiTaskSPCA
    *("ForecastDisplay.plot", "LearningCurveForecastDisplay.plot", "RelatednessDisplay.plot"),
    *("ScoreDistributionDisplay.plot", "SpectrumDisplay.plot", "TransferDisplay.plot"),
    *("RocForecastDisplay.plot", "PrecisionRecallForecastDisplay.plot"),
    *("GainForecastDisplay.plot", "CalibrationForecastDisplay.plot"),
    *("AnswersMixin", "WeightsMixin", "AnswersMixin.add_task", "AnswersMixin.explain_transfer"),
    *("AnswersMixin.forecast", "AnswersMixin.leave_out"),
    *("AnswersMixin.labels_needed", "AnswersMixin.learning_curve", "LabelsForScore", "LabelsOf"),
    *("AnswersMixin.remove_task", "ClassMoments.subtracted", "AnswersMixin.explain_unlabelled"),
    *("AuditMixin", "AuditMixin.label_issues", "AuditMixin.label_quality"),
    *("RowsMixin", *(f"RowsMixin.{name}" for name in methods_of(RowsMixin))),
)
_OF_A_LOADED_MODEL = (  # made by `load`; its methods are those of MultiTaskSPCA
    *("TableModel", *(f"TableModel.{name}" for name in methods_of(MultiTaskSPCA))),
    "TableEncoder.get_feature_names_out",  # takes what it does not use, as in scikit-learn
)

NOT_CALLED = {
    *_RESULTS,
    *_WITHOUT_ARGUMENTS,
    *_AFTER_THE_CHECKS,
    *_CALLED_AS_ANOTHER,
    *_OF_A_LOADED_MODEL,
}
