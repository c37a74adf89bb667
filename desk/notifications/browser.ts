import { useSyncExternalStore } from "react";

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

/** Shows a browser notification, where the browser can. A click comes back to this page. */
export function showNotification(sentence: string, tag: string, open: () => void): void {
  if (permission() !== "granted") return;
  try {
    const shown = new Notification(sentence, { tag });
    shown.onclick = () => {
      shown.close();
      globalThis.focus();
      open();
    };
  } catch {
    // A page can show none in Chrome on Android.
  }
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

const SHOWS = "shows ";

/** Says to the other tabs of this browser that the user sees an address here, until the returned function is called. */
export function show(address: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  // The browser frees a lock with its tab, also of one that crashed.
  void navigator.locks.request(SHOWS + address, { mode: "shared" }, () => promise);
  return resolve;
}

/** The addresses that the user sees in the tabs of this browser. */
export async function shownAddresses(): Promise<string[]> {
  const { held = [] } = await navigator.locks.query();
  return held.flatMap(({ name = "" }) => name.startsWith(SHOWS) ? [name.slice(SHOWS.length)] : []);
}

const NOTIFIED = "notified";
const MOST_NOTIFIED = 100;

/** Takes a notification for this tab. Returns false where another tab has it: only one of them notifies the user. */
export async function claim(id: string): Promise<boolean> {
  return await navigator.locks.request(NOTIFIED, () => {
    const notified: string[] = JSON.parse(localStorage.getItem(NOTIFIED) ?? "[]");
    if (notified.includes(id)) return false;
    localStorage.setItem(NOTIFIED, JSON.stringify([...notified, id].slice(-MOST_NOTIFIED)));
    return true;
  });
}
