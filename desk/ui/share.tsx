import { countText } from "./count.ts";

/** A number with its share of all, as a percentage. */
export function Share({ of, all }: { of: number; all: number }) {
  return (
    <span className="share">
      {countText(of)} {of > 0 && <small>{Math.round(of / all * 100)}%</small>}
    </span>
  );
}
