"""Chooses how patches look: colours and words, by options, settings and attributes."""

from __future__ import annotations

from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import LINE_ERE, Regex, compile_regex
from sandhook.utilities.git.diff.check import highlighter
from sandhook.utilities.git.diff.drivers import Drivers
from sandhook.utilities.git.diff.model import Pair
from sandhook.utilities.git.diff.moved import MovedForm, MovedLines, MovedMode, read_moved_colors
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.painting import (
    ColorPainter,
    Mode,
    Painter,
    Palette,
    WordPainter,
    blank_separated,
    matched,
    read_palette,
)
from sandhook.utilities.git.diff.patch import Files, normalizer
from sandhook.utilities.git.diff.settings import error_marks, moved_mode, read_marks
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.repository import Repository

_MODES: dict[str, Mode] = {"plain": "plain", "porcelain": "porcelain", "color": "color"}


def compile_pattern(pattern: str) -> Regex:
    """Return an expression of an option or a setting. Raises GitError for a wrong one."""
    try:
        return compile_regex(pattern, LINE_ERE)
    except PatternError as error:
        raise GitError(f"invalid regex: {error}") from None


def _compile_words(pattern: str) -> Regex:
    try:
        return compile_regex(pattern, LINE_ERE)
    except PatternError:
        raise GitError(f"invalid regular expression: {pattern}") from None


class Appearance:
    """How the patches of one command look.

    Args:
        porcelain: The settings of colours apply.

    Attributes:
        colored: Colours are printed.
        palette: The colours; empty without them.
        moved: How moved lines are found, None if they have no colours of their own.
    """

    def __init__(self, repository: Repository, options: DiffOptions, *, porcelain: bool) -> None:
        self._repository = repository
        self._options = options
        self._porcelain = porcelain
        self.mode = _word_mode(options)
        self._highlighted = error_marks(repository.config, options.errors, porcelain=porcelain)
        self.colored = self._is_colored()
        mode, blanks = moved_mode(repository.config, options, porcelain=porcelain)
        self.moved = self._moved_form(mode, blanks) if self.colored and mode is not None else None
        self.palette = read_palette(repository.config.get) if self.colored else Palette()
        self.drivers = Drivers(repository)
        self._regex: Regex | None = None
        self._pattern = ""

    def _moved_form(self, mode: MovedMode, blanks: frozenset[str]) -> MovedForm:
        return MovedForm(
            mode,
            read_moved_colors(self._repository.config.get),
            normalizer(
                DiffOptions(
                    ignore_all_space="ignore-all-space" in blanks,
                    ignore_space_change="ignore-space-change" in blanks,
                    ignore_space_at_eol="ignore-space-at-eol" in blanks,
                )
            ),
            "allow-indentation-change" in blanks,
        )

    def _is_colored(self) -> bool:
        options, config = self._options, self._repository.config
        if options.color is not None and options.color not in ("always", "never", "auto"):
            raise GitError(
                "option `color' expects \"always\", \"auto\", or \"never\"", prefix="error", status=129
            )  # fmt: skip
        if self.mode == "color" and options.color != "never":
            return True
        if options.color is not None:
            return options.color == "always"
        setting = None
        if self._porcelain:
            setting = config.get("color.diff") or config.get("diff.color") or config.get("color.ui")
        return (setting or "").lower() == "always"

    def moved_lines(self) -> MovedLines | None:
        """Return what finds the moved lines of some patches, None if they have no colours of their own."""
        return None if self.moved is None else MovedLines(self.moved, self._repository.access.charge)

    def painter(self, pair: Pair, files: Files, moved: MovedLines | None = None) -> Painter | None:
        """Return what prints the patch of a pair, None for plain lines."""
        if self.mode is not None:
            charge = self._repository.access.charge
            pattern = self._word_pattern(pair)
            words = matched(self._compiled(pattern), charge) if pattern else blank_separated(charge)
            return WordPainter(self.mode, self.palette, words, charge, colored=self.colored)
        if self.colored:
            highlight = highlighter(self._repository, pair.path)
            painter = ColorPainter(
                self.palette,
                highlight.pieces,
                highlight.blank_ends(files),
                self._highlighted.encode(),
                read_marks(self._options),
            )
            return painter if moved is None else moved.painter(painter)
        return None

    def _compiled(self, pattern: str) -> Regex:
        if self._regex is None or pattern != self._pattern:
            self._regex, self._pattern = _compile_words(pattern), pattern
        return self._regex

    def _word_pattern(self, pair: Pair) -> str | None:
        """Return the expression of a word: of the options, of the driver of the file, or of the settings."""
        options, config = self._options, self._repository.config
        given = options.color_words or options.word_regex
        if given:
            return given
        for side in (pair.old, pair.new):
            if side.exists and (own := self.drivers.words(side.path)) is not None:
                return own
        return config.get("diff.wordregex") if self._porcelain else None


def _word_mode(options: DiffOptions) -> Mode | None:
    """Return the form of the differences of words; None for lines."""
    if options.color_words is not None:
        return "color"
    if options.word_diff is None:
        return None if options.word_regex is None else "plain"
    if options.word_diff != "none" and options.word_diff not in _MODES:
        raise GitError(f"bad --word-diff argument: {options.word_diff}", prefix="error", status=129)
    return _MODES.get(options.word_diff)
