import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { NOTICES, type Notification, notificationQueries, useReadNotification } from "../data/notifications.ts";
import { readSettings } from "../data/settings.ts";
import type { Agent } from "../data/user.ts";
import { claim, playSound, show, shownAddresses, showNotification } from "./browser.ts";
import { isAbout, pathOf, sentenceOf } from "./sentences.ts";

/** The most notifications that are shown at once, as after a night. */
const MOST = 3;
/** How long a toast stays, in milliseconds. */
const TOAST_MS = 8_000;
/** A notification may be written this much later than its time says: its transaction was long. */
const LATE_MS = 60_000;

/** Notifies an agent of what is new while the page is open: by a toast here, and by a notification of the browser. */
export function Notifications({ agent, userId }: { agent: Agent; userId: string }) {
  const { data } = useQuery(notificationQueries.unread(agent.id));
  const [address, navigate] = useLocation();
  const { mutate: markRead } = useReadNotification(agent.id);
  const [toast, setToast] = useState<Notification | null>(null);
  const known = useRef<{ ids: Set<string>; latest: string } | null>(null);
  const isVisible = useSyncExternalStore(listen, () => document.visibilityState === "visible");
  useEffect(() => isVisible ? show(address) : undefined, [address, isVisible]);

  function open(notification: Notification): void {
    setToast(null);
    navigate(pathOf(notification));
    if (notification.conversation_id === null) markRead(notification.id);
  }

  async function notify(notification: Notification): Promise<void> {
    const isSeen = (await shownAddresses()).some((shown) => isAbout(shown, notification));
    const isNotice = notification.urgent || NOTICES.includes(notification.kind);
    if (!isSeen && document.visibilityState === "visible" && !isNotice) {
      setToast(notification);
    }
    // A tab that hears of it later must not notify the user of what the user has seen.
    if (!await claim(notification.id) || isSeen) return;
    const { notifies, sounds } = readSettings(userId);
    if (sounds) playSound();
    if (notifies) {
      showNotification(
        sentenceOf(notification),
        notification.conversation_id ?? notification.id,
        () => open(notification),
      );
    }
  }

  useEffect(() => {
    if (data === undefined) return;
    const { ids, latest } = known.current ?? { ids: new Set<string>(), latest: null };
    // What was there when the page was opened is not new.
    const fresh = latest === null
      ? []
      : data.filter(({ id, created_at }) => !ids.has(id) && Date.parse(created_at) > Date.parse(latest) - LATE_MS);
    for (const { id } of data) ids.add(id);
    known.current = { ids, latest: data[0]?.created_at ?? latest ?? new Date(0).toISOString() };
    for (const notification of fresh.slice(0, MOST).reverse()) void notify(notification);
  }, [data]);

  return (
    <div className="toasts" role="status">
      {toast && <Toast key={toast.id} notification={toast} open={() => open(toast)} close={() => setToast(null)} />}
    </div>
  );
}

/** Goes by itself, but not while somebody is at it. */
function Toast({ notification, open, close }: { notification: Notification; open: () => void; close: () => void }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(close, TOAST_MS);
    return () => clearTimeout(timer);
  }, [isHeld]);
  return (
    <p
      className="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span dir="auto">{sentenceOf(notification)}</span>
      <button type="button" onClick={open}>Open</button>
    </p>
  );
}

function listen(notify: () => void): () => void {
  document.addEventListener("visibilitychange", notify);
  return () => document.removeEventListener("visibilitychange", notify);
}
