"""Write the seeds of every target to ``fuzz/corpus``: ``python -m fuzz.seeds``. Former findings stay."""

from __future__ import annotations

from fuzz.targets import DIRECTORY, NAMES, load


def main() -> None:
    """Write every corpus anew; ``found-*`` are inputs that once broke a promise."""
    for name in NAMES:
        directory = DIRECTORY / "corpus" / name
        directory.mkdir(parents=True, exist_ok=True)
        for path in directory.glob("seed-*"):
            path.unlink()
        for number, data in enumerate(load(name).seeds()):
            (directory / f"seed-{number:02}").write_bytes(data)


if __name__ == "__main__":
    main()
