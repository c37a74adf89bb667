import { useSyncExternalStore } from "react";
import { type Place, tagOf } from "./sentences.ts";
import { notificationOptions } from "./tabs.ts";

/** Whether this page may show browser notifications. */
export type Permission = NotificationPermission | "unsupported";

const answered = new Set<() => void>();

export function usePermission(): Permission {
  return useSyncExternalStore(listen, permission);
}

function permission(): Permission {
  return "Notification" in globalThis ? Notification.permission : "unsupported";
}

/** Asks for the permission. Only after a press of a button: browsers refuse what comes by itself. */
export async function askForPermission(): Promise<void> {
  await Notification.requestPermission();
  for (const notify of answered) notify();
}

function listen(notify: () => void): () => void {
  answered.add(notify);
  // It may be given in the browser's settings.
  addEventListener("focus", notify);
  return () => {
    answered.delete(notify);
    removeEventListener("focus", notify);
  };
}

/**
 * Shows a browser notification, where the browser can, through the service worker where there is one: it opens what is
 * clicked, and what is pushed replaces what has the same tag. Else `open` is called after a click.
 */
export async function showNotification(
  sentence: string,
  notification: Place & { id: string },
  open: () => void,
): Promise<void> {
  if (permission() !== "granted") return;
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker?.active) return await worker.showNotification(sentence, notificationOptions(notification));
  try {
    const shown = new Notification(sentence, { tag: tagOf(notification) });
    shown.onclick = () => {
      shown.close();
      globalThis.focus();
      open();
    };
  } catch {
    // Chrome on Android has only those of the service worker, which may not be installed yet.
  }
}

/** Closes the browser notifications that the user needs no more: those whose tag is not kept. */
export async function closeNotifications(kept: Set<string>): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration();
  for (const shown of await worker?.getNotifications() ?? []) if (!kept.has(shown.tag)) shown.close();
}

let audio: AudioContext | undefined;

/** Plays a short sound. A page on which nobody has pressed anything yet stays silent. */
export function playSound(): void {
  audio ??= new AudioContext();
  void audio.resume();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  const end = audio.currentTime + 0.3;
  tone.frequency.value = 660;
  volume.gain.setValueAtTime(0.15, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, end);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(end);
}
