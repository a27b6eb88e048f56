"""The texts of the Amazon reviews → 100 latent features, fitted to all texts without labels."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from kinspan.datasets import TaskDataset

FILE = "amazon_reviews_text.jsonl.gz"
N_LATENT = 100


def load_texts(*, data: str | None) -> TaskDataset:
    """Titles and texts → TF-IDF → singular vectors; tasks are products."""
    if data is None:
        raise FileNotFoundError(f"no data folder: KINSPAN_DATA should name the folder of {FILE}")
    with gzip.open(Path(data) / FILE, "rt", encoding="utf-8") as file:
        reviews = [json.loads(line) for line in file]
    words = TfidfVectorizer(min_df=5, sublinear_tf=True)
    frequencies = words.fit_transform(f"{review['title']}\n{review['text']}" for review in reviews)
    return TaskDataset(
        f"Amazon reviews, {N_LATENT} latent features",
        TruncatedSVD(N_LATENT, random_state=0).fit_transform(frequencies),
        np.array([review["y"] for review in reviews], np.int64),
        np.array([review["domain"] for review in reviews]),
    )
