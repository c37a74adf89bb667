import { countText } from "./count.ts";

/** A number with its share of all, as a percentage where it is a part of them; where there is room for one of them, the share. */
export function Share({ of, all }: { of: number; all: number }) {
  if (all === 0) return "–";
  return (
    <span className="share" title={`${countText(of)} of ${countText(all)}`}>
      <span>{countText(of)}</span> {of > 0 && of <= all && <small>{Math.round(of / all * 100)}%</small>}
    </span>
  );
}
