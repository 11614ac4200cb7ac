"""Where the message and the author of a new commit come from: -m, -F, -C, --amend, or a merge.

Source: git-commit(1); git 2.39, builtin/commit.c.
"""

from __future__ import annotations

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.commands.trailers import with_trailers
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.identity import Person
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.writing_messages import cleaned, cleanup_mode, signed_off
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.commits import Commit

#: Editors that leave a message as it is; no other editor is started.
_IDLE_EDITORS = (":", "true", "/bin/true", "/usr/bin/true")


@option_set
class MessageOptions:
    """Options of git commit about the message."""

    messages: tuple[str, ...] = also(
        opt("-m", "TEXT", "", append=True), opt("--message", "TEXT", "", append=True)
    )
    file: str | None = also(opt("-F", "FILE", ""), opt("--file", "FILE", ""))
    reuse: str | None = also(opt("-C", "COMMIT", ""), opt("--reuse-message", "COMMIT", ""))
    reedit: str | None = also(opt("-c", "COMMIT", ""), opt("--reedit-message", "COMMIT", ""))
    fixup: str | None = opt("--fixup", "COMMIT", "")
    squash: str | None = opt("--squash", "COMMIT", "")
    edit: bool | None = also(opt("-e", default=None), opt("--edit"), opt("--no-edit", const=False))
    cleanup: str | None = opt("--cleanup", "MODE", "")
    signoff: bool = also(opt("-s"), opt("--signoff"))
    trailers: tuple[str, ...] = opt("--trailer", "TRAILER", "", append=True)
    allow_empty: bool = opt("--allow-empty-message")
    template: str | None = also(opt("-t", "FILE", ""), opt("--template", "FILE", ""))


class Messages:
    """The message of one commit.

    Args:
        amended: The commit that --amend replaces.
    """

    def __init__(self, call: Invocation, options: MessageOptions, amended: Commit | None) -> None:
        self.call = call
        self.options = options
        self.amended = amended
        cleanup_mode(options.cleanup, None, editor=False)  # which raises an error for a wrong word
        self.reused = self._commit(options.reuse or options.reedit)
        sources = [options.reuse, options.reedit, options.file, options.fixup]
        if sum(each is not None for each in sources) > 1 or (options.file is not None and options.messages):
            raise GitError("Only one of -c/-C/-F/--fixup can be used.")
        if options.messages and (options.reuse or options.reedit):
            raise GitError("options '-m' and '-C' cannot be used together")

    @property
    def author(self) -> Person | None:
        """The author of the commit whose message is used, None for the caller."""
        source = self.reused or self.amended or self._picked()
        if source is None:
            return None
        who = source.author
        return Person(who.name, who.email, f"{who.time} {who.zone}")

    def _picked(self) -> Commit | None:
        """Return the commit that is being cherry-picked, None for another commit."""
        repository = self.call.repository
        oid = (self.call.access.text_or_none(f"{repository.git_dir}/CHERRY_PICK_HEAD") or "").strip()
        return repository.objects.commit(oid) if oid and repository.objects.has(oid) else None

    def _commit(self, name: str | None) -> Commit | None:
        if name is None:
            return None
        repository = self.call.repository
        oid = Names(repository).find(name)
        peeled = None if oid is None else repository.objects.peel(oid, "commit")
        if peeled is None:
            raise GitError(f"could not lookup commit {name}")
        return repository.objects.commit(peeled)

    def text(self, committer: Person) -> str | None:
        """Return the message after its cleanup; None, after a line about it, if it is empty."""
        options, config = self.options, self.call.repository.config
        text, complete = self._source()
        editor = options.edit if options.edit is not None else not complete
        if editor:
            self._check_editor()
        if options.signoff:
            text = signed_off(text, f"{committer.name} <{committer.email}>")
        if options.trailers:
            text = with_trailers(self.call, text, options.trailers)
        mode = cleanup_mode(options.cleanup, config.get("commit.cleanup"), editor=editor)
        comment = config.get("core.commentchar") or "#"
        text = cleaned(text, mode, "#" if comment == "auto" else comment)
        if not text.strip() and not options.allow_empty:
            self.call.error("Aborting commit due to empty commit message.")
            return None
        return text

    def _source(self) -> tuple[str, bool]:
        """Return the text, and True if no editor is wanted for it."""
        options = self.options
        given = "\n\n".join(each.rstrip("\n") for each in options.messages)
        given += "\n" * bool(given)
        if options.fixup is not None:
            return self._fixup(options.fixup, given), True
        if options.squash is not None:
            base = self._commit(options.squash)
            title = f"squash! {subject(base.message) if base is not None else ''}\n\n"
            return title + given, bool(options.messages)
        if options.messages:
            return given, True
        if options.file is not None:
            return self._read(options.file), True
        if self.reused is not None:
            return self.reused.message, options.reuse is not None
        for name in ("MERGE_MSG", "SQUASH_MSG"):
            found = self.call.access.text_or_none(f"{self.call.repository.git_dir}/{name}")
            if found is not None:
                return found, False
        return (self.amended.message if self.amended is not None else ""), False

    def _fixup(self, name: str, given: str) -> str:
        if name.startswith(("amend:", "reword:")):
            raise GitError(f"commit --fixup={name} is not offered in the sandbox (L-GIT-003)", status=129)
        base = self._commit(name)
        title = subject(base.message) if base is not None else ""
        return f"fixup! {title}\n" + (f"\n{given}" if given else "")

    def _read(self, name: str) -> str:
        path = name if name == "-" or name.startswith("/") else f"{self.call.options.cwd}/{name}"
        try:
            with self.call.ctx.open(path) as reader:
                return reader.read_all().decode("utf-8", "surrogateescape")
        except OSError as error:
            raise GitError(f"could not read log file '{name}': {error.strerror}") from None

    def _check_editor(self) -> None:
        environment = self.call.ctx.environment
        editor = (
            environment.get("GIT_EDITOR")
            or self.call.repository.config.get("core.editor")
            or environment.get("VISUAL")
            or environment.get("EDITOR")
            or ""
        )
        if editor not in _IDLE_EDITORS:
            raise GitError(
                "the message needs an editor, which git in the sandbox never starts: use -m, -F or --no-edit (L-GIT-002)",
                prefix="error",
                status=1,
            )
