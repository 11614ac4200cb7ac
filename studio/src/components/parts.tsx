// Small parts that all views use.
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { bytes, visible } from "../text";
import type { Finding } from "./code";

export type Tone = "good" | "bad" | "warning" | "neutral" | "accent";

export const SEVERITY: Record<Finding["severity"], Tone> = { error: "bad", warning: "warning", note: "neutral" };

const SIGNS: Record<Tone, string> = { good: "\u2713", bad: "\u2715", warning: "!", neutral: "\u2013", accent: "\u2022" };

/** A word with a sign, so that its colour is never the only difference. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true" class="sign">{SIGNS[tone]}</span>
      {children}
    </span>
  );
}

export function Button({
  kind = "plain",
  busy = false,
  ...rest
}: { kind?: "plain" | "primary" | "quiet"; busy?: boolean } & ButtonHTMLAttributes) {
  return <button type="button" {...rest} class={`button ${kind}`} aria-busy={busy || undefined} />;
}

/** What a view shows before there is anything to show, and what a person can do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Failure({ error, retry }: { error: string; retry?: (() => void) | undefined }) {
  if (!error) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{visible(error)}</p>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

export function Notice({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <div class={`notice ${tone}`}>{children}</div>;
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  );
}

/** A label, a control that receives its id, and a hint. */
export function Field({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: string | undefined;
  children: (attributes: { id: string; "aria-describedby"?: string }) => ComponentChildren;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(hint ? { id, "aria-describedby": `${id}-hint` } : { id })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export interface Tab {
  id: string;
  label: string;
  note?: string | undefined;
  body: () => ComponentChildren;
}

/** Tabs: arrows move between them, as the pattern of WAI-ARIA has it. */
export function Tabs({ label, tabs, chosen, choose }: { label: string; tabs: Tab[]; chosen?: string; choose?: (id: string) => void }) {
  const base = useId();
  const [own, setOwn] = useState(tabs[0]?.id ?? "");
  const list = useRef<HTMLDivElement>(null);
  const wanted = chosen ?? own;
  const active = tabs.find((each) => each.id === wanted) ?? tabs[0];
  if (!active) return null;
  const select = (id: string) => (choose ?? setOwn)(id);
  const moved = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.indexOf(active);
    const next = Number.isFinite(step) ? (at + step + tabs.length) % tabs.length : step < 0 ? 0 : tabs.length - 1;
    select(tabs[next]!.id);
    list.current?.querySelectorAll<HTMLButtonElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={moved}>
        {tabs.map((tab) => (
          <button
            type="button"
            role="tab"
            key={tab.id}
            id={`${base}-${tab.id}`}
            aria-selected={tab === active}
            aria-controls={`${base}-panel`}
            tabIndex={tab === active ? 0 : -1}
            onClick={() => select(tab.id)}
          >
            {tab.label}
            {tab.note && <span class="count">{tab.note}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${active.id}`} key={active.id}>
        {active.body()}
      </div>
    </div>
  );
}

/** A block that scrolls by itself; the keyboard reaches it. */
export function Scroll({ label, children, name = "" }: { label: string; children: ComponentChildren; name?: string }) {
  return (
    <div class={`scroll ${name}`} role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

/** Characters of an output that are shown at first, and with each click on "Show more". */
const PIECE = 20_000;

/** What a hook wrote: only ever text, with control characters made visible, and never all of a long one at once. */
export function Output({ label, text, size }: { label: string; text: string; size?: number | undefined }) {
  const [shown, setShown] = useState(PIECE);
  if (!text) return <p class="none">{label}: empty</p>;
  const total = size ?? text.length;
  return (
    <figure class="output">
      <figcaption>
        {label} <span class="faint">{bytes(total)}</span>
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={label}>{visible(text.slice(0, shown))}</pre>
      {shown < text.length && (
        <Button kind="quiet" onClick={() => setShown(shown + PIECE * 5)}>
          Show more of {bytes(text.length)}
        </Button>
      )}
      {shown >= text.length && total > text.length && (
        <p class="faint">The rest of {bytes(total)} is not kept.</p>
      )}
    </figure>
  );
}

/** Pairs of names and values. */
export function Facts({ rows }: { rows: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== "" && value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A path whose directories may wrap and are less important than its name. */
export function PathText({ path, line }: { path: string; line?: number }) {
  const at = path.lastIndexOf("/");
  return (
    <span class="path">
      <span class="faint">{visible(path.slice(0, at + 1))}</span>
      {visible(path.slice(at + 1))}
      {line ? <span class="faint">:{line}</span> : null}
    </span>
  );
}
