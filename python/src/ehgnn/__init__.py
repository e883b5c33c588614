"""Learns from tables of edges and from graphs: estimators for scikit-learn around the program ehgnn."""

from ehgnn._base import NotFittedError
from ehgnn._binary import find_binary
from ehgnn._child import ProgramError
from ehgnn._edges import EdgeClassifier, EdgeRegressor
from ehgnn._graphs import GraphClassifier, GraphRegressor
from ehgnn._links import LinkPredictor
from ehgnn._version import __version__

__all__ = ["EdgeClassifier", "EdgeRegressor", "GraphClassifier", "GraphRegressor", "LinkPredictor", "NotFittedError", "ProgramError", "__version__", "find_binary"]
