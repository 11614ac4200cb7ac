// The views, in the order of the navigation. A view is one module below `views`, and one row here.
import type { ComponentType } from "preact";
import { Hooks } from "./views/hooks";

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

export const VIEWS: readonly View[] = [{ id: "hooks", title: "Hooks", component: Hooks }];
