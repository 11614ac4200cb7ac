// Chooses an agent, an event and a payload: by a form, as JSON, or from what was fired before.
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Json, get } from "../api";
import { Code } from "../components/code";
import { Dialog } from "../components/dialog";
import { Badge, Button, Failure, Field, Loading, Tabs } from "../components/parts";
import { setDraft, useAbout, useDraft } from "../shared";
import { textOf, useLoad } from "../state";
import { visible } from "../text";
import type { About, Agent, JsonPath, Kept, SamplePayload } from "../types";

/** The choice of agent, event and payload, which is kept as the draft of the page. */
export function PayloadEditor({ wanted }: { wanted: { agent?: string | undefined; event?: string | undefined } }) {
  const { about, error, retry } = useAbout();
  if (error) return <Failure error={error} retry={retry} />;
  if (!about) return <Loading what="the agents" />;
  return <Chooser about={about} wanted={wanted} />;
}

function usual(agent: Agent): string {
  return (agent.events.find((each) => each.kind === "tool.pre") ?? agent.events[0])?.name ?? "";
}

function Chooser({ about, wanted }: { about: About; wanted: { agent?: string | undefined; event?: string | undefined } }) {
  const draft = useDraft();
  const [problem, setProblem] = useState("");
  const [sample, setSample] = useState<SamplePayload>();
  const [history, setHistory] = useState(false);
  const agent =
    about.agents.find((each) => each.name === draft.agent) ?? about.agents.find((each) => each.used) ?? about.agents[0]!;

  const load = async (name: string, event: string, tool: string, keep: boolean) => {
    try {
      const query = new URLSearchParams({ agent: name, event, ...(tool ? { tool } : {}) });
      const fresh = await get<SamplePayload>(`/v1/studio/payload?${query}`);
      setSample(fresh);
      setProblem("");
      if (!keep) setDraft({ agent: name, event: fresh.event, payload: JSON.stringify(fresh.payload, null, 2) });
    } catch (error) {
      setProblem(textOf(error));
    }
  };

  useEffect(() => {
    const named = about.agents.find((each) => each.name === wanted.agent);
    const name = named ?? agent;
    const changed = name.name !== draft.agent || (wanted.event && wanted.event !== draft.event);
    if (!draft.payload || changed) void load(name.name, wanted.event || usual(name), "", false);
    else void load(draft.agent, draft.event, "", true);
  }, [wanted.agent, wanted.event]);

  const used = about.agents.filter((each) => each.used);
  const others = about.agents.filter((each) => !each.used);
  const option = (each: Agent) => <option key={each.name} value={each.name}>{each.name}</option>;
  return (
    <div class="stack">
      <div class="row">
        <Field label="Agent">
          {(attributes) => (
            <select
              {...attributes}
              value={agent.name}
              onChange={(event) => {
                const next = about.agents.find((each) => each.name === event.currentTarget.value)!;
                void load(next.name, usual(next), "", false);
              }}
            >
              {used.length > 0 && <optgroup label="With hooks here">{used.map(option)}</optgroup>}
              {others.length > 0 && <optgroup label="Without hooks here">{others.map(option)}</optgroup>}
            </select>
          )}
        </Field>
        <Field label="Event" hint={agent.events.find((each) => each.name === draft.event)?.refusable === false ? "Hooks cannot refuse it." : undefined}>
          {(attributes) => (
            <select
              {...attributes}
              value={draft.event}
              onChange={(event) => void load(agent.name, event.currentTarget.value, "", false)}
            >
              {agent.events.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Button onClick={() => setHistory(true)}>From history…</Button>
      </div>
      <Failure error={problem} />
      <Tabs
        label="How the payload is edited"
        tabs={[
          {
            id: "form",
            label: "Form",
            body: () => (sample ? <Form agent={agent} sample={sample} payload={draft.payload} choose={(tool) => load(agent.name, draft.event, tool, false)} /> : <Loading what="the form" />),
          },
          { id: "json", label: "JSON", body: () => <JsonText payload={draft.payload} /> },
        ]}
      />
      <Dialog title="Fire again" open={history} close={() => setHistory(false)}>
        <History directory={about.directory} close={() => setHistory(false)} />
      </Dialog>
    </div>
  );
}

function JsonText({ payload }: { payload: string }) {
  const problem = useMemo(() => faultOf(payload), [payload]);
  return (
    <>
      <Code label="Payload as JSON" text={payload} language="json" change={(text) => setDraft({ payload: text })} />
      {problem ? <p class="problem" role="status">Not JSON yet: {problem}</p> : <p class="hint">Paste what an agent sent. It is fired as it stands here.</p>}
    </>
  );
}

export function faultOf(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return textOf(error);
  }
}

function at(value: Json, path: JsonPath): Json | undefined {
  let here: Json | undefined = value;
  for (const key of path) {
    if (Array.isArray(here) && typeof key === "number") here = here[key];
    else if (here !== null && typeof here === "object" && !Array.isArray(here) && typeof key === "string") here = here[key];
    else return undefined;
  }
  return here;
}

function replaced(value: Json, path: JsonPath, fresh: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return fresh;
  if (Array.isArray(value)) return value.map((each, index) => (index === key ? replaced(each, rest, fresh) : each));
  const known = value !== null && typeof value === "object" ? value : {};
  return { ...known, [key]: replaced((known as Record<string, Json>)[key] ?? null, rest, fresh) };
}

const LONG = new Set(["command", "content", "prompt", "new_string", "old_string", "cmd", "script", "patch", "text"]);

function Form({ agent, sample, payload, choose }: { agent: Agent; sample: SamplePayload; payload: string; choose: (tool: string) => void }) {
  let value: Json;
  try {
    value = JSON.parse(payload) as Json;
  } catch {
    return <p class="problem">The payload is not JSON; the tab JSON shows why.</p>;
  }
  const set = (path: JsonPath, fresh: Json) => setDraft({ payload: JSON.stringify(replaced(value, path, fresh), null, 2) });
  const { tool, input, prompt, result } = sample.fields;
  const main = [tool, input, prompt, result].filter((each) => each !== undefined);
  const leaves = leavesOf(value, []).filter(([path]) => !main.some((each) => each.every((key, index) => path[index] === key)));
  const name = tool && at(value, tool);
  return (
    <div class="form">
      {tool && typeof name === "string" && (
        <Field label="Tool" hint={agent.tools.length ? "Another tool of this agent changes the input below." : undefined}>
          {(attributes) => (
            <>
              <input
                {...attributes}
                list={`${attributes.id}-tools`}
                value={name}
                autocomplete="off"
                onInput={(event) => set(tool, event.currentTarget.value)}
                onChange={(event) => {
                  if (agent.tools.some((each) => each.name === event.currentTarget.value)) choose(event.currentTarget.value);
                }}
              />
              <datalist id={`${attributes.id}-tools`}>
                {[...new Set(agent.tools.map((each) => each.name))].map((each) => (
                  <option key={each} value={each} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      )}
      {input && leavesOf(at(value, input) ?? null, []).map(([path, leaf]) => (
        <Leaf key={path.join(".")} label={path.length ? String(path.join(".")) : "input"} value={leaf} long={LONG.has(String(path.at(-1)))} set={(fresh) => set([...input, ...path], fresh)} />
      ))}
      {prompt && <Leaf label="Prompt" value={at(value, prompt) ?? null} long set={(fresh) => set(prompt, fresh)} />}
      {result && <Leaf label="Result" value={at(value, result) ?? null} long set={(fresh) => set(result, fresh)} />}
      {leaves.length > 0 && (
        <details open={main.length === 0}>
          <summary>{main.length ? `${leaves.length} more fields` : "Fields"}</summary>
          <div class="form">
            {leaves.map(([path, leaf]) => (
              <Leaf key={path.join(".")} label={path.join(".")} value={leaf} set={(fresh) => set(path, fresh)} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

/** Returns the values of a payload that are no objects, with their paths; an empty object or a list is one. */
function leavesOf(value: Json, path: JsonPath): [JsonPath, Json][] {
  if (value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]));
  }
  return [[path, value]];
}

function Leaf({ label, value, set, long = false }: { label: string; value: Json; set: (value: Json) => void; long?: boolean }) {
  if (typeof value === "boolean") {
    return (
      <label class="check">
        <input type="checkbox" checked={value} onChange={(event) => set(event.currentTarget.checked)} /> <code>{label}</code>
      </label>
    );
  }
  if (typeof value === "number") {
    return (
      <Field label={label}>
        {(attributes) => <input {...attributes} type="number" step="any" value={String(value)} onInput={(event) => set(Number(event.currentTarget.value))} />}
      </Field>
    );
  }
  if (typeof value !== "string") return <JsonLeaf label={label} value={value} set={set} />;
  return (
    <Field label={label}>
      {(attributes) =>
        long || value.includes("\n") ? (
          <textarea {...attributes} class="mono" rows={Math.min(8, Math.max(2, value.split("\n").length))} spellcheck={false} value={value} onInput={(event) => set(event.currentTarget.value)} />
        ) : (
          <input {...attributes} class="mono" autocomplete="off" spellcheck={false} value={value} onInput={(event) => set(event.currentTarget.value)} />
        )
      }
    </Field>
  );
}

/** A list, an empty object or null, as JSON. */
function JsonLeaf({ label, value, set }: { label: string; value: Json; set: (value: Json) => void }) {
  const [text, setText] = useState(JSON.stringify(value));
  const fault = faultOf(text);
  return (
    <Field label={label} hint={fault ? "Not JSON yet" : "JSON"}>
      {(attributes) => (
        <input
          {...attributes}
          class="mono"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={fault ? true : undefined}
          value={text}
          onInput={(event) => {
            const fresh = event.currentTarget.value;
            setText(fresh);
            if (!faultOf(fresh)) set(JSON.parse(fresh) as Json);
          }}
        />
      )}
    </Field>
  );
}

function History({ directory, close }: { directory: string; close: () => void }) {
  const query = new URLSearchParams({ count: "100", workspace: directory });
  const { value, error, reload } = useLoad<{ fires: Kept[] }>(`/v1/studio/history?${query}`);
  const [problem, setProblem] = useState("");
  const use = async (id: number) => {
    try {
      const whole = await get<{ agent: string; event: string; payload: string }>(`/v1/studio/fires/${id}`);
      setDraft({ agent: whole.agent, event: whole.event, payload: pretty(whole.payload) });
      close();
    } catch (failure) {
      setProblem(textOf(failure));
    }
  };
  if (error) return <Failure error={error} retry={reload} />;
  if (!value) return <Loading what="what was fired" />;
  const kept = value.fires.filter((each) => each.agent && each.source !== "command");
  if (kept.length === 0) return <p class="none">Nothing was fired yet. What this page fires, and what agents post to the service, appears here.</p>;
  return (
    <>
      <Failure error={problem} />
      <ul class="picks">
        {kept.map((each) => (
          <li key={each.id}>
            <button type="button" onClick={() => void use(each.id)}>
              <span class="faint">{new Date(each.time).toLocaleTimeString()}</span>
              <span>
                <strong>{each.agent}</strong> {each.event} {each.tool && <code>{visible(each.tool)}</code>}
              </span>
              {each.decision && <Badge tone={each.decision.refused ? "bad" : "good"}>{each.decision.refused ? "refused" : "proceed"}</Badge>}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
