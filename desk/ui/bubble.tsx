import type { ReactNode } from "react";
import type { Message } from "../data/messages.ts";
import { fullName } from "./name.ts";
import { Time } from "./time.tsx";

/**
 * A text as a bubble: that of a recruit at the left, without a visible name, and that of the agency at the right.
 *
 * @param isFirst whether it begins what one person has written in one go: who and when stand above that once
 * @param children what stands below its words: files, and how far it has come
 */
export function Bubble({ by, writer, at, isFirst = true, body, children }: {
  by: "recruit" | "bot" | "agent";
  writer: ReactNode;
  at: string;
  isFirst?: boolean;
  body: string | null;
  children: ReactNode;
}) {
  return (
    <li className={`text is-${by} ${isFirst ? "" : "is-next"}`}>
      <div className={isFirst ? "line quiet" : "visually-hidden"}>
        <strong className={by === "recruit" ? "visually-hidden" : undefined}>{writer}</strong>{" "}
        <Time at={at} isDayKnown />
      </div>
      {body && <p className="body" dir="auto">{body}</p>}
      {children}
    </li>
  );
}

/** The words for who wrote a text. Of old texts nobody knows which agent it was. */
export function writerOf({ sender_type, sent_by, author }: Message, name: string, agentId: string): ReactNode {
  if (sender_type === "recruit") return <bdi>{name}</bdi>;
  if (sender_type === "bot") return "Bot";
  if (sent_by === agentId) return "You";
  return author === null ? "Agent" : <bdi>{fullName(author)}</bdi>;
}
