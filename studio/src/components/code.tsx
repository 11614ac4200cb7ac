// Text with syntax colours, line numbers and findings: CodeMirror in a shadow root.
//
// In a shadow root its style sheets are constructed objects, which a content policy without inline styles allows.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { HighlightStyle, StreamLanguage, bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { yaml } from "@codemirror/legacy-modes/mode/yaml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

export type Language = "shell" | "json" | "yaml" | "toml" | "text";

export interface Finding {
  /** From 1. */
  line: number;
  severity: "error" | "warning" | "note";
  rule: string;
  message: string;
}

const LANGUAGES: Record<Language, () => Extension> = {
  shell: () => StreamLanguage.define(shell),
  json: () => json(),
  yaml: () => StreamLanguage.define(yaml),
  toml: () => StreamLanguage.define(toml),
  text: () => [],
};

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--code-string)" },
  { tag: [tags.comment], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
  { tag: [tags.variableName, tags.definition(tags.variableName), tags.propertyName], color: "var(--code-variable)" },
  { tag: [tags.standard(tags.variableName), tags.function(tags.variableName)], color: "var(--code-builtin)" },
  { tag: [tags.meta, tags.attributeName, tags.operator], color: "var(--code-meta)" },
]);

const THEME = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "transparent", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { padding: "0.5rem 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 0.75rem 0 0.375rem" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--muted)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 0.375rem 0 0.75rem", minWidth: "2.25rem" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection) !important" },
  ".cm-selectionMatch": { backgroundColor: "var(--selection)" },
  ".cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "1px solid var(--border-strong)" },
  ".cm-specialChar": { color: "var(--bad)" },
  ".marked": { backgroundColor: "var(--accent-soft)", boxShadow: "inset 3px 0 var(--accent)" },
  ".marked-bad": { backgroundColor: "var(--bad-soft)", boxShadow: "inset 3px 0 var(--bad)" },
  ".reached": { boxShadow: "inset 3px 0 var(--border-strong)" },
  // The marks of findings are text: the content policy allows no images in style sheets.
  ".cm-gutter-lint": { width: "1.125rem" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0 0 0 0.375rem" },
  ".cm-lint-marker": { width: "auto", height: "auto", fontWeight: "700", fontFamily: "var(--sans)" },
  ".cm-lint-marker-error": { content: "none", color: "var(--bad)" },
  ".cm-lint-marker-warning": { content: "none", color: "var(--warning)" },
  ".cm-lint-marker-info": { content: "none", color: "var(--accent)" },
  ".cm-lint-marker-error::before": { content: "'\u2715'" },
  ".cm-lint-marker-warning::before": { content: "'!'" },
  ".cm-lint-marker-info::before": { content: "'i'" },
  ".cm-lintRange": { backgroundImage: "none", paddingBottom: "0" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warning)" },
  ".cm-lintRange-info": { backgroundImage: "none", textDecoration: "underline dotted var(--accent)" },
  ".cm-lintRange-active": { backgroundColor: "transparent" },
  ".cm-tooltip, .cm-panels": { backgroundColor: "var(--surface)", color: "var(--text)", border: "1px solid var(--border)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", fontSize: "0.8125rem", padding: "0.375rem 0.625rem" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warning)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--accent)" },
});

/** Lines of the text by number, from 1, and how each is marked. */
export interface Marks {
  active?: number | undefined;
  bad?: number | undefined;
  reached?: readonly number[];
}

/** Marks a change that did not come from the person who types. */
const external = Annotation.define<boolean>();

const setMarks = StateEffect.define<Marks>();

const marksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(known, change) {
    for (const effect of change.effects) if (effect.is(setMarks)) return decorations(change.state, effect.value);
    return known.map(change.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(state: EditorState, marks: Marks): DecorationSet {
  const classes = new Map<number, string>();
  for (const line of marks.reached ?? []) classes.set(line, "reached");
  if (marks.active) classes.set(marks.active, "marked");
  if (marks.bad) classes.set(marks.bad, "marked-bad");
  const builder = new RangeSetBuilder<Decoration>();
  for (const line of [...classes.keys()].sort((a, b) => a - b)) {
    if (line < 1 || line > state.doc.lines) continue;
    const at = state.doc.line(line).from;
    builder.add(at, at, Decoration.line({ class: classes.get(line)! }));
  }
  return builder.finish();
}

function diagnostics(state: EditorState, findings: readonly Finding[]): Diagnostic[] {
  return findings
    .filter((each) => each.line >= 1 && each.line <= state.doc.lines)
    .map((each) => {
      const line = state.doc.line(each.line);
      const severity = each.severity === "note" ? ("info" as const) : each.severity;
      return { from: line.from, to: line.to, severity, source: each.rule, message: each.message };
    });
}

export function Code({
  label,
  text,
  language,
  findings = [],
  marks = {},
  change,
}: {
  label: string;
  text: string;
  language: Language;
  findings?: readonly Finding[];
  marks?: Marks;
  /** Called with each new text; without it the text can only be read. */
  change?: ((text: string) => void) | undefined;
}) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const changed = useRef(change);
  changed.current = change;
  const emitted = useRef<string[]>([]);
  const editable = change !== undefined;

  useEffect(() => {
    const host = place.current!;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const attributes: Record<string, string> = { "aria-label": label, spellcheck: "false", autocapitalize: "off" };
    if (!editable) Object.assign(attributes, { tabindex: "0", "aria-readonly": "true" });
    const present = new Compartment();
    const made = new EditorView({
      root,
      parent: root as unknown as Element,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          highlightSpecialChars(),
          drawSelection(),
          bracketMatching(),
          highlightSelectionMatches(),
          present.of(LANGUAGES[language]()),
          syntaxHighlighting(COLOURS),
          lintGutter(),
          marksField,
          THEME,
          EditorView.contentAttributes.of(attributes),
          keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap]),
          editable
            ? [history(), highlightActiveLine(), indentUnit.of("  "), EditorView.lineWrapping]
            : [EditorState.readOnly.of(true), EditorView.editable.of(false)],
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((each) => each.annotation(external))) return;
            const fresh = update.state.doc.toString();
            emitted.current.push(fresh);
            changed.current?.(fresh);
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [language, editable, label]);

  // Before the next key is handled: what is typed after "Undo all" must not go into the text that was undone.
  useLayoutEffect(() => {
    const editor = view.current;
    if (!editor) return;
    // A text that was typed here comes back after a rendering, when more may have been typed: the editor is ahead.
    const at = emitted.current.indexOf(text);
    emitted.current = at < 0 ? [] : emitted.current.slice(at + 1);
    const known = editor.state.doc.toString();
    if (at >= 0 || known === text) return;
    editor.dispatch({ changes: { from: 0, to: known.length, insert: text }, annotations: external.of(true) });
  }, [text, language, editable, label]);

  const found = JSON.stringify(findings);
  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnostics(editor.state, findings)));
  }, [found, text, language, editable, label]);

  const marked = JSON.stringify(marks);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    editor.dispatch({ effects: setMarks.of(marks) });
    const line = marks.active ?? marks.bad;
    if (line && line <= editor.state.doc.lines) {
      editor.dispatch({ effects: EditorView.scrollIntoView(editor.state.doc.line(line).from, { y: "nearest", yMargin: 40 }) });
    }
  }, [marked, text, language, editable, label]);

  return <div class={`code ${editable ? "editable" : ""}`} ref={place} />;
}

/** Returns the language of a file by its name, and of a script by its text. */
export function languageOf(name: string): Language {
  if (/\.jsonc?$/.test(name)) return "json";
  if (/\.ya?ml$/.test(name)) return "yaml";
  if (/\.toml$/.test(name)) return "toml";
  if (/\.(py|js|ts|rb|md|txt)$/.test(name)) return "text";
  return "shell";
}
