import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { isNotice, type Notification, notificationQueries, useReadNotification } from "../data/notifications.ts";
import { readSettings } from "../data/settings.ts";
import type { Agent } from "../data/user.ts";
import { viewStands } from "../ui/standing.ts";
import { showToast } from "../ui/toast.tsx";
import { closeNotifications, playSound, showNotification } from "./browser.ts";
import { isAbout, pathOf, sentenceOf, tagOf } from "./sentences.ts";
import { claim, show, shownAddresses, type WorkerMessage } from "./tabs.ts";

/** The most notifications that are shown at once, as after a night. */
const MOST = 3;
/** A notification may be written this much later than its time says: its transaction was long. */
const LATE_MS = 60_000;

/** Notifies an agent of what is new while the page is open: by a toast here, and by a notification of the browser. */
export function Notifications({ agent, userId }: { agent: Agent; userId: string }) {
  const { data } = useQuery(notificationQueries.unread(agent.id));
  const [address, navigate] = useLocation();
  const { mutate: markRead } = useReadNotification(agent.id);
  const known = useRef<{ ids: Set<string>; latest: string } | null>(null);
  const isVisible = useSyncExternalStore(listen, () => document.visibilityState === "visible");
  useEffect(() => isVisible ? show(address) : undefined, [address, isVisible]);

  function open(notification: Notification): void {
    navigate(pathOf(notification));
    // The others are read with the conversation.
    if (notification.conversation_id === null || isNotice(notification)) markRead([notification.id]);
  }

  function showAsToast(notification: Notification): void {
    showToast(sentenceOf(notification), {
      meaning: notification.urgent ? "bad" : undefined,
      act: { label: "Open", run: () => open(notification) },
    });
  }

  async function notify(notification: Notification): Promise<void> {
    const isSeen = (await shownAddresses()).some((shown) => isAbout(shown, notification));
    if (document.visibilityState === "visible" && (!isSeen || isNotice(notification))) showAsToast(notification);
    // A tab that hears of it later must not notify the user of what the user has seen.
    if (!await claim(notification.id) || isSeen) return;
    const { notifies, sounds } = readSettings(userId);
    if (sounds) playSound();
    if (notifies) {
      await showNotification(sentenceOf(notification), notification, () => open(notification));
    }
  }

  useEffect(() => {
    async function hear({ data, ports }: MessageEvent<WorkerMessage>): Promise<void> {
      if ("claim" in data) ports[0]!.postMessage(readSettings(userId).notifies && await claim(data.claim));
      else if ("resubscribed" in data) await keepSubscription();
      else {
        navigate(data.open.path);
        markRead([data.open.id]);
      }
    }
    const worker = navigator.serviceWorker;
    worker?.addEventListener("message", hear);
    return () => worker?.removeEventListener("message", hear);
  }, [userId, navigate, markRead]);

  useEffect(() => void viewStands().then(keepSubscription), [userId]);

  useEffect(() => {
    if (data === undefined) return;
    void closeNotifications(new Set(data.map(tagOf)));
    const { ids, latest } = known.current ?? { ids: new Set<string>(), latest: null };
    // What was there when the page was opened is not new.
    const fresh = latest === null
      ? []
      : data.filter(({ id, created_at }) => !ids.has(id) && Date.parse(created_at) > Date.parse(latest) - LATE_MS);
    for (const { id } of data) ids.add(id);
    known.current = { ids, latest: data[0]?.created_at ?? latest ?? new Date(0).toISOString() };
    for (const notification of fresh.slice(0, MOST).reverse()) void notify(notification);
    if (latest !== null) return;
    // What somebody else has done, or who may be in danger, is shown once more to a user who has just come.
    data.filter((one) => isNotice(one) && one.kind !== "recruit_waiting").slice(0, MOST).reverse().forEach(showAsToast);
  }, [data]);

  return null;
}

/** Stores the subscription of this browser again. Where it fails, the next start does it. */
async function keepSubscription(): Promise<void> {
  await import("../data/push.ts").then(({ keepSubscription }) => keepSubscription()).catch(() => {});
}

function listen(notify: () => void): () => void {
  document.addEventListener("visibilitychange", notify);
  return () => document.removeEventListener("visibilitychange", notify);
}
