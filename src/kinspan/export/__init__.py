"""Fitted models → formats that run without Python."""

from kinspan.export.onnx import to_onnx

__all__ = ["to_onnx"]
