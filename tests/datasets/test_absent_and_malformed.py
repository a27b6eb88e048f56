"""Absent data and malformed files: the error names the file and the way out."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io

from kinspan.datasets import (
    load_amazon_reviews,
    load_mnist,
    load_office31,
    load_office_caltech,
    load_office_home,
)

LOADERS: list[tuple[Any, dict[str, Any], str, str]] = [
    (load_amazon_reviews, {}, "elec_400.mat", "Sami-fak/DistributedMTLSPCA"),
    (
        load_amazon_reviews,
        {"features": "counts5000"},
        "dvd_test.svmlight",
        "GRAAL-Research/domain_adversarial_neural_network",
    ),
    (load_mnist, {}, "t10k-labels-idx1-ubyte", "LeCun"),
    (load_office_caltech, {}, "webcam_SURF_L10.mat", "LeoGautheron/OfficeCaltechDomainAdaptation"),
    (
        load_office_caltech,
        {"features": "efficientnet-lite2"},
        "office_caltech10_efflite2_1280.npz",
        "LeoGautheron/OfficeCaltechDomainAdaptation",
    ),
    (load_office31, {}, "office31_efflite2_1280.npz", "AdrienBouchet1/RASC_wData"),
    (
        load_office31,
        {"pair": ("dslr", "amazon")},
        "dslr_amazon.csv",
        "jindongwang/transferlearning",
    ),
    (load_office_home, {}, "office_home_efflite2_1280.npz", "AdrienBouchet1/RASC_wData"),
]


@pytest.mark.parametrize(("load", "arguments", "file", "publisher"), LOADERS)
def test_an_empty_folder_lacks_a_named_and_published_file(
    load: Any, arguments: dict[str, Any], file: str, publisher: str, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        load(**arguments, data=tmp_path)
    assert all(word in str(caught.value) for word in (str(tmp_path), file, publisher))


@pytest.mark.parametrize(("load", "arguments", "file", "publisher"), LOADERS)
def test_without_a_folder_the_two_ways_to_give_one_are_named(
    load: Any,
    arguments: dict[str, Any],
    file: str,
    publisher: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("KINSPAN_DATA", raising=False)
    with pytest.raises(
        FileNotFoundError, match=r"data is None .*KINSPAN_DATA is None; give .*data="
    ):
        load(**arguments)


def test_a_folder_that_is_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match=r"data is '.*nowhere', which is not a folder"):
        load_mnist(data=tmp_path / "nowhere")
    monkeypatch.setenv("KINSPAN_DATA", str(tmp_path / "gone"))
    with pytest.raises(FileNotFoundError, match=r"variable KINSPAN_DATA is '.*gone', which is not"):
        load_mnist()


def test_only_the_missing_ones_of_the_published_files_are_named(tmp_path: Path) -> None:
    scipy.io.savemat(tmp_path / "books_400.mat", {"fts": np.eye(2), "labels": [0, 1]})
    with pytest.raises(FileNotFoundError, match=r"lacks dvd_400.mat, elec_400.mat, kitchen_400"):
        load_amazon_reviews(data=tmp_path)


STORED = [
    (load_amazon_reviews, {}, "amazon_reviews_tfidf400.npz"),
    (load_amazon_reviews, {"features": "counts5000"}, "amazon_reviews_bow5000.npz"),
    (load_mnist, {}, "mnist.npz"),
    (load_office_caltech, {}, "office_caltech10_surf800.npz"),
    (load_office31, {}, "office31_efflite2_1280.npz"),
]


@pytest.mark.parametrize(("load", "arguments", "file"), STORED)
def test_a_file_that_is_no_archive_is_named(
    load: Any, arguments: dict[str, Any], file: str, tmp_path: Path
) -> None:
    (tmp_path / file).write_bytes(b"<html>not found</html>")
    with pytest.raises(ValueError, match=f"{file}' is malformed: .*fetch it again"):
        load(**arguments, data=tmp_path)


@pytest.mark.parametrize(("load", "arguments", "file"), STORED)
def test_an_archive_without_its_arrays_is_named(
    load: Any, arguments: dict[str, Any], file: str, tmp_path: Path
) -> None:
    np.savez(tmp_path / file, other=np.zeros(3))
    with pytest.raises(ValueError, match=f"{file}' is malformed: it has no array .*, only other"):
        load(**arguments, data=tmp_path)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    y, task, domains = np.zeros(2, int), np.zeros(2, int), np.array(["books"])
    X = np.array([[object()], [object()]])
    path = tmp_path / "amazon_reviews_tfidf400.npz"
    np.savez(path, X=X, y=y, task=task, domains=domains)
    with pytest.raises(ValueError, match=r"malformed: .*allow_pickle=False"):
        load_amazon_reviews(data=tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.zeros(3)}, "do not go with 3 labels"),
        ({"y": np.array([0, 0.5])}, "the label 0.5 is not an integer"),
        ({"task": np.zeros(5, int)}, r"2 rows do not go with tasks of shape \(5,\)"),
        ({"task": np.full(2, 8)}, "index 8 is out of bounds"),
    ],
)
def test_arrays_that_do_not_fit_are_named(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    arrays = {"X": np.ones((2, 3)), "y": np.arange(2), "task": np.zeros(2, int)}
    path = tmp_path / "amazon_reviews_tfidf400.npz"
    np.savez(path, domains=np.array(["books"]), **(arrays | change))
    with pytest.raises(ValueError, match=f"{path.name}' is malformed: .*{message}"):
        load_amazon_reviews(data=tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no data"),
        ("f0,f1,label\n1,2,0\n", "could not convert"),
        ("1,2,0\n1,0\n", "columns"),
        ("1,2,0.5\n", "the label 0.5 is not an integer"),
        ("1\n2\n", "do not go with 2 labels"),
    ],
)
def test_a_malformed_csv_is_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "amazon_amazon.csv").write_text("1,2,0\n")
    (tmp_path / "amazon_dslr.csv").write_text(text)
    with pytest.raises(ValueError, match=f"amazon_dslr.csv' is malformed: (.|\n)*{message}"):
        load_office31(("amazon", "dslr"), data=tmp_path)


def test_domains_of_different_width_are_named(tmp_path: Path) -> None:
    (tmp_path / "amazon_amazon.csv").write_text("1,2,0\n")
    (tmp_path / "amazon_dslr.csv").write_text("1,2,3,0\n")
    with pytest.raises(ValueError, match=r"number of features: {'amazon': 2, 'dslr': 3}"):
        load_office31(("amazon", "dslr"), data=tmp_path)


@pytest.mark.parametrize("pair", [("amazon", "amazon"), ("amazon", "art"), ("amazon",)])
def test_a_pair_of_unknown_domains_is_named(pair: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"pair is \('amazon'.*; give two .*amazon, dslr, webcam"):
        load_office31(pair, data=tmp_path)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "it starts with b''"),
        (bytes([0, 0, 13, 1, 0, 0, 0, 0]), "not as an idx file of bytes"),
        (bytes([0, 0, 8, 1, 0, 0, 0, 9, 1]), "cannot reshape"),
    ],
)
def test_a_malformed_idx_file_is_named(raw: bytes, message: str, tmp_path: Path) -> None:
    for part in ("train", "t10k"):
        (tmp_path / f"{part}-images-idx3-ubyte").write_bytes(raw)
        (tmp_path / f"{part}-labels-idx1-ubyte").write_bytes(raw)
    with pytest.raises(ValueError, match=f"train-images-idx3-ubyte' is malformed: .*{message}"):
        load_mnist(data=tmp_path)


@pytest.mark.parametrize("matrix", [{"fts": np.eye(3)}, {"fts": np.eye(3), "labels": [1, 2]}])
def test_a_malformed_mat_file_is_named(matrix: dict[str, Any], tmp_path: Path) -> None:
    for name in ("books", "dvd", "elec", "kitchen"):
        scipy.io.savemat(tmp_path / f"{name}_400.mat", matrix)
    with pytest.raises(ValueError, match=r"books_400.mat' is malformed: .*label"):
        load_amazon_reviews(data=tmp_path)


@pytest.mark.parametrize("load", [load_amazon_reviews, load_office_caltech])
def test_unknown_features_are_named(load: Any) -> None:
    with pytest.raises(ValueError, match="features='words'; use one of '"):
        load("words")
