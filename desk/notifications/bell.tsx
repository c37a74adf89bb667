import { useQuery } from "@tanstack/react-query";
import BellIcon from "lucide-react/icons/bell";
import { Suspense, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { cappedText } from "../ui/count.ts";
import { notificationQueries } from "../data/notifications.ts";
import type { Agent } from "../data/user.ts";
import { part } from "../ui/part.tsx";

const BellList = part("The list", async () => (await import("./bell_list.tsx")).BellList);

/** A button with the number of notifications, which opens their list. Texts are counted at the inbox. */
export function Bell({ agent }: { agent: Agent }) {
  const { data = [] } = useQuery(notificationQueries.unread(agent.id));
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const [path] = useLocation();
  useEffect(() => list.current!.hidePopover(), [path]);
  const unread = data.filter(({ kind }) => kind !== "text");
  const isUrgent = unread.some(({ urgent }) => urgent);
  return (
    <div className="bell">
      <button type="button" className="plain" popoverTarget="bell" title="Notifications">
        <BellIcon size={20} />
        {/* The rail has no room for the word. */}
        <span className="visually-hidden">Notifications</span>
        {unread.length > 0 && (
          <span className={isUrgent ? "badge is-bad" : "badge strong"}>
            {cappedText(unread.length)}
            <span className="visually-hidden">{isUrgent ? "unread, one is urgent" : "unread"}</span>
          </span>
        )}
      </button>
      <div
        id="bell"
        ref={list}
        popover="auto"
        role="region"
        aria-label="Notifications"
        onToggle={({ newState }) => setOpen(newState === "open")}
      >
        {isOpen && (
          <Suspense>
            <BellList agent={agent} unread={unread} />
          </Suspense>
        )}
      </div>
    </div>
  );
}
