// What views share: the address, loading from the service, the theme.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get } from "./api";

/** The address: a view and its parameters, `#/hooks?agent=crush`. */
export interface Place {
  view: string;
  params: URLSearchParams;
}

export function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { view: path, params: new URLSearchParams(query) };
}

export function address(view: string, params: Record<string, string | undefined> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value) query.set(name, value);
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

/** Changes parameters of the present address; no new entry of the history. */
export function setParams(changes: Record<string, string | undefined>): void {
  const { view, params } = placeOf(location.hash);
  for (const [name, value] of Object.entries(changes)) {
    if (value) params.set(name, value);
    else params.delete(name);
  }
  const text = params.toString();
  history.replaceState(null, "", `#/${view}${text ? `?${text}` : ""}`);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return placeOf(hash);
}

export interface Loaded<T> {
  value: T | undefined;
  error: string;
  loading: boolean;
  reload: () => void;
}

/** Loads from the service; the last value stays while the next one is loaded. */
export function useLoad<T>(path: string | null): Loaded<T> {
  const [state, setState] = useState<{ value: T | undefined; error: string; loading: boolean }>({
    value: undefined,
    error: "",
    loading: path !== null,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === null) return undefined;
    const stop = new AbortController();
    setState((known) => ({ ...known, loading: true, error: "" }));
    get<T>(path, stop.signal).then(
      (value) => setState({ value, error: "", loading: false }),
      (error: unknown) => {
        if (!stop.signal.aborted) setState((known) => ({ ...known, error: textOf(error), loading: false }));
      },
    );
    return () => stop.abort();
  }, [path, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { ...state, reload };
}

export interface Action<A extends unknown[], T> {
  run: (...args: A) => Promise<T | undefined>;
  error: string;
  busy: boolean;
  clear: () => void;
}

/** A request that a person starts: one at a time, with its error as text. */
export function useAction<A extends unknown[], T>(perform: (...args: A) => Promise<T>): Action<A, T> {
  const [state, setState] = useState({ error: "", busy: false });
  const latest = useRef(perform);
  latest.current = perform;
  const number = useRef(0);
  const run = useCallback(async (...args: A) => {
    const own = ++number.current;
    setState({ error: "", busy: true });
    try {
      const value = await latest.current(...args);
      if (own !== number.current) return undefined;
      setState({ error: "", busy: false });
      return value;
    } catch (error) {
      if (own === number.current) setState({ error: textOf(error), busy: false });
      return undefined;
    }
  }, []);
  const clear = useCallback(() => setState({ error: "", busy: false }), []);
  return { run, clear, ...state };
}

export function textOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof Error) return error.message;
  return String(error);
}

/** "" follows the system. */
export type Theme = "" | "light" | "dark";

const THEME = "sandhook-theme";

export function storedTheme(): Theme {
  const text = localStorage.getItem(THEME);
  return text === "light" || text === "dark" ? text : "";
}

export function applyTheme(theme: Theme): void {
  if (theme) document.documentElement.dataset["theme"] = theme;
  else delete document.documentElement.dataset["theme"];
  if (theme) localStorage.setItem(THEME, theme);
  else localStorage.removeItem(THEME);
}
