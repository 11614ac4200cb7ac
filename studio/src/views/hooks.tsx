import { Empty } from "../components/parts";
import type { ViewProps } from "../views";

export function Hooks(_: ViewProps) {
  return <Empty title="No hooks" />;
}
