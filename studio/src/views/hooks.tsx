// The hooks of all layers of all agents: which are in force, which are withheld and why, and their texts.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Code, languageOf } from "../components/code";
import { Badge, Empty, Facts, Failure, Loading, Notice, PathText, SEVERITY, Scroll, Tabs, type Tone } from "../components/parts";
import { address, useLoad } from "../state";
import { count, visible } from "../text";
import type { AgentHooks, FileText, Hook, HookState, Overview } from "../types";
import type { ViewProps } from "../views";

const STATES: Record<HookState, { tone: Tone; label: string }> = {
  trusted: { tone: "good", label: "in force" },
  untrusted: { tone: "warning", label: "not approved" },
  muted: { tone: "neutral", label: "switched off" },
};

export function Hooks({ params }: ViewProps) {
  const { value, error, loading, reload } = useLoad<Overview>("/v1/studio/hooks");
  const [filter, setFilter] = useState("");
  const detail = useRef<HTMLElement>(null);
  const wanted = `${params.get("agent") ?? ""} ${params.get("hook") ?? ""}`;
  const shown = useRef(wanted);
  useEffect(() => {
    // below each other on a narrow page: what was chosen would be out of sight
    if (shown.current !== wanted && matchMedia("(max-width: 52rem)").matches) detail.current?.scrollIntoView();
    shown.current = wanted;
  }, [wanted]);
  if (!value) return loading ? <Loading what="the hooks" /> : <Failure error={error} retry={reload} />;
  if (value.agents.length === 0) return <NoHooks directory={value.directory} reload={reload} />;
  const agent = value.agents.find((each) => each.name === params.get("agent")) ?? value.agents[0]!;
  const number = params.get("hook");
  const hook = number === null ? undefined : agent.hooks[Number(number)];
  return (
    <>
      <p class="lead">
        {count(value.agents.reduce((sum, each) => sum + each.hooks.length, 0), "hook")} of{" "}
        {count(value.agents.length, "agent")} in <code>{value.directory}</code>
      </p>
      <Failure error={error} retry={reload} />
      <div class="split">
        <section class="pane list" aria-label="Hooks by agent">
          <input
            type="search"
            class="filter"
            aria-label="Filter hooks"
            placeholder="Filter by event, command, file…"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
          {value.agents.map((each) => (
            <AgentList key={each.name} agent={each} filter={filter} current={agent} hook={hook} />
          ))}
        </section>
        <section class="pane detail" ref={detail} aria-label={hook ? `Hook ${hook.id}` : `Agent ${agent.name}`}>
          {hook ? <HookDetail agent={agent} hook={hook} key={`${agent.name} ${number}`} /> : <AgentDetail agent={agent} />}
        </section>
      </div>
    </>
  );
}

function NoHooks({ directory, reload }: { directory: string; reload: () => void }) {
  return (
    <Empty title="No agent has hooks here">
      <p>
        None of the files that agents read from <code>{directory}</code> exists. Write a first guard with{" "}
        <code>sandhook init</code>, or name a file: <code>sandhook studio FILE</code>.
      </p>
      <button type="button" class="button primary" onClick={reload}>
        Look again
      </button>
    </Empty>
  );
}

function matches(hook: Hook, filter: string): boolean {
  const text = `${hook.event} ${hook.command} ${hook.file} ${hook.layer} ${hook.matcher} ${STATES[hook.state].label}`;
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));
}

function AgentList({ agent, filter, current, hook }: { agent: AgentHooks; filter: string; current: AgentHooks; hook: Hook | undefined }) {
  const files = useMemo(() => {
    const groups = new Map<string, [number, Hook][]>();
    agent.hooks.forEach((each, index) => {
      if (!matches(each, filter)) return;
      const key = `${each.layer}\0${each.file}`;
      groups.set(key, [...(groups.get(key) ?? []), [index, each]]);
    });
    return [...groups.entries()];
  }, [agent, filter]);
  const isCurrent = agent === current;
  return (
    <div class="group">
      <h2>
        <a href={address("hooks", { agent: agent.name })} aria-current={isCurrent && !hook ? "true" : undefined}>
          {agent.name} <span class="faint">{agent.hooks.length}</span>
          {agent.problems.length > 0 && <Badge tone="bad">{count(agent.problems.length, "fault")}</Badge>}
        </a>
      </h2>
      {files.map(([key, hooks]) => {
        const [layer = "", file = ""] = key.split("\0");
        return (
          <div key={key}>
            <p class="place">
              <span class="layer">{layer || "named"}</span> <PathText path={file.replace(/^.*\/(?=[^/]*\/[^/]*$)/, "")} />
            </p>
            <ul>
              {hooks.map(([index, each]) => (
                <li key={index}>
                  <a
                    class="hook"
                    href={address("hooks", { agent: agent.name, hook: String(index) })}
                    aria-current={isCurrent && each === hook ? "true" : undefined}
                  >
                    <span class="first">
                      <strong>{visible(each.event)}</strong>
                      <Badge tone={STATES[each.state].tone}>{STATES[each.state].label}</Badge>
                    </span>
                    <code>{visible(firstLine(each.command || each.argv.join(" ") || each.type))}</code>
                    {each.findings.some((found) => found.severity !== "note") && (
                      <span class="faint">{count(each.findings.filter((found) => found.severity !== "note").length, "finding")}</span>
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
      {files.length === 0 && <p class="none">{filter ? "No hook fits the filter." : "No hooks."}</p>}
    </div>
  );
}

function firstLine(text: string): string {
  const [first = "", ...rest] = text.trim().split("\n");
  return rest.length ? `${first} …` : first;
}

/** The words of facts, of which parts in backquotes are code. */
function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split("`").map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}
    </>
  );
}

const FACTS: Record<string, string> = {
  order: "Order",
  refuses: "A hook refuses by",
  "could not run": "A hook that could not run",
  trust: "Runs without approval",
};

function AgentDetail({ agent }: { agent: AgentHooks }) {
  return (
    <div class="stack">
      <h2>{agent.name}</h2>
      {agent.problems.map((each, index) => (
        <Notice tone="bad" key={index}>
          <p>
            {each.file && <PathText path={each.file} line={each.line} />} {each.path && <code>{visible(each.path)}</code>}
          </p>
          <p>{visible(each.message)}</p>
        </Notice>
      ))}
      <h3>Who wins</h3>
      <Facts rows={Object.entries(FACTS).flatMap(([name, label]) => agent.facts[name] ? [[label, <Prose text={agent.facts[name]!} />] as [string, preact.ComponentChildren]] : [])} />
      {agent.places.length > 0 && (
        <>
          <h3>Layers, weakest first</h3>
          <Scroll label="Layers of this agent">
            <table class="rows">
              <thead>
                <tr>
                  <th>Layer</th>
                  <th>Place</th>
                  <th>Hooks</th>
                  <th>Runs</th>
                </tr>
              </thead>
              <tbody>
                {agent.places.map((place, index) => (
                  <tr key={index} class={place.files.length ? "" : "absent"}>
                    <td>{place.layer || "named"}</td>
                    <td>
                      <code>{visible(place.path)}</code>
                    </td>
                    <td>{place.files.length ? place.files.reduce((sum, file) => sum + file.hooks, 0) : "no file"}</td>
                    <td>{place.needs_approval ? "after approval" : "always"}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </>
      )}
      {agent.notes.length > 0 && (
        <>
          <h3>Notes</h3>
          <ul class="notes">
            {agent.notes.map((note, index) => (
              <li key={index}>{visible(note)}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function HookDetail({ agent, hook }: { agent: AgentHooks; hook: Hook }) {
  const state = STATES[hook.state];
  const tabs = [
    { id: "command", label: hook.type === "bash" ? "Command" : "What runs", body: () => <Command hook={hook} /> },
    ...hook.scripts.map((script) => ({
      id: script.path,
      label: script.path.split("/").at(-1) ?? script.path,
      body: () => <Script agent={agent.name} path={script.path} />,
    })),
    ...(hook.file
      ? [{ id: "configuration", label: "Configuration", body: () => <Script agent={agent.name} path={hook.file} line={hook.line} /> }]
      : []),
  ];
  return (
    <div class="stack">
      <header class="title">
        <h2>
          {visible(hook.event)} <span class="faint">{visible(hook.id)}</span>
        </h2>
        <Badge tone={state.tone}>{state.label}</Badge>
      </header>
      {hook.why && (
        <Notice tone={state.tone}>
          <p>{visible(hook.why)}</p>
          {hook.remedy && <p><Prose text={hook.remedy} /></p>}
        </Notice>
      )}
      <p class="actions">
        <a class="button" href={address("fire", { agent: agent.name, event: hook.event })}>Fire an event</a>
        <a class="button" href={address("step", { agent: agent.name, event: hook.event, hook: hook.id })}>Step through</a>
        <a class="button" href={address("edit", { agent: agent.name, path: hook.scripts[0]?.path ?? hook.file })}>Edit and try</a>
      </p>
      <Facts
        rows={[
          ["Matches", visible(hook.matcher)],
          ["Place", hook.file ? <PathText path={hook.file} line={hook.line} /> : "a value"],
          ["Layer", hook.layer || "named on the command line"],
          ["Order", hook.order ? `no. ${hook.order} of this event` : ""],
          ["Approval", approval(hook)],
          ["Time limit", `${hook.timeout} s`],
          ["Runs in", hook.isolation === "process" ? "a confined worker process" : hook.isolation === "thread" ? "the sandbox of this process" : ""],
          ["Calls", hook.commands.length ? <code>{visible(hook.commands.join(" "))}</code> : ""],
          ["Also, unknown until it runs", hook.unknown.length ? visible(hook.unknown.join(", ")) : ""],
          ["Description", hook.description ? visible(hook.description) : ""],
        ]}
      />
      <Tabs label="Texts of this hook" tabs={tabs} />
      <Findings hook={hook} />
    </div>
  );
}

function approval(hook: Hook) {
  if (!hook.needs_approval) return "not needed in this layer";
  if (!hook.approval) return "";
  const day = hook.approved.slice(0, 10);
  return (
    <>
      {day ? `approved on ${day}` : "approved"}, <code>{hook.approval.slice(0, 12)}</code>
    </>
  );
}

function Command({ hook }: { hook: Hook }) {
  const text = hook.command || hook.argv.join("\n");
  if (!text) return <p class="none">A hook of the type {visible(hook.type)} has no text.</p>;
  return <Code label={`Command of ${hook.id}`} text={text} language="shell" />;
}

function Script({ agent, path, line }: { agent: string; path: string; line?: number }) {
  const { value, error, loading, reload } = useLoad<FileText>(`/v1/studio/text?${new URLSearchParams({ agent, path })}`);
  if (!value) return loading ? <Loading what={path} /> : <Failure error={error} retry={reload} />;
  return (
    <>
      <p class="caption">
        <PathText path={path} /> <span class="faint">{value.line_ends}{value.cut ? ", cut" : ""}</span>
      </p>
      <Code label={path} text={value.text} language={languageOf(path)} findings={value.findings} marks={line ? { active: line } : {}} />
    </>
  );
}

function Findings({ hook }: { hook: Hook }) {
  if (hook.findings.length === 0) return <p class="none">`sandhook check` has no findings for this hook.</p>;
  return (
    <>
      <h3>Findings</h3>
      <ul class="findings">
        {hook.findings.map((each, index) => (
          <li key={index}>
            <Badge tone={SEVERITY[each.severity]}>{each.severity}</Badge>
            <div>
              <p>{visible(each.message)}</p>
              <p class="faint">
                {each.rule} · <PathText path={each.file.split("/").at(-1) ?? ""} line={each.line} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
