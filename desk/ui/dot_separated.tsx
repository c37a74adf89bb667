import { Children, Fragment, type ReactNode } from "react";

/** Parts of a line, with a dot between them. What is false, null or empty is left out. */
export function DotSeparated({ children }: { children: ReactNode }) {
  const parts = Children.toArray(children).filter((part) => part !== "");
  return parts.map((part, place) => (
    <Fragment key={place}>
      {place > 0 && " · "}
      {part}
    </Fragment>
  ));
}
