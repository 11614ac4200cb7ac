// What guards do when something around them is broken: guards by faults, each cell down to its run.
import { useState } from "preact/hooks";
import type { Json } from "../api";
import { Badge, Empty, Facts, Notice, Output, PathText, Scroll, type Tone } from "../components/parts";
import { Cell, CellDialog, firstLine, type Opening, TaskBar, useTask } from "../grids/task";
import { count, visible } from "../text";
import type { Decision } from "../types";

interface ChaosCell {
  fault: string;
  result: "refused" | "allowed" | "crashed" | "uncovered" | "skipped";
  held: boolean;
  reason: string;
  case: string;
}

interface Chaos {
  faults: { name: string; what: string; advice: string }[];
  guards: { id: string; agent: string; event: string; command: string; file: string; line: number; cells: ChaosCell[] }[];
  untried: { name: string; file: string; line: number; why: string; let_pass: boolean }[];
  problems: string[];
  held: boolean;
}

interface Run {
  case: string;
  fault: { name: string; what: string; advice: string };
  command: string;
  input: Json;
  why: string;
  decision: Decision | null;
}

function meaning(cell: ChaosCell): { tone: Tone; text: string } {
  if (cell.result === "skipped") return { tone: "neutral", text: "does not apply" };
  if (cell.result === "crashed") return { tone: cell.held ? "good" : "bad", text: cell.held ? "crashed, refused" : "crashed, passed" };
  if (cell.result === "uncovered") return { tone: cell.held ? "good" : "warning", text: "not covered" };
  return { tone: cell.held ? "good" : "bad", text: cell.result === "refused" ? "refused" : "passed" };
}

export function ChaosGrid() {
  const work = useTask<Chaos>("chaos");
  const [opening, setOpening] = useState<Opening>();
  const grid = work.task?.result;
  const passed = grid?.guards.reduce((sum, each) => sum + each.cells.filter((cell) => !cell.held && cell.result !== "uncovered").length, 0);
  return (
    <>
      <TaskBar {...work} verb="Break things">
        <p>
          Runs what each guard refuses again while something around it is broken. Guards are the hooks that refuse a case of a
          file of expectations. They run in the sandbox, over a copy of the project.
        </p>
      </TaskBar>
      {grid && grid.guards.length === 0 && (
        <Empty title="No guard was tried">
          <p>Save an event that a hook refuses as an expectation: the view Live does that.</p>
        </Empty>
      )}
      {grid && grid.guards.length > 0 && (
        <section class="pane stack" aria-label="Guards and faults">
          <p class="lead">
            {count(grid.guards.length, "guard")}, {count(grid.faults.length, "fault")}:{" "}
            {passed ? `${passed} let an action pass` : "no action passed"}
          </p>
          <Scroll label="Table of guards">
            <table class="grid">
              <thead>
                <tr>
                  <th scope="col">Fault</th>
                  {grid.guards.map((guard, index) => (
                    <th scope="col" key={index}>
                      {guard.agent} {visible(guard.id)}
                      <br />
                      <code>{visible(firstLine(guard.command))}</code>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {grid.faults.map((fault, row) => (
                  <tr key={fault.name}>
                    <th scope="row" title={fault.what}>
                      {fault.name}
                    </th>
                    {grid.guards.map((guard, index) => {
                      const cell = guard.cells[row]!;
                      return (
                        <td key={index}>
                          <Cell
                            {...meaning(cell)}
                            label={`${guard.id}, ${fault.name}`}
                            open={() =>
                              setOpening({
                                title: `${fault.name}: ${guard.id}`,
                                body: { guard: index, fault: fault.name, ...(cell.case ? { case: cell.case } : {}) },
                              })
                            }
                          />
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </section>
      )}
      {grid && (grid.untried.length > 0 || grid.problems.length > 0) && (
        <section class="pane stack" aria-label="Not tried">
          <h2>Not tried</h2>
          {grid.problems.map((each, index) => (
            <Notice tone="bad" key={index}>
              <p>{visible(each)}</p>
            </Notice>
          ))}
          <ul class="notes">
            {grid.untried.map((each, index) => (
              <li key={index}>
                <Badge tone={each.let_pass ? "bad" : "warning"}>{each.let_pass ? "let pass" : "not tried"}</Badge> {visible(each.name)}{" "}
                <PathText path={each.file} line={each.line} />: {visible(each.why)}
              </li>
            ))}
          </ul>
        </section>
      )}
      <CellDialog<Run> task={work.task?.id} opening={opening} close={() => setOpening(undefined)}>
        {(run) => <RunDetail run={run} />}
      </CellDialog>
    </>
  );
}

function RunDetail({ run }: { run: Run }) {
  const outcome = run.decision?.outcomes[0];
  return (
    <>
      <p>{visible(run.fault.what)}</p>
      <Facts
        rows={[
          ["Case", visible(run.case)],
          ["Event", <code>{visible(JSON.stringify(run.input))}</code>],
          ["Command", <code>{visible(run.command)}</code>],
          ["Not run", visible(run.why)],
          ["Decision", run.decision ? (run.decision.refused ? "refused" : "the action passes") : ""],
          ["Reason", visible(run.decision?.reason ?? "")],
          ["Could not run", visible(outcome?.could_not_run ?? "")],
          ["Exit status", outcome?.exit_status === null || outcome?.exit_status === undefined ? "" : String(outcome.exit_status)],
          ["What helps", visible(run.fault.advice)],
        ]}
      />
      {outcome?.ran && (
        <>
          <Output label="Standard output" text={outcome.stdout ?? ""} />
          <Output label="Standard error" text={outcome.stderr ?? ""} />
        </>
      )}
    </>
  );
}
