import type { LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes } from "react";

/** An icon, as `lucide-react/icons/<name>` exports it. */
export type Icon = LucideIcon;

/**
 * A button of an icon, with its words for a screen reader and where the pointer rests.
 *
 * @param isNamed whether the words stand beside it
 * @param keys the key that does the same, such as "E"
 */
export function IconButton({ icon: Icon, label, keys, isNamed = false, className = "", ...button }: {
  icon: Icon;
  label: string;
  keys?: string;
  isNamed?: boolean;
} & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      className={`${isNamed ? "" : "plain icon-button "}${className}`.trim()}
      title={keys ? `${label} (${keys})` : label}
      {...button}
    >
      <Icon size={18} />
      <span className={isNamed ? undefined : "visually-hidden"}>{label}</span>
    </button>
  );
}
