"""Programs that are too large to be kept are approved by their hash: interpreters, compiled hooks, bundles."""

from __future__ import annotations

import os
import shutil
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from sandhook.errors import TrustError
from sandhook.hooks import HookEngine, ToolPre
from sandhook.hooks.contracts import Document
from sandhook.hooks.evidence.bounds import MAX_BYTES
from sandhook.hooks.model import Decision
from sandhook.hooks.runner import SandboxRunner
from sandhook.hooks.trust import TrustStore, shell_name
from sandhook.host import approved as host_approved
from sandhook.host.approved import ApprovedFiles
from sandhook.host.hashing import MAX_HASHED, hash_of
from tests.hooks.evidencetools import Files, looked, paths

LARGE = "\x7fELF\0" + "x" * MAX_BYTES
SCRIPT_TEXT = "echo ok\n" * (MAX_BYTES // 8 + 1)

POSIX = os.name == "posix"

posix_only = pytest.mark.skipif(not POSIX, reason="a shell script stands for the program")


# --------------------------------------------------------------------------- what is bound


@pytest.mark.parametrize(
    "text",
    ["./bin/guard --strict", "/home/me/node/bin/node guard.js", "timeout 5 bin/guard", "node dist/bundle.js"],
)
def test_a_large_program_is_bound_by_its_hash(text: str) -> None:
    files = {
        "/p/bin/guard": LARGE,
        "/home/me/node/bin/node": LARGE,
        "/p/guard.js": "",
        "/p/dist/bundle.js": LARGE,
    }
    evidence = looked(text, files)
    (large,) = [file for file in evidence.files if file.sha256]
    assert large.sha256 == sha256(LARGE.encode()).hexdigest() and large.size == len(LARGE)
    assert len(large.data) < 1_000
    changed = looked(text, {**files, large.path: LARGE[:-1] + "y"})
    assert changed.digest != evidence.digest and changed.hook_digest == evidence.hook_digest


def test_a_small_program_is_still_kept_whole() -> None:
    (file,) = looked("./guard", {"/p/guard": LARGE[:1000]}).files
    assert not file.sha256 and file.data == LARGE[:1000].encode()


def test_two_programs_that_do_not_fit_together_are_bound() -> None:
    half = LARGE[: MAX_BYTES // 2 + 1]
    first, second = looked("./a; ./b", {"/p/a": half, "/p/b": half}).files
    assert not first.sha256 and second.sha256


def test_the_first_line_of_a_large_program_is_followed() -> None:
    bundle = "#!/home/me/bin/node\n" + "x" * MAX_BYTES
    assert paths(looked("./bundle", {"/p/bundle": bundle, "/home/me/bin/node": LARGE})) == [
        "/p/bundle",
        "/home/me/bin/node",
    ]


@pytest.mark.parametrize("text", ["./run", "bash run", ". ./run", "sqlite3 x.db < run; bash < run"])
def test_a_large_script_cannot_be_followed(text: str) -> None:
    with pytest.raises(TrustError, match=r"/p/run has \d+ bytes; scripts with more than 262144 characters"):
        looked(text, {"/p/run": SCRIPT_TEXT})


def test_there_is_a_bound_of_what_is_hashed() -> None:
    class Endless(Files):
        def hashed(self, path: str, most: int) -> tuple[str, int] | None:
            return None if most < MAX_HASHED else ("0" * 64, MAX_HASHED)

    assert looked("./a", Endless({"/p/a": LARGE})).files[0].size == MAX_HASHED
    with pytest.raises(TrustError, match="with /p/b, it executes more than 1073741824 bytes"):
        looked("./a; ./b", Endless({"/p/a": LARGE, "/p/b": LARGE}))


def test_hashing_stops_at_the_bound() -> None:
    copied: list[bytes] = []
    assert hash_of([b"ab", b"c"], 3, copied.append) == (sha256(b"abc").hexdigest(), 3)
    assert copied == [b"ab", b"c"]
    assert hash_of(iter(lambda: b"ab", b""), 5) is None


# --------------------------------------------------------------------------- what runs


def refuser(path: Path, reason: str = "approved") -> Path:
    """Write a program of more than MAX_BYTES that refuses; a script stands for it, which the system starts itself."""
    path.parent.mkdir(parents=True, exist_ok=True)
    body = f"#!{sys.executable}\nimport sys\nprint({reason!r}, file=sys.stderr)\nsys.exit(2)\n#"
    path.write_bytes(body.encode() + b"x" * MAX_BYTES + b"\n")
    path.chmod(0o755)
    return path


class Project:
    """A hook of a project, and the store with its approval."""

    def __init__(self, root: Path, command: str) -> None:
        self.root = root
        self.document = Document(
            {"hooks": {"PreToolUse": [{"command": command}]}},
            str(root / "crush.json"),
            layer="project",
            contract="crush",
        )
        self.store = TrustStore(str(root.parent / f"{root.name}.trust"), home=root.as_posix())

    def approve(self) -> None:
        (withheld,) = HookEngine.load([self.document]).withheld
        self.store.approve([self.store.examine(withheld.spec, "crush", self.root.as_posix())])

    def engine(self, **options: Any) -> HookEngine:
        allows = self.store.allows("crush", self.root.as_posix())
        return HookEngine.load([self.document], trust=allows, **{"host": True, **options})

    def fire(self, engine: HookEngine | None = None) -> Decision:
        return (engine or self.engine()).fire(
            ToolPre("bash", {"command": "x"}).with_(cwd=self.root.as_posix())
        )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    refuser(root / "bin" / "guard")
    project = Project(root, "./bin/guard")
    project.approve()
    return project


@pytest.fixture
def tool(tmp_path: Path) -> tuple[Project, Path]:
    """A hook whose program is outside of the project."""
    (tmp_path / "project").mkdir()
    program = refuser(tmp_path / "tools" / "guard")
    project = Project(tmp_path / "project", f"{program} --strict")
    project.approve()
    return project, program


@posix_only
def test_a_large_program_of_the_project_runs(project: Project) -> None:
    decision = project.fire()
    assert decision.refused and decision.reason == "approved"


@posix_only
def test_a_large_program_runs_in_its_place(tool: tuple[Project, Path]) -> None:
    project, program = tool
    program.write_bytes(
        f"#!{sys.executable}\nimport sys\nprint(__file__, file=sys.stderr)\nsys.exit(2)\n#".encode()
        + b"x" * MAX_BYTES
    )
    project.approve()
    assert project.fire().reason == str(program)


@posix_only
@pytest.mark.parametrize("kind", ["project", "tool"])
@pytest.mark.parametrize("change", ["edited", "replaced", "of the same size and time"])
def test_a_change_ends_the_approval(request: pytest.FixtureRequest, kind: str, change: str) -> None:
    value = request.getfixturevalue(kind)
    project, program = value if kind == "tool" else (value, value.root / "bin" / "guard")
    before = program.stat()
    if change == "edited":
        with program.open("ab") as file:
            file.write(b"#")
    elif change == "replaced":
        other = refuser(program.with_name("other"), "evil")
        other.replace(program)
    else:
        data = program.read_bytes()
        program.write_bytes(data[:-3] + b"y" + data[-2:])
        os.utime(program, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert program.stat().st_size == before.st_size
    decision = project.fire(project.engine(fail_closed=True))
    assert decision.refused and "changed since it was approved" in str(decision.reason)
    (withheld,) = project.engine().withheld
    assert "changed since it was approved" in withheld.why


@posix_only
@pytest.mark.parametrize("kind", ["project", "tool"])
def test_a_change_after_loading_could_not_run(request: pytest.FixtureRequest, kind: str) -> None:
    value = request.getfixturevalue(kind)
    project, program = value if kind == "tool" else (value, value.root / "bin" / "guard")
    engine = project.engine()
    refuser(program, "evil")
    decision = project.fire(engine)
    (outcome,) = decision.outcomes
    assert "has changed since it was approved" in str(outcome.run.failure)


@posix_only
def test_a_program_of_the_project_that_changes_after_the_comparison_runs_as_it_was_approved(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter = ApprovedFiles.__enter__

    def changes(self: ApprovedFiles) -> ApprovedFiles:
        files = enter(self)
        refuser(project.root / "bin" / "guard", "evil")
        return files

    monkeypatch.setattr(ApprovedFiles, "__enter__", changes)
    assert project.fire().reason == "approved"


@posix_only
def test_a_program_of_the_project_that_changes_before_its_copy_is_made_could_not_run(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    enter = ApprovedFiles.__enter__
    monkeypatch.setattr(host_approved.TemporaryDirectory, "__init__", _in(tmp_path / "copies"))

    def changes(self: ApprovedFiles) -> ApprovedFiles:
        refuser(project.root / "bin" / "guard", "evil")
        return enter(self)

    monkeypatch.setattr(ApprovedFiles, "__enter__", changes)
    (outcome,) = project.fire().outcomes
    assert "has changed since it was approved" in str(outcome.run.failure)
    assert list((tmp_path / "copies").iterdir()) == []


def _in(directory: Path) -> Any:
    directory.mkdir()
    begin = host_approved.TemporaryDirectory.__init__

    def begins(self: Any, **options: Any) -> None:
        begin(self, **{**options, "dir": str(directory)})

    return begins


@posix_only
@pytest.mark.parametrize("change", ["edited", "replaced"])
def test_a_program_elsewhere_that_changes_during_the_run_does_not_start(
    tool: tuple[Project, Path], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    project, program = tool
    enter = ApprovedFiles.__enter__

    def changes(self: ApprovedFiles) -> ApprovedFiles:
        files = enter(self)
        refuser(program if change == "edited" else program.with_name("other"), "evil")
        if change == "replaced":
            program.with_name("other").replace(program)
        return files

    monkeypatch.setattr(ApprovedFiles, "__enter__", changes)
    (outcome,) = project.fire().outcomes
    assert "changed after the run began" in str(outcome.run.failure)


@posix_only
def test_a_link_that_is_switched_after_the_comparison_makes_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter of a virtual environment of the project is a link to a large program elsewhere."""
    root = tmp_path / "project"
    (root / "venv").mkdir(parents=True)
    link = root / "venv" / "guard"
    link.symlink_to(refuser(tmp_path / "tools" / "guard"))
    project = Project(root, "./venv/guard")
    project.approve()
    assert project.fire().reason == "approved"
    evil = refuser(tmp_path / "tools" / "evil", "evil")
    enter = ApprovedFiles.__enter__

    def switches(self: ApprovedFiles) -> ApprovedFiles:
        files = enter(self)
        link.unlink()
        link.symlink_to(evil)
        return files

    monkeypatch.setattr(ApprovedFiles, "__enter__", switches)
    assert project.fire().reason == "approved"


def test_in_the_sandbox_a_program_that_changed_could_not_run(project: Project) -> None:
    files = {f"{shell_name(str(project.root))}/bin/guard": "echo evil >&2; exit 2"}
    engine = project.engine(host=False, runner=SandboxRunner(files=files))
    (outcome,) = project.fire(engine).outcomes
    assert "has changed since it was approved" in str(outcome.run.failure)


@pytest.mark.slow
@posix_only
def test_an_interpreter_of_the_user_runs_a_hook(tmp_path: Path) -> None:
    """A copy of node, where a version manager puts it: below a name that belongs to no system directory."""
    node = shutil.which("node")
    if node is None or Path(node).stat().st_size <= MAX_BYTES:
        pytest.skip("there is no node, or a small one")
    program = tmp_path / "home" / ".nvm" / "versions" / "node" / "v22" / "bin" / "node"
    program.parent.mkdir(parents=True)
    shutil.copy2(os.path.realpath(node), program)
    (tmp_path / "project").mkdir()
    guard = "const input = JSON.parse(require('fs').readFileSync(0)); process.exit(input.tool_name === 'bash' ? 2 : 0)\n"
    (tmp_path / "project" / "guard.js").write_bytes(guard.encode())
    project = Project(tmp_path / "project", f"{program} guard.js")
    project.approve()
    assert project.fire().refused
