// Work that the service does in the background: started, watched, cancelled, and its cells opened.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get, post } from "../api";
import { Dialog } from "../components/dialog";
import { Badge, Button, Failure, Loading, type Tone } from "../components/parts";
import { textOf } from "../state";
import { visible } from "../text";
import "./grids.css";

export interface TaskState<T> {
  id: number;
  kind: string;
  state: "running" | "done" | "failed" | "cancelled";
  done: number;
  total: number;
  what: string;
  error: string;
  result: T | null;
}

const POLL_MILLISECONDS = 250;

/** The last task of each kind, so that a view that is opened again shows its grid. */
const known = new Map<string, TaskState<unknown>>();

export function useTask<T>(kind: string) {
  const [task, setTask] = useState(known.get(kind) as TaskState<T> | undefined);
  const [error, setError] = useState("");
  const alive = useRef(true);
  const show = (value: TaskState<T>) => {
    known.set(kind, value);
    if (alive.current) setTask(value);
  };
  const attempt = async (perform: () => Promise<TaskState<T>>) => {
    setError("");
    try {
      show(await perform());
    } catch (problem) {
      if (alive.current) setError(textOf(problem));
    }
  };
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);
  useEffect(() => {
    if (task?.state !== "running") return undefined;
    const timer = setTimeout(() => void attempt(() => get(`/v1/studio/tasks/${task.id}`)), POLL_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [task]);
  return {
    task,
    error: error || task?.error || "",
    start: () => attempt(() => post("/v1/studio/tasks", { kind })),
    cancel: () => (task ? attempt(() => post(`/v1/studio/tasks/${task.id}/cancel`, {})) : undefined),
  };
}

export function TaskBar<T>({
  task,
  error,
  start,
  cancel,
  verb,
  children,
}: ReturnType<typeof useTask<T>> & { verb: string; children: ComponentChildren }) {
  const isRunning = task?.state === "running";
  return (
    <section class="pane stack" aria-label="Run">
      {children}
      <div class="grid-bar">
        <Button kind="primary" onClick={() => void start()} disabled={isRunning}>
          {task?.result ? `${verb} again` : verb}
        </Button>
        {isRunning && (
          <>
            <Button onClick={() => void cancel()}>Cancel</Button>
            <progress aria-label="Progress" value={task.total ? task.done : undefined} max={task.total || 1} />
            <span class="faint">
              {task.total ? `${task.done} of ${task.total}` : "begins"} {visible(task.what.split("/").at(-1) ?? "")}
            </span>
          </>
        )}
        <span role="status">
          {task?.state === "cancelled" && "Cancelled."}
          {task?.state === "done" && "Complete."}
        </span>
      </div>
      <Failure error={error} />
    </section>
  );
}

/** A cell of a grid, which opens what is behind it. */
export function Cell({ tone, text, label, open }: { tone: Tone; text: string; label: string; open: () => void }) {
  return (
    <button type="button" class="cell" aria-label={`${label}: ${text}`} onClick={open}>
      <Badge tone={tone}>{visible(text)}</Badge>
    </button>
  );
}

/** What a cell is opened with, and its title. */
export interface Opening {
  title: string;
  body: Record<string, unknown>;
}

/** Shows one cell down to its run, in a dialog. */
export function CellDialog<T>({
  task,
  opening,
  close,
  children,
}: {
  task: number | undefined;
  opening: Opening | undefined;
  close: () => void;
  children: (value: T) => ComponentChildren;
}) {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState("");
  useEffect(() => {
    setValue(undefined);
    setError("");
    if (!opening || task === undefined) return undefined;
    const stop = new AbortController();
    post<T>(`/v1/studio/tasks/${task}/cell`, opening.body, stop.signal).then(setValue, (problem: unknown) => {
      if (!stop.signal.aborted) setError(textOf(problem));
    });
    return () => stop.abort();
  }, [opening]);
  return (
    <Dialog title={opening?.title ?? ""} open={opening !== undefined} close={close}>
      <div class="stack">
        <Failure error={error} />
        {value ? children(value) : !error && <Loading what="the run" />}
        <div class="actions">
          <Button onClick={close}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}

export function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}
