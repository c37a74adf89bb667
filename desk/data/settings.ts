import { keep, useKept } from "./kept.ts";

/** The settings of a login in this browser. */
export interface Settings {
  /** The user was asked for browser notifications, and has answered. */
  wasAsked: boolean;
  notifies: boolean;
  sounds: boolean;
}

const DEFAULTS: Settings = { wasAsked: false, notifies: true, sounds: false };
const PREFIX = "settings:";

/** The settings of a login, and what changes them. They stay after signing out, so that nobody is asked twice. */
export function useSettings(userId: string) {
  const key = PREFIX + userId;
  const kept = useKept(key, (kept) => kept);
  return {
    settings: parse(kept),
    change: (changed: Partial<Settings>) => keep(key, JSON.stringify({ ...readSettings(userId), ...changed })),
  };
}

/** The same as they are now. */
export function readSettings(userId: string): Settings {
  return parse(localStorage.getItem(PREFIX + userId));
}

function parse(kept: string | null): Settings {
  return kept === null ? DEFAULTS : { ...DEFAULTS, ...JSON.parse(kept) };
}
