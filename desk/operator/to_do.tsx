import type { ReactNode } from "react";
import { useTroubles } from "./troubles.ts";

/** Shows how many problems are to do. */
export function ToDo({ children }: { children: (count: number) => ReactNode }) {
  return children(useTroubles().toDo ?? 0);
}
