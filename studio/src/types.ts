// What the service answers below /v1/studio.
import type { Json } from "./api";
import type { Finding } from "./components/code";
import type { DiffRow, FileChange } from "./components/diff";

export interface EventName {
  name: string;
  kind: string;
  refusable: boolean;
}

export interface Agent {
  name: string;
  used: boolean;
  events: EventName[];
  tools: { class: string; name: string }[];
}

export interface About {
  version: string;
  directory: string;
  files: string[];
  editable: boolean;
  agents: Agent[];
}

export type HookState = "trusted" | "untrusted" | "muted";

export interface FileFinding extends Finding {
  file: string;
  path: string;
  hook: string;
}

export interface Hook {
  state: HookState;
  contract: string;
  layer: string;
  file: string;
  line: number;
  path: string;
  why: string;
  id: string;
  event: string;
  kind: string;
  type: string;
  command: string;
  argv: string[];
  timeout: number;
  approval: string | null;
  approved: string;
  needs_approval: boolean;
  remedy: string;
  once: boolean;
  isolation: string | null;
  order: number | null;
  matcher: string;
  on_error: string;
  background: boolean;
  description: string | null;
  scripts: { path: string; how: string }[];
  commands: string[];
  unknown: string[];
  findings: FileFinding[];
}

export interface AgentHooks {
  name: string;
  facts: Record<string, string>;
  places: { layer: string; path: string; needs_approval: boolean; files: { path: string; hooks: number }[] }[];
  problems: { file: string; line: number; path: string; message: string }[];
  findings: FileFinding[];
  hooks: Hook[];
  notes: string[];
}

export interface Overview {
  directory: string;
  files: string[];
  agents: AgentHooks[];
}

export interface FileText {
  path: string;
  text: string;
  cut: boolean;
  utf8: boolean;
  digest: string;
  line_ends: "LF" | "CRLF" | "mixed";
  findings: FileFinding[];
}

export type JsonPath = (string | number)[];

export interface SamplePayload {
  event: string;
  kind: string;
  refusable: boolean;
  payload: Json;
  fields: { tool?: JsonPath; input?: JsonPath; prompt?: JsonPath; result?: JsonPath };
}

export interface Step {
  number: number;
  line: number;
  source: string;
  function: string;
  text: string;
  words: string[] | null;
  process: number;
  depth: number;
  status: number | null;
  signal: string | null;
  variables: Record<string, string | null>;
  stdout: string;
  stderr: string;
  piped: string;
  seconds: number;
}

export interface Outcome {
  hook_id: string;
  path: string;
  state: "selected" | "background" | "skipped" | "withheld" | "not_matched";
  matched: boolean;
  why: string;
  wanted: string;
  ran: boolean;
  refuses: boolean;
  decision: string | null;
  reason: string | null;
  user_message: string | null;
  could_not_run: string | null;
  warnings: string[];
  diagnostics: string[];
  layer: string;
  file: string;
  command: string;
  type: string;
  changes: FileChange[];
  exit_status?: number | null;
  signal?: string | null;
  timed_out?: boolean;
  limit?: string | null;
  stdout?: string;
  stderr?: string;
  stdout_bytes?: number;
  stderr_bytes?: number;
  duration_ms?: number;
  steps?: Step[];
  steps_total?: number;
  /** Whether the last command of the hook is among the steps. */
  steps_end?: boolean;
  sources?: Record<string, string>;
  decided_by?: { step: number; calls: number[]; why: "status" | "output" } | null;
}

export interface Decision {
  refused: boolean;
  permission: string;
  block: boolean;
  halt: boolean;
  force_continue: boolean;
  reason: string | null;
  user_message: string | null;
  system_message: string | null;
  message: string | null;
  context: { text: string; placement: string }[];
  could_not_run: string[];
  withheld: { hook_id: string; why: string; file: string }[];
  fail_closed: string[];
  outcomes: Outcome[];
}

export interface Fired {
  agent: string;
  event: string;
  kind: string;
  word: string;
  incomplete: boolean;
  refusable: boolean;
  message: string | null;
  decision: Decision;
  effects: { name: string; value: Json; rows: DiffRow[] }[];
  answer: { exit_status: number; stdout: string; stderr: string } | null;
  notes: string[];
  milliseconds: number;
}

export interface Summary {
  word: string;
  incomplete?: boolean;
  reason: string | null;
  message?: string | null;
}

export interface Comparison {
  rows: {
    name: string;
    source: "page" | "history" | "expectation";
    event: string;
    error?: string;
    saved?: Summary;
    edited?: Summary;
    same?: boolean;
  }[];
  left_out: number;
  text: DiffRow[];
  changed: boolean;
}

/** A fire as the service lists it. */
export interface Kept {
  id: number;
  time: string;
  source: string;
  agent: string;
  event: string;
  tool: string | null;
  ending: string;
  decision: { refused: boolean; reason: string | null; permission: string } | null;
}
