// The frame: navigation, theme, the token, and the view that the address names.
import { Component, type ComponentChildren, render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { onRefusal, setToken, takeToken } from "./api";
import { Dialog } from "./components/dialog";
import { Button, Failure, Field } from "./components/parts";
import { setWorkspace, useWorkspace } from "./shared";
import { type Theme, address, applyTheme, storedTheme, textOf, useLoad, usePlace } from "./state";
import "./style.css";
import { visible } from "./text";
import { VIEWS } from "./views";

/** Shows a defect of a view instead of an empty page. */
class Boundary extends Component<{ children: ComponentChildren }, { error: string }> {
  override state = { error: "" };

  override componentDidCatch(error: unknown): void {
    this.setState({ error: textOf(error) });
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return <Failure error={`The page has a defect: ${this.state.error}`} retry={() => this.setState({ error: "" })} />;
  }
}

function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(storedTheme());
  return (
    <label class="theme">
      <span>Theme</span>
      <select
        value={theme}
        onChange={(event) => {
          const chosen = event.currentTarget.value as Theme;
          applyTheme(chosen);
          setTheme(chosen);
        }}
      >
        <option value="">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

interface Workspaces {
  workspaces: string[];
  directory: string;
}

/** Chooses among the workspaces of the service; not shown when there is one. */
function WorkspaceSwitch({ chosen, view }: { chosen: string; view: string }) {
  const { value, reload } = useLoad<Workspaces>("/v1/studio/workspaces");
  useEffect(reload, [view]);
  useEffect(() => {
    if (value && chosen && !value.workspaces.includes(chosen)) setWorkspace("");
  }, [value, chosen]);
  if (!value || value.workspaces.length < 2) return null;
  const choose = (directory: string) => {
    location.hash = address(view);
    setWorkspace(directory === value.directory ? "" : directory);
  };
  return (
    <label class="theme workspace">
      <span>Workspace</span>
      <select value={chosen || value.directory} onChange={(event) => choose(event.currentTarget.value)}>
        {value.workspaces.map((each) => (
          <option key={each} value={each}>
            {visible(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

function TokenDialog() {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  useEffect(() => onRefusal(() => setOpen(true)), []);
  const use = (event: Event) => {
    event.preventDefault();
    setToken(text);
    location.reload();
  };
  return (
    <Dialog title="The service wants its token" open={open} close={() => setOpen(false)}>
      <p>
        Open the whole address that <code>sandhook studio</code> printed, or paste the token here. That of{" "}
        <code>sandhook serve</code> is in the file of <code>--token-file</code>.
      </p>
      <form onSubmit={use}>
        <Field label="Token">
          {(attributes) => (
            <input
              {...attributes}
              type="password"
              autocomplete="off"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <Button type="submit" kind="primary" disabled={!text.trim()}>
            Use this token
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Frame() {
  const { view, params } = usePlace();
  const current = VIEWS.find((each) => each.id === view) ?? VIEWS[0]!;
  const workspace = useWorkspace();
  const heading = useRef<HTMLHeadingElement>(null);
  const link = useRef<HTMLAnchorElement>(null);
  const first = useRef(true);
  useEffect(() => {
    document.title = `${current.title} · sandhook studio`;
    link.current?.scrollIntoView({ block: "nearest", inline: "center" }); // on a phone the navigation scrolls
    if (first.current) first.current = false;
    else heading.current?.focus();
  }, [current.id]);
  const View = current.component;
  return (
    <div class="frame">
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); heading.current?.focus(); }}>
        Skip to the content
      </a>
      <header>
        <a class="brand" href={address(VIEWS[0]!.id)}>
          <img src="icon.svg" alt="" width="24" height="24" />
          <span>
            sandhook <span class="faint">studio</span>
          </span>
        </a>
        <nav aria-label="Views">
          <ul>
            {VIEWS.map((each) => (
              <li key={each.id}>
                <a
                  href={address(each.id)}
                  aria-current={each === current ? "page" : undefined}
                  ref={each === current ? link : null}
                >
                  {each.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <WorkspaceSwitch chosen={workspace} view={current.id} />
        <ThemeSwitch />
      </header>
      <main id="content">
        <h1 ref={heading} tabIndex={-1}>
          {current.title}
        </h1>
        <Boundary key={`${current.id} ${workspace}`}>
          <View params={params} />
        </Boundary>
      </main>
      <TokenDialog />
    </div>
  );
}

applyTheme(storedTheme());
takeToken();
const page = document.getElementById("page")!;
page.textContent = "";
render(<Frame />, page);
