"""Every fuzz target with its corpus and a few hundred inputs that are always the same: a short run of `make fuzz`.

The corpus has what once broke a promise, so a finding stays repaired.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from fuzz import child, run
from fuzz.findings import Findings, signature
from fuzz.mutate import MAX_BYTES, Mutator
from fuzz.pieces import Broken, Pieces, promise, within
from fuzz.targets import DIRECTORY, NAMES, corpus, decoders, load, unavailable
from fuzz.targets.scripts import check
from sandhook.hooks import RunResult, Verdict
from sandhook.shell import Result

#: Mutated inputs for each target; those that ask a real program cost more.
INPUTS = 75


def available(name: str, oracle: bool) -> object:
    """Return a target; one that needs a real program is skipped without it, and fails with --oracle."""
    target = load(name)
    if reason := unavailable(target):
        assert not oracle, reason
        pytest.skip(reason)
    return target


@pytest.mark.parametrize("name", NAMES)
def test_the_corpus_breaks_no_promise(name: str, oracle: bool) -> None:
    target = available(name, oracle)
    inputs = corpus(name)
    assert inputs
    for data in inputs:
        target.target(data)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "repositories" else name for name in NAMES]
)
def test_mutations_break_no_promise(name: str, oracle: bool) -> None:
    target = available(name, oracle)
    mutator = Mutator(Random(1), target.WORDS)
    inputs = corpus(name)
    for _ in range(INPUTS // 5 if name == "repositories" else INPUTS):  # these run some commands each
        target.target(mutator.mutated(inputs))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("data", [b"", b"\0", b"\xff" * 40, b"\0" * 40, bytes(range(256))])
def test_any_bytes_are_an_input(name: str, data: bytes, oracle: bool) -> None:
    available(name, oracle).target(data)


@pytest.mark.parametrize("name", NAMES)
def test_seeds_are_those_of_the_command(name: str) -> None:
    kept = sorted(path.read_bytes() for path in (DIRECTORY / "corpus" / name).glob("seed-*"))
    assert kept == sorted(load(name).seeds()), "run `python -m fuzz.seeds`"


def test_mutations_are_the_same_for_the_same_seed() -> None:
    first, second = (Mutator(Random(3), ["word"]) for _ in range(2))
    inputs = [[mutator.mutated([b"a1b", b"xyz"]) for _ in range(300)] for mutator in (first, second)]
    assert inputs[0] == inputs[1]
    assert len(set(inputs[0])) > 200
    assert max(map(len, inputs[0])) <= MAX_BYTES


def test_a_finding_is_kept_once_with_its_smallest_input(tmp_path: Path) -> None:
    def target(data: bytes) -> None:
        promise(len(data) < 3, "inputs are short", data)
        if data == b"!":
            raise ZeroDivisionError

    findings = Findings(SimpleNamespace(target=target), tmp_path)  # type: ignore[arg-type]
    for data in (b"", b"longer", b"long", b"longest", b"ab"):
        findings.run(data)
    (kept,) = tmp_path.glob("*.input")
    assert kept.read_bytes() == b"long"
    assert findings.inputs == 5
    findings.run(b"!")
    assert len(list(tmp_path.glob("*.input"))) == 2


def test_a_broken_rule_has_one_signature() -> None:
    names = {signature(Broken(f"a rule: {fact}")) for fact in ("'x'", "'y'")}
    assert len(names) == 1
    assert signature(Broken("another rule")) not in names


def test_pieces_of_a_short_input_are_zero() -> None:
    pieces = Pieces(b"\1\2")
    assert [pieces.number(256), pieces.number(300), pieces.number(9)] == [1, 2, 0]
    assert pieces.fields(3) == [b""]
    assert Pieces(b"a\0b\0c").fields(2) == [b"a", b"b\0c"]
    assert set(within("any text at all", "xyz")) <= set("xyz")


@pytest.mark.skipif(bool(sys.flags.isolated), reason="an isolated interpreter finds no module of this tree")
@pytest.mark.parametrize("engine", ["random", "coverage"])
def test_a_run_counts_its_inputs(engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if engine == "coverage" and sys.version_info < (3, 12):
        pytest.skip("needs sys.monitoring")
    status = run.main(["trees", "--runs", "40", "--engine", engine, "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert status == 0, printed
    assert f"{len(corpus('trees')) + 40} inputs" in printed
    assert engine in printed.splitlines()[0]


def test_inputs_of_a_slow_target_are_counted_as_they_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that ends the process leaves the last count; with few inputs it was 0."""
    seconds = iter(range(0, 100, 2))
    monkeypatch.setattr(child, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    target = SimpleNamespace(target=len, seeds=tuple, WORDS=())
    step = child._counted(Findings(target, tmp_path), tmp_path / "count.json", 10_000)
    for data in (b"a", b"b", b"c"):
        step(data)
    assert '"inputs": 3' in (tmp_path / "count.json").read_text("utf-8")


def test_an_unknown_target_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run.main(["nosuch"])
    assert "unknown target 'nosuch'; known are parser" in capsys.readouterr().err


def test_a_missing_program_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "unavailable", lambda target: "bash is not installed")
    child.main(["numbers", "random", "5", "0", "1", str(tmp_path)])
    assert '"skipped": "bash is not installed"' in (tmp_path / "count.json").read_text("utf-8")


def break_restore(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.vfs.memory.MemoryFileSystem.restore", lambda self, snapshot: None)


def break_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(units: object) -> bytes:
        raise KeyError(units)

    monkeypatch.setattr("sandhook.syntax.store.encode", encode)


def break_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.interp.runtime.Runtime.run_main", lambda *arguments: 1 // 0)


def break_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.hooks.HookEngine.load", lambda *arguments, **options: {}[""])


def break_folding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.hooks.report.to_text", lambda decision, output: ["\x1b"])
    monkeypatch.setattr("fuzz.targets.decoders.to_text", lambda decision, output: ["\x1b"])


def break_unparse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.targets.parser.unparse", lambda unit: "true")


def break_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.targets.documents.write_yaml", lambda value: "1")


def break_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.targets.dates.parse_date", lambda text, now, tz: int("x"))


def break_prefixes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.pattern.glob.Pattern.match_prefix", lambda *arguments: 0)


def break_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.isolation.fileserver._check", lambda operation, arguments: 1 // 0)


def break_approvals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.hooks.trust.TrustStore.allows", lambda *arguments: lambda spec: spec)


def break_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.cli.cache.DiskStore._remove", lambda *arguments: None)


def break_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.cli.write_back.Review._refusal", lambda *arguments: None)


def break_payloads(monkeypatch: pytest.MonkeyPatch) -> None:
    _, contract, _, _ = decoders.places()[0]
    monkeypatch.setattr(type(contract), "event", lambda *arguments: {}[""])


def break_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.targets.cases.read", lambda text, path: None)


def break_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.targets.edits.without", lambda value, *arguments: value)


def break_expectations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.conformance.expectations.reader._case", lambda *arguments: {}[""])


def break_vetting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.vetting.walker.commands_of", lambda text: ((), None))


def break_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sandhook.hooks.contracts.claude_code.command_rule._like", lambda pattern, text: False
    )


BREAKS = {
    "bundles": break_vetting,
    "checks": break_rules,
    "edits": break_edits,
    "expectations": break_expectations,
    "confined": break_protocol,
    "extras": break_runs,
    "approvals": break_approvals,
    "entries": break_entries,
    "reviews": break_reviews,
    "payloads": break_payloads,
    "cases": break_cases,
    "snapshots": break_restore,
    "trees": break_trees,
    "scripts": break_runs,
    "utilities": break_runs,
    "contracts": break_loading,
    "decoders": break_folding,
    "parser": break_unparse,
    "documents": break_writing,
    "dates": break_dates,
    "globs": break_prefixes,
}


@pytest.mark.parametrize("name", sorted(BREAKS))
def test_a_broken_promise_is_found(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = load(name)
    seeds = list(target.seeds())
    BREAKS[name](monkeypatch)
    findings = Findings(target, tmp_path)
    for data in seeds:
        findings.run(data)
    assert list(tmp_path.glob("*.input"))


@pytest.mark.parametrize(
    "result",
    [Result(b"", b"", 0, limit="steps"), Result(b"", b"", 256), Result(b"x" * 9000, b"", 0)],
    ids=["limit", "status", "output"],
)
def test_a_result_that_breaks_a_promise_is_found(result: Result) -> None:
    with pytest.raises(Broken):
        check(result)


def test_an_approval_after_a_refusal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that believes the last word: the noise of one seed is a refusal, of another an approval."""
    _, contract, _, _ = decoders.places()[0]

    def decode(self: object, spec: object, event: object, ran: RunResult, compat: str) -> Verdict:
        return Verdict(permission="allow" if ran.stdout.endswith(b"yes") else "deny")

    monkeypatch.setattr(type(contract), "decode", decode)
    with pytest.raises(Broken, match="noise after a refusal"):
        decoders.target(b"\0\0no\0words\0yes")
