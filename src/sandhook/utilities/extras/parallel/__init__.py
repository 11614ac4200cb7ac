"""parallel: run a command for each of many arguments.

Oracle: GNU parallel 20221122. Divergence: L-PARALLEL-001, the jobs run sequentially.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.durations import interval
from sandhook.command.options import Syntax
from sandhook.kernel.descriptor import Collector, Null
from sandhook.lazy import lazily
from sandhook.text.quoting import parallel_quote
from sandhook.utilities.extras.parallel.command import UNSUPPORTED, Job, Template
from sandhook.utilities.extras.parallel.input import Arguments, split_sources
from sandhook.utilities.extras.parallel.options import MAX_COMMAND, Options
from sandhook.vfs.path import VirtualPath

RAW = True  # words after ::: are not options
USAGE_STATUS = 255
_MAX_FAILED = 101  #: the exit status for more than 100 failed jobs
_HALT = lazily(r"(?a)(now|soon),(fail|success|done)=([0-9]{1,9})(%?)")


_SYNTAX = Syntax(Options, permute=False)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return the number of failed jobs (101: more than 100), the status of the job that triggered --halt, or 255."""
    head, sources = split_sources(arguments)
    options, command = _SYNTAX.parse(head)
    for word in command:
        if (match := UNSUPPORTED.search(word)) is not None:
            raise Failure(f"the replacement string {match[0]} is not offered (L-PARALLEL-001)")
    if options.trim.strip("nlr"):
        raise Failure("Error: --trim must be one of: r l rl lr.")
    rows = Arguments(options, sources, ctx)
    if options.shell_quote:
        for row in rows.rows():
            ctx.write_line(" ".join(map(parallel_quote, [*command, *row])))
        return 0
    return _Runner(options, command, rows, ctx).run()


class _Halt:
    """The condition of --halt for starting no more jobs."""

    def __init__(self, text: str | None) -> None:
        text = {"0": "never", "1": "soon,fail=1", "2": "now,fail=1"}.get(text or "never", text or "never")
        self.kind = ""
        if text != "never":
            match = _HALT.fullmatch(text)
            if match is None or match[4]:
                first = text.partition(",")[0]
                if match is None and first not in ("now", "soon"):
                    raise Failure("Error: --halt must have 'never', 'soon', or 'now'.")
                raise Failure(f"Error: --halt: '{text}' is not offered")
            self.kind, self.count = match[2], max(int(match[3]), 1)


class _Runner:
    def __init__(self, options: Options, command: Sequence[str], rows: Arguments, ctx: Context) -> None:
        self._options = options
        self._ctx = ctx
        self._rows = rows
        self._words = list(command)
        self._halt = _Halt(options.halt)
        self._delay = _seconds(options.delay)
        self._failed = self._matching_jobs = 0
        self._log = ctx.create(options.joblog) if options.joblog is not None else None
        if options.timeout is not None:
            _seconds(options.timeout)

    def run(self) -> int:
        try:
            if self._log is not None:
                self._log.write(
                    b"Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"
                )
            for number, values in enumerate(self._batches(), 1):
                status = self._job(Job(values, number))
                if status is not None:
                    return status
        finally:
            if self._log is not None:
                self._log.release()
        return min(self._failed, _MAX_FAILED)

    def _template(self) -> Template:
        if not self._words:
            return Template(["{}"], "{}", context=False, quotes=False)
        return Template(
            self._words,
            self._options.mark,
            context=self._options.context == "X",
            quotes=True,
            names=self._rows.headers,
            quotes_words=self._options.quote,
        )

    def _batches(self) -> Iterator[list[str]]:
        options = self._options
        rows = (row for row in self._rows.rows() if all(row) or not options.no_run)
        if options.context:
            yield from self._full_batches(rows)
            return
        count = options.each if options.each is not None else options.replace
        if count == 0:
            for _ in rows:
                yield []
            return
        batch: list[str] = []
        row_count = 0
        for row in rows:
            batch += row
            row_count += 1
            if row_count >= (count or 1):
                yield batch
                batch, row_count = [], 0
        if batch:
            yield batch

    def _full_batches(self, rows: Iterator[list[str]]) -> Iterator[list[str]]:
        options = self._options
        max_values = options.each or options.replace or MAX_COMMAND
        batch: list[str] = []
        template = self._template()
        empty = len(template.fill(Job([], 1)))
        size = empty
        for row in rows:
            added_size = len(template.fill(Job(row, 1))) - empty + (bool(batch) and options.context == "m")
            if batch and (size + added_size > options.max_chars or len(batch) >= max_values):
                yield batch
                batch, size = [], empty
            batch += row
            size += added_size
        if batch:
            yield batch

    # ------------------------------------------------------------------ one job

    def _job(self, job: Job) -> int | None:
        """Run one job; return parallel's exit status if --halt applies, else None."""
        ctx, options = self._ctx, self._options
        ctx.charge()
        text = self._template().fill(job)
        ctx.budget.check_fits(len(text))
        if options.dry:
            ctx.write_line(text)
            return None
        if options.verbose:
            ctx.write_line(text)
        ctx.flush()
        if options.trace:
            ctx.process.write_error(text.encode("utf-8", "surrogateescape") + b"\n")
        if job.number > 1 and self._delay:
            ctx.sleep(self._delay)
        start = ctx.now()
        status = self._run_with_retries(text, job)
        if self._log is not None:
            line = f"{job.number}\t:\t{start:.3f}\t{ctx.now() - start:10.3f}\t0\t0\t{status}\t0\t{text}\n"
            self._log.write(line.encode("utf-8", "surrogateescape"))
        self._failed += status != 0
        return self._halt_status(status, text)

    def _halt_status(self, status: int, text: str) -> int | None:
        halt = self._halt
        if not halt.kind:
            return None
        succeeded = status == 0
        if halt.kind == "done" or succeeded is (halt.kind == "success"):
            self._matching_jobs += 1
            self._ctx.flush()
            verb = {"done": "finished", "success": "succeeded", "fail": "failed"}[halt.kind]
            self._ctx.process.write_error(
                f"parallel: This job {verb}:\n{text}\n".encode("utf-8", "surrogateescape")
            )
            if self._matching_jobs >= halt.count:
                return status if halt.count == 1 else min(self._failed, _MAX_FAILED)
        return None

    def _run_with_retries(self, text: str, job: Job) -> int:
        status = 0
        for _ in range(max(self._options.retries, 1)):
            status = self._run_job(text, job)
            if status == 0:
                break
        return status

    def _run_job(self, text: str, job: Job) -> int:
        ctx, options = self._ctx, self._options
        argv = ["bash", "-c", text]
        if options.timeout is not None:
            argv = ["timeout", options.timeout, *argv]
        environment = {**ctx.environment, "PARALLEL_SEQ": str(job.number), "PARALLEL_JOBSLOT": "1"}
        stdin = Null() if self._rows.streams or job.number > 1 else None
        home = ctx.process.cwd
        tag = self._tag(job)
        stdout = ctx.process.descriptors.get(1)
        collector = Collector(ctx.budget)
        try:
            if options.directory is not None:
                ctx.process.cwd = VirtualPath(ctx.fs.realpath(ctx.path(options.directory)))
            if tag is not None:
                ctx.process.descriptors[1] = collector
            return ctx.run_command(argv, environment=environment, stdin=stdin)
        finally:
            ctx.process.cwd = home
            if tag is not None:
                if stdout is None:
                    del ctx.process.descriptors[1]
                else:
                    ctx.process.descriptors[1] = stdout
                head = tag.encode("utf-8", "surrogateescape") + b"\t"
                ctx.write(b"".join([head + line for line in collector.take().splitlines(keepends=True)]))
                ctx.flush()

    def _tag(self, job: Job) -> str | None:
        if self._options.tagstring is not None:
            text = self._options.tagstring
            marked = "{" in text
            return Template([text], "{}", context=False, quotes=False).fill(job) if marked else text
        return " ".join(job.values) if self._options.tag else None


def _seconds(text: str) -> float:
    seconds = interval(text)
    if seconds is None:
        raise Failure(f"Error: '{text}' is not a time in seconds")
    return seconds
