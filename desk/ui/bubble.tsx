import type { ReactNode } from "react";
import { Link } from "wouter";
import { Time } from "./time.tsx";

/**
 * A text as a bubble: that of a recruit at the left, without a visible name, and that of the agency at the right.
 *
 * @param href where its time leads
 * @param isFirst whether it begins what one person has written in one go: who and when stand above that once
 * @param children what stands below its words: files, and how far it has come
 */
export function Bubble({ by, writer, at, href, isFirst = true, body, children }: {
  by: "recruit" | "bot" | "agent";
  writer: ReactNode;
  at: string;
  href?: string;
  isFirst?: boolean;
  body: string | null;
  children: ReactNode;
}) {
  return (
    <li className={`text is-${by} ${isFirst ? "" : "is-next"}`}>
      <div className={isFirst ? "line quiet" : "visually-hidden"}>
        <strong className={by === "recruit" ? "visually-hidden" : undefined}>{writer}</strong> {href
          ? (
            <Link href={href}>
              <Time at={at} isDayKnown />
            </Link>
          )
          : <Time at={at} isDayKnown />}
      </div>
      {body && <p className="body" dir="auto">{body}</p>}
      {children}
    </li>
  );
}
