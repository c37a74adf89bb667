import { Page } from "../ui/page.tsx";

export function Operator() {
  return <Page title="Operator">Today</Page>;
}
