// Changes a hook in the page, tries it, compares it with the saved one, and saves it on request.
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../api";
import { Code, languageOf } from "../components/code";
import { Dialog } from "../components/dialog";
import { DiffText } from "../components/diff";
import { Badge, Button, Empty, Failure, Field, Loading, Notice, PathText, SEVERITY, Tabs } from "../components/parts";
import { PayloadEditor } from "../firing/payload";
import { FiredResult, wordOf } from "../firing/result";
import { keepEdit, keptEdit, useAbout, useDraft } from "../shared";
import { setParams, textOf, useAction, useLoad } from "../state";
import { count, visible } from "../text";
import type { AgentHooks, Comparison, FileFinding, FileText, Fired, Overview, Summary } from "../types";
import type { ViewProps } from "../views";

export function Edit({ params }: ViewProps) {
  const { value, error, loading, reload } = useLoad<Overview>("/v1/studio/hooks");
  if (!value) return loading ? <Loading what="the hooks" /> : <Failure error={error} retry={reload} />;
  const agents = value.agents.filter((each) => filesOf(each).length > 0);
  const agent = agents.find((each) => each.name === params.get("agent")) ?? agents[0];
  if (!agent) {
    return (
      <Empty title="No hook to edit">
        <p>No agent has hooks here that consist of files.</p>
      </Empty>
    );
  }
  const files = filesOf(agent);
  const path = files.find((each) => each === params.get("path")) ?? files[0]!;
  return (
    <>
      <div class="row">
        <Field label="Agent of the hook">
          {(attributes) => (
            <select {...attributes} value={agent.name} onChange={(event) => setParams({ agent: event.currentTarget.value, path: undefined })}>
              {agents.map((each) => (
                <option key={each.name}>{each.name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="File">
          {(attributes) => (
            <select {...attributes} value={path} onChange={(event) => setParams({ agent: agent.name, path: event.currentTarget.value })}>
              {files.map((each) => (
                <option key={each} value={each}>
                  {each.startsWith(value.directory) ? each.slice(value.directory.length + 1) : each}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Editor agent={agent.name} path={path} key={`${agent.name} ${path}`} />
    </>
  );
}

function filesOf(agent: AgentHooks): string[] {
  const scripts = agent.hooks.flatMap((each) => each.scripts.map((script) => script.path));
  return [...new Set([...scripts, ...agent.hooks.map((each) => each.file)])].filter(Boolean);
}

function Editor({ agent, path }: { agent: string; path: string }) {
  const file = useLoad<FileText>(`/v1/studio/text?${new URLSearchParams({ agent, path })}`);
  if (!file.value) return file.loading ? <Loading what={path} /> : <Failure error={file.error} retry={file.reload} />;
  return <Workbench agent={agent} file={file.value} reload={file.reload} />;
}

/** Milliseconds after the last key before an edited text is checked. */
const CHECK_AFTER = 400;

/** The findings of an edited text, and why it cannot be read at all. */
function useFindings(agent: string, file: FileText, text: string): { findings: FileFinding[]; error: string } {
  const [known, setKnown] = useState<{ text: string; findings: FileFinding[]; error: string }>();
  const saved = text === file.text;
  useEffect(() => {
    if (saved) return undefined;
    let wanted = true;
    const timer = setTimeout(() => {
      post<{ findings: FileFinding[] }>("/v1/studio/check", { agent, path: file.path, text }).then(
        ({ findings }) => wanted && setKnown({ text, findings, error: "" }),
        (error: unknown) => wanted && setKnown({ text, findings: [], error: textOf(error) }),
      );
    }, CHECK_AFTER);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [agent, file.path, text, saved]);
  if (saved) return { findings: file.findings, error: "" };
  if (known?.text !== text) return { findings: [], error: "" }; // they would stand at the wrong lines
  return known;
}

function Workbench({ agent, file, reload }: { agent: string; file: FileText; reload: () => void }) {
  const draft = useDraft();
  const { about } = useAbout();
  const [began] = useState(() => keptEdit(file.path));
  const [text, setText] = useState(began?.text ?? file.text);
  const [base, setBase] = useState(began?.digest ?? file.digest); // of the file that the text was made from
  const [fired, setFired] = useState<{ value: Fired; text: string }>();
  const [compared, setCompared] = useState<{ value: Comparison; text: string; digest: string }>();
  const [tab, setTab] = useState("try");
  const [recorded, setRecorded] = useState(20);
  const [confirming, setConfirming] = useState(false);
  const [saved, setSaved] = useState("");
  const pane = useRef<HTMLElement>(null);
  const body = { agent, path: file.path, text, event: draft.event, payload: draft.payload };
  const isOwn = draft.agent === agent;
  const tryIt = useAction(() => post<Fired>("/v1/studio/fire", { ...body, unapproved: true }));
  const compare = useAction(() =>
    post<Comparison>("/v1/studio/compare", { ...body, ...(isOwn ? {} : { payload: "" }), recorded, expectations: true }),
  );
  const save = useAction(() => post<{ digest: string }>("/v1/studio/save", { agent, path: file.path, text, digest: file.digest }));
  const changed = text !== file.text;
  // A button that has no use is disabled, and a disabled button loses the focus to the start of the page.
  const focusText = () =>
    pane.current?.querySelector(".code.editable")?.shadowRoot?.querySelector<HTMLElement>(".cm-content")?.focus();
  const undo = () => {
    setText(file.text);
    focusText();
  };
  const { findings, error: fault } = useFindings(agent, file, text);
  const before = useRef(file);
  useEffect(() => keepEdit(file.path, changed ? { text, digest: base } : undefined), [file.path, text, base, changed]);
  useEffect(() => {
    if (!changed) setBase(file.digest);
  }, [file.digest, changed]);
  useEffect(() => {
    if (before.current === file) return;
    if (text === before.current.text) setText(file.text);
    before.current = file;
    if (saved) focusText();
  }, [file]);
  const fire = async () => {
    const value = await tryIt.run();
    if (value) setFired({ value, text });
  };
  const measure = async () => {
    const value = await compare.run();
    if (value) setCompared({ value, text, digest: file.digest });
  };
  const store = async () => {
    setConfirming(false);
    if (!(await save.run())) return;
    setSaved(`Saved at ${new Date().toLocaleTimeString()}.`);
    reload();
  };
  return (
    <div class="split even">
      <section class="pane flush" aria-label="Text" ref={pane}>
        <div class="caption">
          <PathText path={file.path} /> <span class="faint">{file.line_ends}</span>
          <span class="end">{changed ? <Badge tone="accent">edited</Badge> : <Badge tone="neutral">as saved</Badge>}</span>
        </div>
        {!file.utf8 && <Notice tone="warning"><p>This file is not UTF-8. It can be tried, and not saved.</p></Notice>}
        <Code label={`Edit ${file.path}`} text={text} language={languageOf(file.path)} findings={findings} change={setText} />
        {fault && <Notice tone="bad"><p>{visible(fault)}</p></Notice>}
        {findings.length > 0 && <Marks findings={findings} />}
        {changed && base !== file.digest && (
          <Notice tone="warning">
            <p>The file changed after this text was begun. <em>Compare</em> shows the difference to the file as it is now, which saving replaces; <em>Undo all</em> shows that file.</p>
          </Notice>
        )}
        <div class="actions padded">
          <Button onClick={undo} disabled={!changed}>Undo all</Button>
          {about?.editable && (
            <Button kind="primary" onClick={() => setConfirming(true)} disabled={!changed || save.busy || !file.utf8} busy={save.busy}>
              Save…
            </Button>
          )}
          {about && !about.editable && <span class="hint">Nothing is saved: <code>sandhook studio --edit</code> allows it.</span>}
        </div>
        <p class={saved && !changed ? "hint padded" : "hidden"} role="status">{changed ? "" : saved}</p>
        <Failure error={save.error} />
        {save.error && (
          <div class="actions padded">
            <Button onClick={() => { save.clear(); reload(); }}>Load the file again</Button>
            <span class="hint">The edited text is kept.</span>
          </div>
        )}
      </section>
      <section class="pane" aria-label="Try">
        <Tabs
          label="Try the edited text"
          chosen={tab}
          choose={setTab}
          tabs={[
            {
              id: "try",
              label: "Fire it",
              body: () => (
                <form class="stack" onSubmit={(event) => { event.preventDefault(); void fire(); }}>
                  <PayloadEditor wanted={{ agent }} />
                  <div class="actions">
                    <Button type="submit" kind="primary" busy={tryIt.busy} disabled={tryIt.busy || !draft.payload || !isOwn}>
                      {tryIt.busy ? "Firing…" : changed ? "Fire the edited hook" : "Fire"}
                    </Button>
                    {!isOwn && <span class="hint">The event is of another agent than the hook.</span>}
                  </div>
                  <Failure error={tryIt.error} />
                  {fired && fired.text !== text && <p class="hint" role="status">The text changed after this fire.</p>}
                  {fired && <FiredResult fired={fired.value} steps={false} />}
                </form>
              ),
            },
            {
              id: "compare",
              label: "Compare",
              body: () => (
                <form class="stack" onSubmit={(event) => { event.preventDefault(); void measure(); }}>
                  <div class="row">
                    <Field label="Recorded events, at most" hint="The last ones that were fired at this agent, the events of expectations, and the payload of this page.">
                      {(attributes) => (
                        <input {...attributes} type="number" min={0} max={200} value={recorded} onInput={(event) => setRecorded(Math.max(0, Math.min(200, Number(event.currentTarget.value) || 0)))} />
                      )}
                    </Field>
                  </div>
                  <div class="actions">
                    <Button type="submit" kind="primary" busy={compare.busy} disabled={compare.busy}>
                      {compare.busy ? "Comparing…" : "Compare with the saved hook"}
                    </Button>
                  </div>
                  <Failure error={compare.error} />
                  {compared && (compared.text !== text || compared.digest !== file.digest) && <p class="hint" role="status">The text or the file changed after this comparison.</p>}
                  {compared && <Compared value={compared.value} />}
                </form>
              ),
            },
          ]}
        />
      </section>
      <Dialog title="Save this hook?" open={confirming} close={() => setConfirming(false)}>
        <p>
          <PathText path={file.path} /> is replaced. Its line ends ({file.line_ends}) stay. A hook that needs approval must be approved again with <code>sandhook trust</code>.
        </p>
        <div class="actions">
          <Button onClick={() => setConfirming(false)}>Cancel</Button>
          <Button kind="primary" onClick={() => void store()}>Save</Button>
        </div>
      </Dialog>
    </div>
  );
}

/** What the marks at the lines mean. */
function Marks({ findings }: { findings: readonly FileFinding[] }) {
  return (
    <ul class="findings padded" aria-label="Findings">
      {findings.map((each, index) => (
        <li key={index}>
          <Badge tone={SEVERITY[each.severity]}>{each.severity}</Badge>
          <p>
            {each.line > 0 && <span class="faint">line {each.line}: </span>}
            {visible(each.message)}
          </p>
        </li>
      ))}
    </ul>
  );
}

const SOURCES = { page: "this page", history: "history", expectation: "expectation" };

function Compared({ value }: { value: Comparison }) {
  const differ = value.rows.filter((each) => each.same === false);
  if (value.rows.length === 0) {
    return <p class="none">There is no event to compare with. Fire one in the view Fire, or write expectations.</p>;
  }
  return (
    <div class="stack">
      <Notice tone={differ.length ? "warning" : "good"}>
        <p>
          <strong>{differ.length ? `${count(differ.length, "decision")} of ${value.rows.length} differ` : `All ${count(value.rows.length, "decision")} are the same`}</strong>
          {value.changed ? "." : "; the text is not edited."}
          {value.left_out > 0 && ` ${count(value.left_out, "event")} left out.`}
        </p>
      </Notice>
      <ul class="compared">
        {value.rows.map((row, index) => (
          <li key={index} class={row.same === false ? "differs" : ""}>
            <p>
              <strong>{visible(row.name)}</strong> <span class="faint">{SOURCES[row.source]} · {row.event}</span>
            </p>
            {row.error && <p class="problem">{visible(row.error)}</p>}
            {row.saved && row.edited && (
              <p class="pair">
                <Word summary={row.saved} label="saved" /> <span aria-hidden="true">→</span> <Word summary={row.edited} label="edited" />
                {row.same === false && row.saved.word === row.edited.word && row.saved.incomplete === row.edited.incomplete && <span class="faint">with other words</span>}
              </p>
            )}
            {row.same === false && [row.saved, row.edited].map((each, at) => each?.reason && <p class="faint" key={at}>{at ? "edited" : "saved"}: {visible(each.reason.slice(0, 400))}</p>)}
          </li>
        ))}
      </ul>
      {value.text.length > 0 && (
        <>
          <h2>Text</h2>
          <DiffText label="Difference to the saved text" rows={value.text} />
        </>
      )}
    </div>
  );
}

function Word({ summary, label }: { summary: Summary; label: string }) {
  const word = wordOf(summary.word, summary.incomplete);
  return (
    <span>
      <span class="hidden">{label}: </span>
      <Badge tone={word.tone}>{word.title}</Badge>
    </span>
  );
}
