// The client of the service: the token, requests, and the stream of events.

const KEY = "sandhook-token";

/** An answer that is not a success; `status` is 0 when the service cannot be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

let token = "";

/** Moves a token from the address to the storage of this tab, so that neither history nor a copied address has it. */
export function takeToken(): void {
  const fragment = new URLSearchParams(location.hash.replace(/^#\/?/, ""));
  const fresh = fragment.get("token");
  if (fresh) {
    setToken(fresh);
    history.replaceState(null, "", location.pathname);
  } else {
    token = sessionStorage.getItem(KEY) ?? "";
  }
}

export function setToken(value: string): void {
  token = value.trim();
  sessionStorage.setItem(KEY, token);
}

const refusals = new Set<() => void>();

/** Calls back when the service refuses the token. Returns the function that ends this. */
export function onRefusal(callback: () => void): () => void {
  refusals.add(callback);
  return () => refusals.delete(callback);
}

const WORKSPACE = "sandhook-workspace";

/** The workspace that a person chose in this tab; "" for the one that the service begins with. */
export function chosenWorkspace(): string {
  return sessionStorage.getItem(WORKSPACE) ?? "";
}

export function storeWorkspace(directory: string): void {
  if (directory) sessionStorage.setItem(WORKSPACE, directory);
  else sessionStorage.removeItem(WORKSPACE);
}

/** Requests for the page are about the chosen workspace, unless they name one themselves. */
function located(path: string): string {
  const directory = chosenWorkspace();
  if (!directory || !path.startsWith("/v1/studio/") || /[?&]workspace=/.test(path)) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ workspace: directory })}`;
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  let answer: Response;
  try {
    answer = await fetch(located(path), { ...init, headers, cache: "no-store", credentials: "omit", redirect: "error" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "The service does not answer. Is sandhook still running?");
  }
  if (answer.ok) return answer;
  if (answer.status === 401) refusals.forEach((each) => each());
  throw new ApiError(answer.status, await messageOf(answer));
}

async function messageOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const value = JSON.parse(text) as { error?: unknown };
    if (typeof value.error === "string") return value.error;
  } catch {
    // not JSON: an error of something between the page and the service
  }
  return `The service answered ${answer.status}.`;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const answer = await request(path, signal ? { signal } : {});
  return (await answer.json()) as T;
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await request(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
    ...(signal ? { signal } : {}),
  });
  return (await answer.json()) as T;
}

/** One server-sent event. */
export interface ServerEvent {
  name: string;
  id: string;
  data: string;
}

/** Yields the events of a stream until the service or the signal ends it. EventSource cannot send the token. */
export async function* stream(path: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const answer = await request(path, { signal });
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = { name: "message", id: "", data: "" };
      for (const line of block.split("\n")) {
        const [field = "", text = ""] = splitOnce(line, ": ");
        if (field === "event") event.name = text;
        else if (field === "id") event.id = text;
        else if (field === "data") event.data += text;
      }
      if (event.data) yield event;
    }
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}
