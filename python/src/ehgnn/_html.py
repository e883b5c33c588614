"""Pages and tables for notebooks."""

from __future__ import annotations

import html
import os
import pathlib

__all__ = ["Page", "escape", "scores"]

escape = html.escape


class Page:
    """A page that notebooks show.

    Parameters
    ----------
    text : str
        The page as HTML.
    """

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<report of {len(self.html)} characters of HTML; save(path) writes it>"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-same-origin" style="width:100%;height:40em;border:0"></iframe>'


def scores(card: pathlib.Path) -> str:
    """Return the table of scores of a model card, with their intervals, as HTML."""
    rows: list[list[str]] = []
    if card.exists():
        within = False
        for line in card.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                within = line == "## Scores"
            elif within and line.startswith("|"):
                rows.append([cell.strip() for cell in line.strip("|").split("|")])
    if len(rows) < 3:
        return ""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[2:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
