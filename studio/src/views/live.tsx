// What the service decides now: fires as they come, filters, what each hook did in numbers, and each fire as a whole.
import { useEffect, useRef, useState } from "preact/hooks";
import { chosenWorkspace, get, post, type ServerEvent, stream } from "../api";
import { Badge, Button, Empty, Facts, Failure, Field, Loading, Output, Scroll, type Tone } from "../components/parts";
import { FiredResult } from "../firing/result";
import "../grids/grids.css";
import { setDraft, setWorkspace, useAbout } from "../shared";
import { address, textOf, useAction, useLoad } from "../state";
import { milliseconds, visible } from "../text";
import type { About, Decision, Fired } from "../types";
import type { ViewProps } from "../views";

interface LiveFire {
  id: number;
  time: string;
  source: string;
  agent: string;
  event: string;
  tool: string | null;
  session_id: string | null;
  cwd: string | null;
  duration_ms: number | null;
  ending: string;
  decision: { refused: boolean; reason: string | null; could_not_run: string[]; withheld: number } | null;
  hooks?: { hook_id: string; ran: boolean; decision: string | null; could_not_run: string | null; duration_ms?: number }[];
}

interface WholeFire extends Omit<LiveFire, "decision" | "hooks"> {
  payload?: string;
  /** "" for none of this service. */
  workspace: string;
  decision: Decision | null;
  answer: { exit_status: number; stdout: string; stderr: string } | null;
  notes?: string[];
  command?: string[];
}

interface Numbers {
  bounds: number[];
  hooks: {
    agent: string;
    hook: string;
    decisions: Record<string, number>;
    runs: number;
    could_not_run: number;
    counts: number[];
    seconds: number;
  }[];
}

/** Fires that the list has. */
const SHOWN = 200;

const RECONNECT_MILLISECONDS = 2000;

function outcomeOf(fire: LiveFire | WholeFire): { tone: Tone; text: string } {
  const { decision } = fire;
  if (!decision || fire.ending === "failed") return { tone: "bad", text: "not fired" };
  if (decision.could_not_run.length) {
    return decision.refused ? { tone: "bad", text: "refused, incomplete" } : { tone: "warning", text: "could not run" };
  }
  const withheld = typeof decision.withheld === "number" ? decision.withheld : decision.withheld.length;
  if (withheld) return decision.refused ? { tone: "bad", text: "refused, incomplete" } : { tone: "warning", text: "withheld" };
  return decision.refused ? { tone: "bad", text: "refused" } : { tone: "good", text: "passed" };
}

/** The fires that a filter wants, newest first; they are shown once in a frame, however many come. */
function useFires(query: string, paused: boolean) {
  const [fires, setFires] = useState<LiveFire[]>([]);
  const [state, setState] = useState("connecting");
  const fresh = useRef<LiveFire[]>([]);
  useEffect(() => {
    if (paused) return undefined;
    const stop = new AbortController();
    let frame = 0;
    const flush = () => {
      frame = 0;
      const come = fresh.current.splice(0).reverse();
      setFires((before) => {
        const known = new Set(come.map((each) => each.id));
        return [...come, ...before.filter((each) => !known.has(each.id))].slice(0, SHOWN);
      });
    };
    const received = (event: ServerEvent) => {
      if (event.name !== "fire") return;
      fresh.current.push({ ...(JSON.parse(event.data) as LiveFire), id: Number(event.id) });
      if (fresh.current.length > SHOWN) fresh.current.splice(0, fresh.current.length - SHOWN);
      frame ||= requestAnimationFrame(flush);
    };
    const follow = async () => {
      while (!stop.signal.aborted) {
        try {
          const listed = await get<{ fires: LiveFire[] }>(`/v1/studio/history?${query}`, stop.signal);
          setFires(listed.fires.slice(0, SHOWN));
          setState("connected");
          for await (const event of stream(`/v1/studio/live?${query}`, stop.signal)) received(event);
          setState("The service ended the stream.");
        } catch (error) {
          if (stop.signal.aborted) return;
          setState(textOf(error));
        }
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MILLISECONDS));
      }
    };
    void follow();
    return () => {
      stop.abort();
      cancelAnimationFrame(frame);
    };
  }, [query, paused]);
  return { fires, state };
}

export function Live({ params }: ViewProps) {
  const { about } = useAbout();
  const [filter, setFilter] = useState({ agent: "", outcome: "", hook: params.get("hook") ?? "", directory: "" });
  const workspace = chosenWorkspace();
  const [everywhere, setEverywhere] = useState(!workspace);
  const [paused, setPaused] = useState(false);
  const [chosen, setChosen] = useState<number>();
  const wanted = Object.entries(filter).filter(([, value]) => value);
  const query = new URLSearchParams([...wanted, ["workspace", everywhere ? "" : workspace]]).toString();
  const { fires, state } = useFires(query, paused);
  const change = (name: string) => (event: { currentTarget: { value: string } }) =>
    setFilter({ ...filter, [name]: event.currentTarget.value });
  return (
    <>
      <section class="pane stack" aria-label="Filters">
        <div class="filters">
          <Field label="Agent">
            {(attributes) => (
              <select {...attributes} value={filter.agent} onChange={change("agent")}>
                <option value="">all</option>
                {about?.agents.map((each) => <option key={each.name}>{each.name}</option>)}
              </select>
            )}
          </Field>
          <Field label="Outcome">
            {(attributes) => (
              <select {...attributes} value={filter.outcome} onChange={change("outcome")}>
                <option value="">all</option>
                <option value="refused">refused</option>
                <option value="passed">passed</option>
                <option value="failed">could not run, or withheld</option>
              </select>
            )}
          </Field>
          <Field label="Hook">
            {(attributes) => <input {...attributes} type="search" value={filter.hook} onChange={change("hook")} />}
          </Field>
          <Field label="Directory">
            {(attributes) => <input {...attributes} type="search" value={filter.directory} onChange={change("directory")} />}
          </Field>
          {workspace && (
            <label class="check">
              <input type="checkbox" checked={everywhere} onChange={(event) => setEverywhere(event.currentTarget.checked)} />
              Of all workspaces
            </label>
          )}
          <Button onClick={() => setPaused(!paused)} aria-pressed={paused}>
            Pause
          </Button>
        </div>
        <Failure error={state === "connected" || state === "connecting" ? "" : state} />
      </section>
      <div class="split even">
        <section class="pane" aria-label="Fires">
          {fires.length === 0 ? (
            <Empty title={state === "connecting" ? "Connecting" : "Nothing was fired yet"}>
              <p>Events of agents appear here as they come, and those that the view Fire fires.</p>
            </Empty>
          ) : (
            <ul class="fires">
              {fires.map((each) => (
                <li key={each.id}>
                  <FireRow fire={each} current={each.id === chosen} choose={() => setChosen(each.id)} />
                </li>
              ))}
            </ul>
          )}
        </section>
        <section class="pane" aria-label="One fire">
          {chosen === undefined ? (
            <Empty title="No fire is chosen">
              <p>Choose a fire to see its payload, and what each hook did.</p>
            </Empty>
          ) : (
            <OneFire key={chosen} number={chosen} about={about} />
          )}
        </section>
      </div>
      <HookNumbers workspace={everywhere ? "" : workspace} latest={fires[0]?.id ?? 0} />
    </>
  );
}

function FireRow({ fire, current, choose }: { fire: LiveFire; current: boolean; choose: () => void }) {
  const { tone, text } = outcomeOf(fire);
  return (
    <button type="button" class="fire" aria-current={current ? "true" : undefined} onClick={choose}>
      <Badge tone={tone}>{text}</Badge>
      <span>
        <strong>{visible(fire.event || fire.source)}</strong> {visible(fire.tool ?? "")}{" "}
        <span class="faint">
          {fire.agent} {fire.time.slice(11, 19)} {visible((fire.decision?.reason ?? "").slice(0, 200))}
        </span>
      </span>
      <span class="faint">{milliseconds(fire.duration_ms)}</span>
    </button>
  );
}

function OneFire({ number, about }: { number: number; about: About | undefined }) {
  const { value, error, loading, reload } = useLoad<WholeFire>(`/v1/studio/fires/${number}`);
  const [again, setAgain] = useState<Fired>();
  const [name, setName] = useState("");
  const [saved, setSaved] = useState("");
  const place = value ? new URLSearchParams({ workspace: value.workspace }) : "";
  const firing = useAction(() => post<Fired>(`/v1/studio/fire?${place}`, { agent: value?.agent, event: value?.event, payload: value?.payload }));
  const saving = useAction(() => post<{ path: string; expect: string }>("/v1/studio/expectation", { id: number, name }));
  if (!value) return loading ? <Loading what="the fire" /> : <Failure error={error} retry={reload} />;
  const { tone, text } = outcomeOf(value);
  const isEvent = Boolean(value.payload && value.agent && value.event && value.workspace);
  return (
    <div class="stack">
      <header class="title">
        <h2>
          {visible(value.event || value.source)} <span class="faint">no. {number}</span>
        </h2>
        <Badge tone={tone}>{text}</Badge>
      </header>
      <Facts
        rows={[
          ["Agent", value.agent],
          ["Tool", visible(value.tool ?? "")],
          ["Directory", visible(value.cwd ?? "")],
          ["Workspace", value.workspace === value.cwd ? "" : visible(value.workspace)],
          ["Session", visible(value.session_id ?? "")],
          ["Time", `${value.time}, ${milliseconds(value.duration_ms)}`],
          ["Command", value.command ? <code>{visible(value.command.join(" "))}</code> : ""],
          ["Reason", visible(value.decision?.reason ?? "")],
        ]}
      />
      {value.notes?.map((note, index) => <p class="faint" key={index}>{visible(note)}</p>)}
      {isEvent && (
        <p class="actions">
          <Button kind="primary" busy={firing.busy} disabled={firing.busy} onClick={() => void firing.run().then((fired) => fired && setAgain(fired))}>
            Fire again
          </Button>
          <a
            class="button"
            href={address("fire", { agent: value.agent, event: value.event })}
            onClick={() => {
              if (value.workspace !== about?.directory) setWorkspace(value.workspace);
              setDraft({ agent: value.agent, event: value.event, payload: value.payload ?? "" });
            }}
          >
            Open in Fire
          </a>
        </p>
      )}
      <Failure error={firing.error} />
      {again && (
        <section aria-label="Fired again">
          <h3>Fired again</h3>
          <FiredResult fired={again} steps={false} />
        </section>
      )}
      {value.decision && <h3>Hooks</h3>}
      {value.decision?.outcomes.map((each, index) => (
        <article class="card" key={index} aria-label={`Hook ${each.hook_id}`}>
          <header class="title">
            <h4>{visible(each.hook_id)}</h4>
            <span class="faint end">{milliseconds(each.duration_ms)}</span>
          </header>
          <p class="faint">
            {each.ran ? `${each.decision ?? "no decision"}, exit status ${each.exit_status ?? "none"}` : "did not run"}; {visible(each.why)}
          </p>
          {each.could_not_run && <p class="problem">{visible(each.could_not_run)}</p>}
          {each.ran && <Output label={`Recorded standard output ${index + 1}`} text={each.stdout ?? ""} />}
          {each.ran && <Output label={`Recorded standard error ${index + 1}`} text={each.stderr ?? ""} />}
        </article>
      ))}
      {value.payload && <Output label="Payload" text={value.payload} />}
      {value.answer && <Output label="Answer" text={value.answer.stdout || value.answer.stderr} />}
      {isEvent && about?.editable && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void saving.run().then((done) => done && setSaved(`Saved in ${done.path}: ${done.expect}.`));
          }}
        >
          <Field label="Name of the expectation" hint="A file next to the hooks receives this event and what was decided.">
            {(attributes) => <input {...attributes} value={name} onInput={(event) => setName(event.currentTarget.value)} />}
          </Field>
          <div class="actions">
            <Button type="submit" busy={saving.busy} disabled={saving.busy}>
              Save as an expectation
            </Button>
          </div>
          <Failure error={saving.error} />
          <p role="status">{visible(saved)}</p>
        </form>
      )}
    </div>
  );
}

function percent(part: number, whole: number): string {
  return whole ? `${((100 * part) / whole).toFixed(part && part * 1000 < whole ? 2 : 1)} %` : "";
}

function HookNumbers({ latest, workspace }: { latest: number; workspace: string }) {
  const { value, error, reload } = useLoad<Numbers>(`/v1/studio/numbers?${new URLSearchParams({ workspace })}`);
  const loaded = useRef(latest);
  useEffect(() => {
    if (loaded.current === latest) return undefined;
    const timer = setTimeout(() => {
      loaded.current = latest;
      reload();
    }, 500);
    return () => clearTimeout(timer);
  }, [latest]);
  if (!value) return <Failure error={error} retry={reload} />;
  if (value.hooks.length === 0) return null;
  return (
    <section class="pane stack" aria-label="Hooks in numbers">
      <h2>Hooks in numbers</h2>
      {chosenWorkspace() && !workspace && <p class="hint">Of all workspaces together.</p>}
      <Scroll label="Table of hooks">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Hook</th>
              <th scope="col">Runs</th>
              <th scope="col">Decisions</th>
              <th scope="col">Could not run</th>
              <th scope="col">Mean</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            {value.hooks.map((each) => (
              <tr key={`${each.agent} ${each.hook}`}>
                <th scope="row">
                  {each.agent} {visible(each.hook)}
                </th>
                <td>{each.runs.toLocaleString("en")}</td>
                <td>
                  {Object.entries(each.decisions)
                    .map(([word, number]) => `${word || "none"} ${number}`)
                    .join(", ")}
                </td>
                <td>
                  {each.could_not_run ? <Badge tone="warning">{percent(each.could_not_run, each.runs)}</Badge> : "never"}
                </td>
                <td>{milliseconds((1000 * each.seconds) / Math.max(1, each.runs))}</td>
                <td>
                  <Histogram bounds={value.bounds} counts={each.counts} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

const BAR = 10;
const HEIGHT = 32;

function Histogram({ bounds, counts }: { bounds: number[]; counts: number[] }) {
  const most = Math.max(1, ...counts);
  const words = counts
    .map((number, index) => (number ? `${number} ${index < bounds.length ? `up to ${milliseconds(1000 * bounds[index]!)}` : "longer"}` : ""))
    .filter(Boolean)
    .join(", ");
  return (
    <svg class="histogram" viewBox={`0 0 ${BAR * counts.length} ${HEIGHT}`} role="img" aria-label={words}>
      <title>{words}</title>
      <line x1="0" x2={BAR * counts.length} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {counts.map((number, index) => {
        const height = number ? Math.max(2, (number / most) * (HEIGHT - 2)) : 0;
        return <rect key={index} x={index * BAR + 1} y={HEIGHT - 1 - height} width={BAR - 2} height={height} />;
      })}
    </svg>
  );
}
