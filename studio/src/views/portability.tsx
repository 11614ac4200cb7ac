// Which agents run a hook on which systems: a table for each hook, each cell down to its reasons.
import { useState } from "preact/hooks";
import { Badge, Empty, PathText, Scroll, type Tone } from "../components/parts";
import { Cell, CellDialog, firstLine, type Opening, TaskBar, useTask } from "../grids/task";
import { visible } from "../text";

type State = "runs" | "differs" | "unknown" | "fails";

interface Portability {
  systems: string[];
  hooks: {
    id: string;
    agent: string;
    event: string;
    command: string;
    file: string;
    cells: { agent: string; system: string; state: State; reasons: number }[];
  }[];
}

interface Reasons {
  agent: string;
  system: string;
  state: State;
  reasons: { state: State; aspect: string; message: string; file: string; line: number }[];
}

const TONES: Record<State, Tone> = { runs: "good", differs: "warning", unknown: "neutral", fails: "bad" };

export function PortabilityGrid() {
  const work = useTask<Portability>("portability");
  const [opening, setOpening] = useState<Opening>();
  const grid = work.task?.result;
  return (
    <>
      <TaskBar {...work} verb="Compare agents">
        <p>Compares each hook with all agents and systems: what would run, differently or not at all, and why. Nothing runs.</p>
      </TaskBar>
      {grid?.hooks.length === 0 && <Empty title="There are no hooks to compare" />}
      {grid?.hooks.map((hook, number) => {
        const agents = [...new Set(hook.cells.map((each) => each.agent))];
        return (
          <section class="pane stack" key={number} aria-label={`Hook ${number + 1}: ${hook.id} of ${hook.agent}`}>
            <h2>
              {hook.agent} {visible(hook.event)} <span class="faint">{visible(hook.id)}</span>
            </h2>
            <p>
              <code>{visible(firstLine(hook.command))}</code>
            </p>
            <Scroll label={`Agents and systems for hook ${number + 1}`}>
              <table class="grid">
                <thead>
                  <tr>
                    <th scope="col">Agent</th>
                    {grid.systems.map((system) => (
                      <th scope="col" key={system}>
                        {system}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {agents.map((agent) => (
                    <tr key={agent}>
                      <th scope="row">{agent}</th>
                      {grid.systems.map((system) => {
                        const cell = hook.cells.find((each) => each.agent === agent && each.system === system);
                        return (
                          <td key={system}>
                            {cell && (
                              <Cell
                                tone={TONES[cell.state]}
                                text={cell.state}
                                label={`${agent} on ${system}`}
                                open={() =>
                                  setOpening({ title: `${hook.id}: ${agent} on ${system}`, body: { hook: number, agent, system } })
                                }
                              />
                            )}
                          </td>
                        );
                      })}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          </section>
        );
      })}
      <CellDialog<Reasons> task={work.task?.id} opening={opening} close={() => setOpening(undefined)}>
        {(value) => (
          <>
            <p>
              <Badge tone={TONES[value.state]}>{value.state}</Badge>
            </p>
            {value.reasons.length === 0 && <p class="none">Nothing differs.</p>}
            <ul class="findings">
              {value.reasons.map((each, index) => (
                <li key={index}>
                  <Badge tone={TONES[each.state]}>{each.state}</Badge>
                  <div>
                    <p>{visible(each.message)}</p>
                    <p class="faint">
                      {visible(each.aspect)} {each.file && <PathText path={each.file} line={each.line} />}
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          </>
        )}
      </CellDialog>
    </>
  );
}
