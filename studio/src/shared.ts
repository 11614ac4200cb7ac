// What several views keep together: what is fired, and what the service is.
import { useEffect, useState } from "preact/hooks";
import { chosenWorkspace, get, storeWorkspace } from "./api";
import { textOf } from "./state";
import type { About } from "./types";

/** The event that Fire, Step and Edit work on, as text, so that one view continues where another ended. */
export interface Draft {
  agent: string;
  event: string;
  payload: string;
  /** Whether hooks that nobody approved also run. */
  unapproved?: boolean;
}

/** Each workspace has a draft of its own. */
function key(): string {
  const workspace = chosenWorkspace();
  return workspace ? `sandhook-draft ${workspace}` : "sandhook-draft";
}

function stored(): Draft {
  try {
    const value = JSON.parse(sessionStorage.getItem(key()) ?? "") as Draft;
    if (typeof value.agent === "string" && typeof value.event === "string" && typeof value.payload === "string") return value;
  } catch {
    // nothing is kept, or something else
  }
  return { agent: "", event: "", payload: "" };
}

let draft: Draft | null = null;
const listeners = new Set<(draft: Draft) => void>();

export function setDraft(changes: Partial<Draft>): void {
  draft = { ...(draft ?? stored()), ...changes };
  try {
    sessionStorage.setItem(key(), JSON.stringify(draft));
  } catch {
    // a payload that is too long for the storage stays in the page
  }
  for (const each of listeners) each(draft);
}

export function useDraft(): Draft {
  const [value, setValue] = useState<Draft>(() => (draft ??= stored()));
  useEffect(() => {
    listeners.add(setValue);
    return () => {
      listeners.delete(setValue);
    };
  }, []);
  return value;
}

/** A text that is edited and not saved, and the digest of the file that it was made from. */
export interface Edited {
  text: string;
  digest: string;
}

const edits = new Map<string, Edited>();

/** Keeps an edited text while another view or another file is shown; nothing is kept after the page is closed. */
export function keepEdit(path: string, edited: Edited | undefined): void {
  const name = `${chosenWorkspace()} ${path}`;
  if (edited) edits.set(name, edited);
  else edits.delete(name);
  removeEventListener("beforeunload", askFirst);
  if (edits.size > 0) addEventListener("beforeunload", askFirst);
}

export function keptEdit(path: string): Edited | undefined {
  return edits.get(`${chosenWorkspace()} ${path}`);
}

/** Asks before the page is closed with a text that is not saved, whatever view is shown. */
function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

let about: Promise<About> | null = null;

const moved = new Set<() => void>();

/** Shows another workspace: nothing of the last one stays. */
export function setWorkspace(directory: string): void {
  if (directory === chosenWorkspace()) return;
  storeWorkspace(directory);
  draft = null;
  about = null;
  for (const each of moved) each();
}

export function useWorkspace(): string {
  const [value, setValue] = useState(chosenWorkspace());
  useEffect(() => {
    const changed = () => setValue(chosenWorkspace());
    moved.add(changed);
    return () => {
      moved.delete(changed);
    };
  }, []);
  return value;
}

/** The project and the agents; asked once. */
export function useAbout(): { about: About | undefined; error: string; retry: () => void } {
  const [state, setState] = useState<{ about: About | undefined; error: string }>({ about: undefined, error: "" });
  const [round, setRound] = useState(0);
  useEffect(() => {
    about ??= get<About>("/v1/studio/about");
    about.then(
      (value) => setState({ about: value, error: "" }),
      (error: unknown) => {
        about = null;
        setState({ about: undefined, error: textOf(error) });
      },
    );
  }, [round]);
  return { ...state, retry: () => setRound((count) => count + 1) };
}
