import ArrowDownRight from "lucide-react/icons/arrow-down-right";
import ArrowUpRight from "lucide-react/icons/arrow-up-right";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { countText } from "./count.ts";

/**
 * A number with what it was before, and its days as a line.
 *
 * @param value null: there is nothing to count
 * @param before the number of the time before
 * @param format the words for a number
 * @param isLessBetter whether a smaller number is the better one; null: neither is
 * @param values its days, oldest first
 * @param href the list that it counts
 */
export function Figure({ label, value, before, format = countText, isLessBetter = false, values, href, hint }: {
  label: string;
  value: number | null;
  before?: number | null;
  format?: (value: number) => ReactNode;
  isLessBetter?: boolean | null;
  values?: number[];
  href?: string;
  hint?: ReactNode;
}) {
  const moved = value === null || before === undefined || before === null ? 0 : value - before;
  // Less than a tenth is chance.
  const change = Math.abs(moved) < (before ?? 0) / 10 ? 0 : moved;
  // Of few, a share says nothing.
  const hasShare = change !== 0 && before! >= 10 && format === countText;
  const Arrow = change > 0 ? ArrowUpRight : ArrowDownRight;
  const isGood = change > 0 !== isLessBetter;
  const meaning = change === 0 || isLessBetter === null ? "" : isGood ? " is-good" : " is-bad";
  const content = (
    <>
      <span className="figure-label">{label}</span>
      <strong>{value === null ? "–" : format(value)}</strong>
      {values && values.length > 1 && Math.max(...values) > 0 && <Sparkline values={values} />}
      {before !== undefined && (
        <span className={`figure-before${meaning}`}>
          {change !== 0 && (
            <>
              <Arrow size={14} />
              <span className="visually-hidden">{change > 0 ? "up" : "down"},</span>
            </>
          )}
          <span>
            {hasShare && `${shareText(change / before!)}, `}
            {before === null ? "none" : format(before)} before
          </span>
        </span>
      )}
      {hint && <span className="figure-before">{hint}</span>}
    </>
  );
  return href === undefined
    ? <div className="figure">{content}</div>
    : <Link className="figure" href={href}>{content}</Link>;
}

function shareText(change: number): string {
  return `${countText(Math.round(Math.abs(change) * 100))}%`;
}

/** The course of a number. What it says, the number beside it says in words. */
export function Sparkline({ values }: { values: number[] }) {
  const most = Math.max(...values, 1);
  const points = values.map((value, place) => `${place / (values.length - 1) * 100},${28 - value / most * 26}`);
  return (
    <svg className="sparkline" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,30 ${points.join(" ")} 100,30`} />
      <polyline points={points.join(" ")} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
