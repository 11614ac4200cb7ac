// Fires an event at the hooks of an agent and shows what each of them does.
import { useState } from "preact/hooks";
import { post } from "../api";
import { Button, Empty, Failure } from "../components/parts";
import { PayloadEditor } from "../firing/payload";
import { FiredResult } from "../firing/result";
import { setDraft, useDraft } from "../shared";
import { useAction } from "../state";
import type { Fired } from "../types";
import type { ViewProps } from "../views";

export function Fire({ params }: ViewProps) {
  const draft = useDraft();
  const [fired, setFired] = useState<Fired>();
  const unapproved = draft.unapproved === true;
  const fire = useAction(() =>
    post<Fired>("/v1/studio/fire", { agent: draft.agent, event: draft.event, payload: draft.payload, unapproved }),
  );
  const submit = async (event: Event) => {
    event.preventDefault();
    const value = await fire.run();
    if (value) setFired(value);
  };
  return (
    <div class="split even">
      <section class="pane" aria-label="Event">
        <form class="stack" onSubmit={(event) => void submit(event)}>
          <PayloadEditor wanted={{ agent: params.get("agent") ?? undefined, event: params.get("event") ?? undefined }} />
          <label class="check">
            <input type="checkbox" checked={unapproved} onChange={(event) => setDraft({ unapproved: event.currentTarget.checked })} />
            Also run hooks that nobody approved, in the sandbox
          </label>
          <div class="actions">
            <Button type="submit" kind="primary" busy={fire.busy} disabled={fire.busy || !draft.payload}>
              {fire.busy ? "Firing…" : "Fire"}
            </Button>
          </div>
        </form>
      </section>
      <section class="pane" aria-label="Result">
        <Failure error={fire.error} />
        {fired ? (
          <FiredResult fired={fired} />
        ) : (
          <Empty title="Nothing fired yet">
            <p>Choose an event and fire it. The hooks run in the sandbox, on a copy of the project; nothing is changed.</p>
          </Empty>
        )}
      </section>
    </div>
  );
}
