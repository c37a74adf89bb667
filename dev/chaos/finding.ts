import type { Sent } from "./driver.ts";

/** What must not be. */
export const KINDS = ["lost", "doubled", "orphaned", "wrongly charged", "wrong response"] as const;

/** Something that the account finds wrong. */
export interface Finding {
  kind: typeof KINDS[number];
  what: string;
  /** The request it is about, where it is about one. */
  sent?: Sent;
}
