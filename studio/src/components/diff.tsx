// Differences of texts, as the service computes them.
import { visible } from "../text";
import { Badge, Scroll } from "./parts";

export interface DiffRow {
  /** "same", "add", "remove", or "gap" for lines that are left out. */
  kind: "same" | "add" | "remove" | "gap";
  old: number | null;
  new: number | null;
  text: string;
}

export interface FileChange {
  path: string;
  change: "created" | "modified" | "deleted" | "chmod";
  /** Why there are no rows: "directory", "binary", "large", "link", or "". */
  why: string;
  mode: string;
  rows: DiffRow[];
}

const SIGNS = { same: " ", add: "+", remove: "-", gap: "\u22ef" };
const TONES = { created: "good", modified: "accent", deleted: "bad", chmod: "neutral" } as const;

export function DiffText({ label, rows }: { label: string; rows: DiffRow[] }) {
  return (
    <Scroll label={label} name="diff">
      <table>
        <thead class="hidden">
          <tr>
            <th>old line</th>
            <th>new line</th>
            <th>change</th>
            <th>text</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} class={row.kind}>
              <td class="number">{row.old ?? ""}</td>
              <td class="number">{row.new ?? ""}</td>
              <td class="sign">{SIGNS[row.kind]}</td>
              <td class="text">{visible(row.text)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

export function FileChanges({ changes }: { changes: FileChange[] }) {
  return (
    <ul class="changes">
      {changes.map((each) => (
        <li key={each.path}>
          <p>
            <Badge tone={TONES[each.change]}>{each.change}</Badge> <code>{visible(each.path)}</code>{" "}
            {each.why && <span class="faint">{each.why}</span>}
          </p>
          {each.rows.length > 0 && <DiffText label={`Difference of ${each.path}`} rows={each.rows} />}
        </li>
      ))}
    </ul>
  );
}
