// The views, in the order of the navigation. A view is one module below `views`, and one row here.
import type { ComponentType } from "preact";
import { ChaosGrid } from "./views/chaos";
import { Edit } from "./views/edit";
import { Fire } from "./views/fire";
import { Hooks } from "./views/hooks";
import { Live } from "./views/live";
import { PortabilityGrid } from "./views/portability";
import { StepThrough } from "./views/step";
import { VetGrid } from "./views/vet";

/** What every view receives: the parameters of its address. */
export interface ViewProps {
  params: URLSearchParams;
}

export interface View {
  /** In the address: `#/ID`. */
  id: string;
  title: string;
  component: ComponentType<ViewProps>;
}

export const VIEWS: readonly View[] = [
  { id: "hooks", title: "Hooks", component: Hooks },
  { id: "fire", title: "Fire", component: Fire },
  { id: "step", title: "Step through", component: StepThrough },
  { id: "edit", title: "Edit and try", component: Edit },
  { id: "live", title: "Live", component: Live },
  { id: "chaos", title: "Chaos", component: ChaosGrid },
  { id: "portability", title: "Portability", component: PortabilityGrid },
  { id: "vet", title: "Vet", component: VetGrid },
];
