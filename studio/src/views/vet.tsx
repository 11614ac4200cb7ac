// What hooks do before anybody enables them: hooks by kinds of effects, each row down to its findings.
import { useState } from "preact/hooks";
import { Badge, Empty, Notice, PathText, Scroll, type Tone } from "../components/parts";
import { Cell, CellDialog, type Opening, TaskBar, useTask } from "../grids/task";
import { count, visible } from "../text";

type Severity = "high" | "medium" | "low" | "info";

interface Vet {
  kinds: string[];
  hooks: { id: string; event: string; file: string; place: string; cells: Record<string, number>; findings: Severity[] }[];
  problems: string[];
}

interface Detail {
  id: string;
  event: string;
  place: string;
  files: string[];
  kinds: { kind: string; entries: { text: string; observed: boolean }[] }[];
  findings: { rule: string; severity: Severity; what: string; why: string; detail: string; file: string; line: number; observed: boolean }[];
}

const TONES: Record<Severity, Tone> = { high: "bad", medium: "warning", low: "neutral", info: "neutral" };
const ORDER: Severity[] = ["high", "medium", "low", "info"];

function worst(findings: Severity[]): { tone: Tone; text: string } {
  const severity = ORDER.find((each) => findings.includes(each));
  if (!severity) return { tone: "good", text: "nothing found" };
  return { tone: TONES[severity], text: `${findings.filter((each) => each === severity).length} ${severity}` };
}

export function VetGrid() {
  const work = useTask<Vet>("vet");
  const [opening, setOpening] = useState<Opening>();
  const grid = work.task?.result;
  return (
    <>
      <TaskBar {...work} verb="Vet the hooks">
        <p>
          Follows the scripts of all hooks, and runs them on sample events in the sandbox: what each one reads, writes, runs and
          reaches, and what it hides.
        </p>
      </TaskBar>
      {grid?.problems.map((each, index) => (
        <Notice tone="bad" key={index}>
          <p>{visible(each)}</p>
        </Notice>
      ))}
      {grid?.hooks.length === 0 && <Empty title="There are no hooks to vet" />}
      {grid && grid.hooks.length > 0 && (
        <section class="pane stack" aria-label="Hooks and what they do">
          <Scroll label="Table of hooks">
            <table class="grid">
              <thead>
                <tr>
                  <th scope="col">Hook</th>
                  <th scope="col">Findings</th>
                  {grid.kinds.map((kind) => (
                    <th scope="col" key={kind}>
                      {kind}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {grid.hooks.map((hook, number) => {
                  const open = () => setOpening({ title: `${hook.id} on ${hook.event}`, body: { hook: number } });
                  return (
                    <tr key={number}>
                      <th scope="row">
                        {visible(hook.id)} <PathText path={hook.place.split("/").at(-1) ?? ""} />
                      </th>
                      <td>
                        <Cell {...worst(hook.findings)} label={`${hook.id}, findings`} open={open} />
                      </td>
                      {grid.kinds.map((kind) => (
                        <td key={kind}>
                          {hook.cells[kind] ? (
                            <Cell tone="accent" text={String(hook.cells[kind])} label={`${hook.id}, ${kind}`} open={open} />
                          ) : (
                            <span class="faint">none</span>
                          )}
                        </td>
                      ))}
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </Scroll>
        </section>
      )}
      <CellDialog<Detail> task={work.task?.id} opening={opening} close={() => setOpening(undefined)}>
        {(value) => <HookDetail value={value} />}
      </CellDialog>
    </>
  );
}

function HookDetail({ value }: { value: Detail }) {
  return (
    <>
      <p class="faint">{visible(value.place)}</p>
      <h3>{count(value.findings.length, "finding")}</h3>
      <ul class="findings">
        {value.findings.map((each, index) => (
          <li key={index}>
            <Badge tone={TONES[each.severity]}>{each.severity}</Badge>
            <div>
              <p>
                {visible(each.what)} {visible(each.why)}
              </p>
              <p>
                <code>{visible(each.detail)}</code>
              </p>
              <p class="faint">
                {each.rule} <PathText path={each.file} line={each.line} /> {each.observed && "seen in a run"}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {value.kinds
        .filter((each) => each.entries.length > 0)
        .map((each) => (
          <section key={each.kind} aria-label={each.kind}>
            <h3>{each.kind}</h3>
            <ul>
              {each.entries.map((entry) => (
                <li key={entry.text}>
                  <code>{visible(entry.text)}</code> {entry.observed && <span class="faint">seen in a run</span>}
                </li>
              ))}
            </ul>
          </section>
        ))}
    </>
  );
}
