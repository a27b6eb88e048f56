"""Every command in its quick version: shapes, theory, and the claims of the paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from experiments.__main__ import EXPERIMENTS, main
from experiments.options import Options
from experiments.rows import Row, column, read, select

from experiments import added_tasks, figure_1, methods, paper, protocols, published, table_1

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real data are not in shared/data beside the repository"
)


def quick(name: str, out: Path) -> list[Row]:
    """Run a command, and look at its files."""
    assert main([name, "--quick", "--out", str(out), "--data", str(DATA)]) == 0
    path = out / f"{name}-quick.csv"
    assert path.with_suffix(".png").stat().st_size > 10_000
    svg = path.with_suffix(".svg").read_text(encoding="utf-8")
    assert "<dc:date>" not in svg
    assert "Figure" in svg or "accuracy" in svg
    return read(path)


def of(rows: list[Row], method: str, **point: object) -> tuple[float, float]:
    """The error of one point and its standard error."""
    (row,) = select(rows, method=method, **point)
    return row["error"], row["standard_error"]


def agree(rows: list[Row], method: str, **point: object) -> bool:
    """Whether theory and experiment are four standard errors apart at most."""
    limit, _ = of(rows, method, kind="theory", **point)
    error, standard_error = of(rows, method, kind="empirical", **point)
    return abs(error - limit) < 4 * standard_error


@pytest.mark.long
def test_figure_1(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    rows = quick("figure-1", first)
    assert len(rows) == len(figure_1.points(Options(quick=True)))
    for p, pca, spca in ((100, 0.182856, 0.170178), (500, 0.281851, 0.207108)):
        assert of(rows, "PCA", p=p, kind="theory")[0] == pytest.approx(pca, abs=1e-6)
        assert of(rows, "SPCA", p=p, kind="theory")[0] == pytest.approx(spca, abs=1e-6)
        assert agree(rows, "SPCA", p=p)
        assert of(rows, "SPCA", p=p, kind="empirical") < of(rows, "PCA", p=p, kind="empirical")
    assert agree(rows, "PCA", p=100)
    quick("figure-1", second)
    for name in ("figure-1-quick.csv", "figure-1-quick.svg"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


@pytest.mark.long
def test_figure_2(tmp_path: Path) -> None:
    rows = quick("figure-2", tmp_path)
    for beta, mtl, naive in ((0.0, 0.239750, 0.480587), (1.0, 0.164282, 0.164282)):
        limits = select(rows, beta=beta, kind="theory")
        assert of(limits, methods.SINGLE)[0] == pytest.approx(0.239750, abs=1e-6)
        assert of(limits, methods.ORACLE)[0] == pytest.approx(mtl, abs=1e-6)
        assert of(limits, methods.NAIVE)[0] == pytest.approx(naive, abs=1e-6)
        for method in (methods.SINGLE, methods.NAIVE, methods.ORACLE, methods.LSSVM):
            assert agree(rows, method, beta=beta), (method, beta)
    apart = select(rows, beta=0.0, kind="empirical")
    same = select(rows, beta=1.0, kind="empirical")
    for naive_rule in (methods.NAIVE, methods.NAIVE_EIGENVECTOR):
        assert of(apart, naive_rule)[0] > of(apart, methods.SINGLE)[0] + 0.15
    assert of(apart, methods.DEFAULT)[0] < of(apart, methods.SINGLE)[0] + 0.02
    assert of(same, methods.DEFAULT)[0] < of(same, methods.SINGLE)[0] - 0.03


@pytest.mark.long
def test_timing(tmp_path: Path) -> None:
    rows = quick("timing", tmp_path)
    assert len(rows) == 15
    assert column(rows, "seconds").min() > 0
    for method in (methods.LSSVM_CHOSEN, methods.LSSVM):
        assert len(select(rows, method=method)) == 3


@pytest.mark.long
def test_figure_3_synthetic(tmp_path: Path) -> None:
    rows = quick("figure-3-synthetic", tmp_path)
    for k in (2, 8, 32):
        assert of(rows, methods.SINGLE, tasks=k, kind="theory")[0] == pytest.approx(
            0.4136, abs=1e-4
        )
        for method in (methods.SINGLE, methods.ORACLE):
            assert agree(rows, method, tasks=k)
    found = {
        method: [of(rows, method, tasks=k, kind="empirical")[0] for k in (2, 8, 32)]
        for method in (methods.SINGLE, methods.DEFAULT, methods.ORACLE)
    }
    assert np.diff(found[methods.DEFAULT]).max() < 0
    assert found[methods.DEFAULT][2] < found[methods.ORACLE][2] + 0.03
    assert found[methods.DEFAULT][0] < found[methods.SINGLE][0]


@pytest.mark.long
@needs_data
def test_table_1(tmp_path: Path) -> None:
    rows = quick("table-1", tmp_path)
    assert {(row["source"], row["target"]) for row in rows} == {
        ("dslr", "webcam"),
        ("webcam", "dslr"),
    }
    ours, alone = (
        column(select(rows, method=m), "accuracy") for m in (methods.DEFAULT, methods.ALONE)
    )
    assert (ours > alone).all()


@pytest.mark.long
@needs_data
def test_figure_3_amazon(tmp_path: Path) -> None:
    rows = quick("figure-3-amazon", tmp_path)
    assert len(rows) == len(added_tasks.steps(3)) == 14
    first, _, last = (of(rows, methods.DEFAULT, added=added)[0] for added in (1, 2, 3))
    assert last < first
    assert last < of(rows, methods.ALONE)[0]


@pytest.mark.long
@needs_data
def test_figure_3_mnist(tmp_path: Path) -> None:
    rows = quick("figure-3-mnist", tmp_path)
    for protocol in ("noisy", "clean"):
        found = select(rows, protocol=protocol)
        single, _ = of(found, methods.SINGLE)
        for naive in (methods.NAIVE, methods.NAIVE_EIGENVECTOR):
            assert of(found, naive, added=5)[0] > single
        few, error_few = of(found, methods.DEFAULT, added=1)
        many, error_many = of(found, methods.DEFAULT, added=5)
        assert many < few + 4 * np.hypot(error_few, error_many)


@pytest.mark.long
@needs_data
def test_figure_4(tmp_path: Path) -> None:
    rows = quick("figure-4", tmp_path)
    assert column(rows, "seconds").min() > 0
    for row in select(rows, dataset="synthetic Gaussian"):
        assert row["error"] > 0.326  # what is possible where the means are known


@pytest.mark.long
@needs_data
def test_protocols(tmp_path: Path) -> None:
    rows = quick("protocols", tmp_path)
    assert len(rows) == sum(len(p.methods) for p in protocols.PROTOCOLS)
    assert column(rows, "error").max() < 0.55


def test_missing_data_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--quick", "--out", str(tmp_path), "--data", str(tmp_path)]
    assert main(["figure-3-amazon", *arguments]) == 1
    assert "figure-3-amazon: skipped" in capsys.readouterr().err


def test_published_pairs_are_found_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINSPAN_DATA", str(tmp_path))
    assert table_1.points(Options())[0]["dataset"] == table_1.OFFICE31
    for name in ("p_p", "p_i"):
        (tmp_path / f"{name}.csv").write_text("1,2,0\n3,4,1\n")
    assert {point["dataset"] for point in table_1.points(Options())} == {"ImageCLEF, ResNet-50"}
    pair = published.load_image_clef(("P", "I"))
    assert pair.X.shape == (4, 2)
    assert pair.task.tolist() == ["P", "P", "I", "I"]
    with pytest.raises(FileNotFoundError, match=r"P_C\.csv"):
        published.load_image_clef(("P", "C"))


def test_every_figure_of_the_paper_has_a_command() -> None:
    figures = {row.figure for row in paper.printed()}
    assert {e.NAME for e in EXPERIMENTS} == figures | {protocols.NAME}


def test_the_library_does_not_know_the_experiments() -> None:
    for path in (Path(__file__).resolve().parents[2] / "src").rglob("*.py"):
        assert "experiments import" not in path.read_text(encoding="utf-8")
