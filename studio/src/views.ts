// The views, in the order of the navigation. A view is one module below `views`, and one row here.
import type { ComponentType } from "preact";
import { Edit } from "./views/edit";
import { Fire } from "./views/fire";
import { Hooks } from "./views/hooks";
import { StepThrough } from "./views/step";

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
];
