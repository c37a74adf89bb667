import type { ReactNode } from "react";
import type { Icon } from "./icon_button.tsx";

/** What a colour means. It never stands without words. */
export type Meaning = "info" | "good" | "warn" | "bad";

/** A state in one or two words. Without a meaning it is grey. */
export function Badge({ meaning, icon: Icon, title, children }: {
  meaning?: Meaning;
  icon?: Icon;
  title?: string;
  children: ReactNode;
}) {
  return (
    <span className={meaning ? `badge is-${meaning}` : "badge"} title={title}>
      {Icon && <Icon size={12} />}
      {children}
    </span>
  );
}
