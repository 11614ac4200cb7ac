// What became of an event: the decision as the agent acts on it, and everything about each hook.
import { Badge, Facts, Notice, Output, Tabs, type Tab, type Tone } from "../components/parts";
import { DiffText, FileChanges } from "../components/diff";
import { address } from "../state";
import { bytes, count, milliseconds, visible } from "../text";
import type { Fired, Outcome } from "../types";

/** What an agent does after each decision. */
const WORDS: Record<string, { tone: Tone; title: string; text: string }> = {
  proceed: { tone: "good", title: "Proceeds", text: "No hook objects; the agent goes on as it would without hooks." },
  allow: { tone: "good", title: "Allowed", text: "A hook approved the action; the agent does not ask its user." },
  ask: { tone: "warning", title: "Asks the user", text: "The agent asks its user before it acts." },
  defer: { tone: "warning", title: "Deferred", text: "The agent leaves the action open and ends its run." },
  deny: { tone: "bad", title: "Refused", text: "The agent does not act, and the model reads the reason." },
  halt: { tone: "bad", title: "Halted", text: "The agent ends its turn." },
  "keep-working": { tone: "accent", title: "Keeps working", text: "The agent wanted to stop, and goes on." },
  error: { tone: "bad", title: "Not fired", text: "The hooks could not be loaded, or the event not be read." },
};

/** What the agent does, and whether a hook that wanted the event took no part: its refusal may be what is missing. */
export function wordOf(word: string, incomplete = false): { tone: Tone; title: string; text: string } {
  const known = WORDS[word] ?? { tone: "neutral", title: word, text: "" };
  if (!incomplete) return known;
  return {
    tone: known.tone === "good" ? "warning" : known.tone,
    title: `${known.title}, incomplete`,
    text: `${known.text} Not every hook that wants this event took part.`.trim(),
  };
}

export function FiredResult({ fired, steps = true }: { fired: Fired; steps?: boolean }) {
  const { decision } = fired;
  const word = wordOf(fired.word, fired.incomplete);
  const ran = decision.outcomes.filter((each) => each.ran).length;
  return (
    <div class="stack" aria-live="polite">
      <div class={`verdict ${word.tone}`}>
        <p class="word">{word.title}</p>
        <p>{!fired.refusable && word.tone === "good" ? "Hooks cannot refuse this event. " : ""}{word.text}</p>
        {decision.reason && <p class="reason">{visible(decision.reason)}</p>}
        <p class="faint">
          {fired.agent} · {fired.event} · {ran} of {count(decision.outcomes.length, "hook")} ran · {milliseconds(fired.milliseconds)}
        </p>
      </div>
      {decision.withheld.length > 0 && (
        <Notice tone="warning">
          <p>{count(decision.withheld.length, "hook")} wanted this event and {decision.withheld.length === 1 ? "is" : "are"} not in force.</p>
          {[...new Set(decision.withheld.map((each) => each.why))].map((why) => (
            <p key={why}>
              <strong>{visible(decision.withheld.filter((each) => each.why === why).map((each) => each.hook_id).join(", "))}</strong>: {visible(why)}
            </p>
          ))}
          <p>
            The view <a href={address("hooks", { agent: fired.agent })}>Hooks</a> has what helps.
          </p>
        </Notice>
      )}
      {fired.notes.length > 0 && (
        <ul class="notes">
          {fired.notes.map((note, index) => (
            <li key={index}>{visible(note)}</li>
          ))}
        </ul>
      )}
      <AgentSees fired={fired} />
      <h2>Hooks</h2>
      {decision.outcomes.length === 0 && <p class="none">No hook of {fired.agent} waits for this event.</p>}
      <ol class="outcomes">
        {decision.outcomes.map((each, index) => (
          <li key={index}>
            <OutcomeCard fired={fired} outcome={each} steps={steps} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function AgentSees({ fired }: { fired: Fired }) {
  const { decision, answer } = fired;
  const rows: [string, preact.ComponentChildren][] = [
    ["Shown for the refused action", decision.message && decision.refused ? <Quoted text={decision.message} /> : ""],
    ["To the user", decision.user_message ? <Quoted text={decision.user_message} /> : ""],
    ["System note", decision.system_message ? <Quoted text={decision.system_message} /> : ""],
    ...decision.context.map((each): [string, preact.ComponentChildren] => [`Added to the ${each.placement}`, <Quoted text={each.text} />]),
  ];
  const tabs: Tab[] = [];
  if (rows.some(([, value]) => value)) tabs.push({ id: "sees", label: "Messages", body: () => <Facts rows={rows} /> });
  for (const each of fired.effects) {
    tabs.push({
      id: `effect-${each.name}`,
      label: `Changed ${each.name}`,
      body: () =>
        each.rows.length ? <DiffText label={`Change of the ${each.name}`} rows={each.rows} /> : <Output label={each.name} text={JSON.stringify(each.value, null, 2)} />,
    });
  }
  if (answer) {
    tabs.push({
      id: "answer",
      label: "Answer to the agent",
      body: () => (
        <>
          <Facts rows={[["Exit status", String(answer.exit_status)]]} />
          <Output label="Standard output" text={answer.stdout} />
          <Output label="Standard error" text={answer.stderr} />
        </>
      ),
    });
  }
  if (tabs.length === 0) return null;
  return <Tabs label="What the agent receives" tabs={tabs} />;
}

function Quoted({ text }: { text: string }) {
  return <span class="quoted">{visible(text.length > 4000 ? `${text.slice(0, 4000)}\u2026` : text)}</span>;
}

function toneOf(outcome: Outcome): { tone: Tone; label: string } {
  if (outcome.state === "not_matched") return { tone: "neutral", label: "not matched" };
  if (outcome.state === "withheld") return { tone: "warning", label: "not approved" };
  if (outcome.state === "skipped") return { tone: "neutral", label: "not run" };
  if (outcome.could_not_run) return { tone: "warning", label: "could not run" };
  if (outcome.refuses) return { tone: "bad", label: outcome.decision ?? "refused" };
  if (outcome.state === "background") return { tone: "neutral", label: "in the background" };
  return { tone: "good", label: outcome.decision && outcome.decision !== "none" ? outcome.decision : "no objection" };
}

function OutcomeCard({ fired, outcome, steps }: { fired: Fired; outcome: Outcome; steps: boolean }) {
  const { tone, label } = toneOf(outcome);
  const notes = [...outcome.warnings, ...outcome.diagnostics];
  const written = (outcome.stdout_bytes ?? 0) + (outcome.stderr_bytes ?? 0);
  const tabs: Tab[] = [];
  if (written > 0) {
    tabs.push({
      id: "output",
      label: "Output",
      note: bytes(written),
      body: () => (
        <>
          <Output label="Standard output" text={outcome.stdout ?? ""} size={outcome.stdout_bytes} />
          <Output label="Standard error" text={outcome.stderr ?? ""} size={outcome.stderr_bytes} />
        </>
      ),
    });
  }
  if (outcome.changes.length) {
    tabs.push({ id: "files", label: "Files", note: String(outcome.changes.length), body: () => <FileChanges changes={outcome.changes} /> });
  }
  return (
    <article class={`card ${tone}`} aria-label={`Hook ${outcome.hook_id}`}>
      <header class="title">
        <h3>{visible(outcome.hook_id)}</h3>
        <Badge tone={tone}>{visible(label)}</Badge>
        <span class="faint end">{milliseconds(outcome.duration_ms)}</span>
      </header>
      <code class="command">{visible(outcome.command.split("\n")[0] ?? "")}</code>
      <p class="faint">
        {outcome.matched ? "Matched" : "Not matched"}: {visible(outcome.wanted || outcome.why)}
        {outcome.why && outcome.why !== outcome.wanted ? `; ${visible(outcome.why)}` : ""}
      </p>
      {outcome.reason && <p class="reason">{visible(outcome.reason)}</p>}
      {outcome.could_not_run && <p class="problem">{visible(outcome.could_not_run)}</p>}
      {outcome.ran && (
        <p class="faint">
          {outcome.exit_status === null || outcome.exit_status === undefined ? "nothing ran" : `exit status ${outcome.exit_status}`}
          {outcome.signal ? `, ended by ${outcome.signal}` : ""}
          {written === 0 ? ", no output" : ""}
          {outcome.changes.length === 0 ? ", no files changed" : ""}
        </p>
      )}
      {notes.map((note, index) => (
        <p class="faint" key={index}>{visible(note)}</p>
      ))}
      {tabs.length > 0 && <Tabs label={`Output and files of ${outcome.hook_id}`} tabs={tabs} />}
      {steps && outcome.ran && (
        <p class="actions">
          <a class="button quiet" href={address("step", { agent: fired.agent, event: fired.event, hook: outcome.hook_id, run: "1" })}>
            {outcome.refuses ? "Why did this refuse?" : "Step through"}
          </a>
        </p>
      )}
    </article>
  );
}
