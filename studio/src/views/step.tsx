// Follows the script of a hook line by line: variables, exit statuses, data of pipelines, and what decided.
import { useEffect, useMemo, useState } from "preact/hooks";
import { post } from "../api";
import { Code, languageOf } from "../components/code";
import { Badge, Button, Empty, Facts, Failure, Field, Notice, Output } from "../components/parts";
import { PayloadEditor } from "../firing/payload";
import { wordOf } from "../firing/result";
import { setDraft, useDraft } from "../shared";
import { useAction } from "../state";
import { count, milliseconds, visible } from "../text";
import type { Fired, Outcome, Step } from "../types";
import type { ViewProps } from "../views";

export function StepThrough({ params }: ViewProps) {
  const draft = useDraft();
  const [fired, setFired] = useState<Fired>();
  const [chosen, setChosen] = useState(params.get("hook") ?? "");
  const unapproved = draft.unapproved === true;
  const run = useAction(() =>
    post<Fired>("/v1/studio/fire", { agent: draft.agent, event: draft.event, payload: draft.payload, unapproved, steps: true }),
  );
  const start = async () => {
    const value = await run.run();
    if (value) setFired(value);
  };
  useEffect(() => {
    if (params.get("run") && draft.payload) void start();
  }, []);
  const followed = fired?.decision.outcomes.filter((each) => each.steps?.length) ?? [];
  const outcome = followed.find((each) => each.hook_id === chosen) ?? followed.find((each) => each.refuses) ?? followed[0];
  return (
    <>
      <details class="pane setup" open={!fired}>
        <summary>
          Event: <strong>{draft.agent || "…"}</strong> {draft.event}
        </summary>
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void start();
          }}
        >
          <PayloadEditor wanted={{ agent: params.get("agent") ?? undefined, event: params.get("event") ?? undefined }} />
          <label class="check">
            <input type="checkbox" checked={unapproved} onChange={(event) => setDraft({ unapproved: event.currentTarget.checked })} />
            Also run hooks that nobody approved, in the sandbox
          </label>
          <div class="actions">
            <Button type="submit" kind="primary" busy={run.busy} disabled={run.busy || !draft.payload}>
              {run.busy ? "Running…" : "Run and follow"}
            </Button>
          </div>
        </form>
      </details>
      <Failure error={run.error} />
      {fired && !outcome && (
        <Empty title="No hook ran">
          <p>No hook that wants this event is in force. The view Fire shows why.</p>
        </Empty>
      )}
      {!fired && !run.error && !run.busy && (
        <Empty title="Nothing followed yet">
          <p>Run an event. Every command of the hooks is noted, with its words, variables, output and exit status.</p>
        </Empty>
      )}
      {fired && outcome && (
        <>
          {followed.length > 1 && (
            <Field label="Hook">
              {(attributes) => (
                <select {...attributes} value={outcome.hook_id} onChange={(event) => setChosen(event.currentTarget.value)}>
                  {followed.map((each) => (
                    <option key={each.hook_id} value={each.hook_id}>
                      {each.hook_id}: {each.command.split("\n")[0]}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <Stepper fired={fired} outcome={outcome} key={`${outcome.hook_id} ${fired.milliseconds}`} />
        </>
      )}
    </>
  );
}

/** Steps that the list shows around the present one. */
const AROUND = 150;

function Stepper({ fired, outcome }: { fired: Fired; outcome: Outcome }) {
  const steps = outcome.steps ?? [];
  const reason = outcome.decided_by;
  const deciding = steps.findIndex((each) => each.number === reason?.step);
  const [index, setIndex] = useState(0);
  const at = Math.min(index, steps.length - 1);
  const step = steps[at]!;
  const sources = outcome.sources ?? {};
  const source = sources[step.source];
  const reached = useMemo(
    () => [...new Set(steps.slice(0, at).filter((each) => each.source === step.source).map((each) => each.line))],
    [steps, at, step.source],
  );
  const values = useMemo(() => variablesAt(steps, at), [steps, at]);
  const go = (next: number) => setIndex(Math.max(0, Math.min(steps.length - 1, next)));
  const keys = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: steps.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  };
  const first = Math.max(0, Math.min(at - AROUND, steps.length - 2 * AROUND));
  const isBad = outcome.refuses && at === deciding;
  const word = wordOf(fired.word, fired.incomplete);
  return (
    <div class="stack">
      <div class="stepbar" role="toolbar" aria-label="Steps">
        <Button onClick={() => go(0)} disabled={at === 0}>First</Button>
        <Button onClick={() => go(at - 1)} disabled={at === 0}>Back</Button>
        <Button kind="primary" onClick={() => go(at + 1)} disabled={at === steps.length - 1}>Next</Button>
        {deciding >= 0 && (
          <Button onClick={() => go(deciding)}>{outcome.refuses ? "Why did this refuse?" : "What decided?"}</Button>
        )}
        <span class="faint" role="status">
          Step {at + 1} of {steps.length.toLocaleString("en")}
          {(outcome.steps_total ?? 0) > steps.length ? ` (${count(outcome.steps_total ?? 0, "command")} ran; the middle is left out)` : ""}
        </span>
        <span class="end"><Badge tone={word.tone}>{word.title}</Badge></span>
      </div>
      {outcome.steps_end === false && (
        <Notice tone="warning">
          <p>Only the first {count(outcome.steps_total ?? 0, "command")} of this hook are noted, so the one that decided is not known.</p>
        </Notice>
      )}
      <div class="split steps">
        <div class="stack">
          <section class="pane flush" aria-label="Script">
            <p class="caption">
              <code>{step.source === "main" ? "command of the hook" : visible(step.source)}</code>
              {step.function && <span class="faint"> in {visible(step.function)}</span>}
            </p>
            {source === undefined ? (
              <p class="none">The text of {visible(step.source)} is not known; the list has its commands.</p>
            ) : (
              <Code
                label={`Text of ${step.source}`}
                text={source}
                language={step.source === "main" ? "shell" : languageOf(step.source)}
                marks={{ ...(isBad ? { bad: step.line } : { active: step.line }), reached }}
              />
            )}
          </section>
          <section class="pane flush" aria-label="All steps">
            <div class="scroll trace" role="listbox" aria-label="Steps" tabIndex={0} aria-activedescendant={`step-${step.number}`} onKeyDown={keys}>
              {first > 0 && <p class="none">{count(first, "earlier step")}</p>}
              {steps.slice(first, first + 2 * AROUND).map((each, offset) => (
                <TraceRow key={each.number} step={each} current={first + offset === at} deciding={first + offset === deciding} refuses={outcome.refuses} choose={() => go(first + offset)} />
              ))}
              {first + 2 * AROUND < steps.length && <p class="none">{count(steps.length - first - 2 * AROUND, "later step")}</p>}
            </div>
          </section>
        </div>
        <section class="pane" aria-label="This step">
          <StepDetail step={step} values={values} decided={at === deciding ? reason?.why : undefined} outcome={outcome} calls={at === deciding ? callsOf(steps, reason?.calls ?? []) : []} go={(number) => go(steps.findIndex((each) => each.number === number))} />
        </section>
      </div>
    </div>
  );
}

function TraceRow({ step, current, deciding, refuses, choose }: { step: Step; current: boolean; deciding: boolean; refuses: boolean; choose: () => void }) {
  useEffect(() => {
    const row = document.getElementById(`step-${step.number}`);
    const list = row?.parentElement;
    if (!current || !row || !list) return;
    // only the list scrolls: scrollIntoView would move the page, too
    const [above, below] = [row.offsetTop - list.offsetTop, row.offsetTop - list.offsetTop + row.offsetHeight];
    if (above < list.scrollTop) list.scrollTop = above;
    else if (below > list.scrollTop + list.clientHeight) list.scrollTop = below - list.clientHeight;
  }, [current]);
  return (
    <div role="option" id={`step-${step.number}`} aria-selected={current} onClick={choose} class={deciding ? (refuses ? "bad" : "accent") : ""}>
      <span class="number">{step.line}</span>
      <code style={{ paddingInlineStart: `${Math.min(8, step.depth)}rem` }}>{visible(clipped(step.text, 200))}</code>
      <span class={step.status ? "status bad" : "status"}>{step.signal ?? step.status ?? ""}</span>
    </div>
  );
}

function clipped(text: string, length: number): string {
  const line = text.replaceAll("\n", " \u21b5 ");
  return line.length > length ? `${line.slice(0, length)}\u2026` : line;
}

function callsOf(steps: Step[], numbers: number[]): Step[] {
  return numbers.flatMap((number) => steps.find((each) => each.number === number) ?? []);
}

/** Returns what the variables of a step's shell are after it, as far as the steps assigned them. */
function variablesAt(steps: Step[], at: number): [string, string, boolean][] {
  const values = new Map<string, string>();
  const own = steps[at]!;
  for (const step of steps.slice(0, at + 1)) {
    if (step.process !== own.process) continue;
    for (const [name, value] of Object.entries(step.variables)) {
      if (value === null) values.delete(name);
      else values.set(name, value);
    }
  }
  return [...values].map(([name, value]) => [name, value, name in own.variables]);
}

function StepDetail({
  step,
  values,
  decided,
  outcome,
  calls,
  go,
}: {
  step: Step;
  values: [string, string, boolean][];
  decided: string | undefined;
  outcome: Outcome;
  calls: Step[];
  go: (number: number) => void;
}) {
  const words = step.words?.map(quoted).join(" ");
  return (
    <div class="stack">
      {decided && (
        <div class={`notice ${outcome.refuses ? "bad" : "accent"}`}>
          <p>
            <strong>{decided === "status" ? `This command set the exit status ${outcome.exit_status}` : "This command wrote the output"}</strong> that
            decided{outcome.reason ? `: ${visible(clipped(outcome.reason, 300))}` : "."}
          </p>
          {calls.length > 0 && (
            <ol class="calls">
              {calls.map((each) => (
                <li key={each.number}>
                  <button type="button" class="link" onClick={() => go(each.number)}>
                    line {each.line}
                  </button>{" "}
                  <code>{visible(clipped(each.text, 90))}</code>
                </li>
              ))}
            </ol>
          )}
        </div>
      )}
      <h2>Line {step.line}</h2>
      <pre class="command">{visible(step.text)}</pre>
      <Facts
        rows={[
          ["Exit status", step.signal ? `ended by ${step.signal}` : step.status === null ? "" : String(step.status)],
          ["After expansion", words && words !== step.text ? <code>{visible(words)}</code> : ""],
          ["Process", `${step.process}${step.depth ? `, depth ${step.depth}` : ""}`],
          ["Began at", milliseconds(step.seconds * 1000)],
        ]}
      />
      {step.piped && <Output label="Into the pipe" text={step.piped} />}
      {step.stdout && <Output label="Standard output" text={step.stdout} />}
      {step.stderr && <Output label="Standard error" text={step.stderr} />}
      {values.length > 0 && (
        <>
          <h3>Variables</h3>
          <dl class="variables">
            {values.map(([name, value, fresh]) => (
              <div key={name} class={fresh ? "fresh" : ""}>
                <dt>
                  {visible(name)}
                  {fresh && <span class="hidden"> (assigned by this step)</span>}
                </dt>
                <dd>{visible(clipped(value, 600))}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </div>
  );
}

function quoted(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
