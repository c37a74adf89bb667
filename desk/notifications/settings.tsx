import { useState } from "react";
import { useLocation } from "wouter";
import { isId } from "../data/pages.ts";
import { useSettings } from "../data/settings.ts";
import { askForPermission, usePermission } from "./browser.ts";

/** The sentence for a permission that only the browser's own settings can give. */
export const HOW_TO_ALLOW =
  "This browser blocks notifications of this page. To allow them, open its settings for this site: " +
  "the icon at the left of the address.";

/** Asks a login once whether this browser may notify it. Not beside an open conversation, which needs the room. */
export function AskForNotifications({ userId }: { userId: string }) {
  const permission = usePermission();
  const { settings, change } = useSettings(userId);
  const [hasAsked, setAsked] = useState(false);
  const [path] = useLocation();
  const isInConversation = path.startsWith("/inbox/") && isId(path.split("/").at(-1)!);
  if (isInConversation) return null;
  if (hasAsked && permission === "denied") {
    return (
      <p className="toast">
        <span>{HOW_TO_ALLOW}</span> <button type="button" onClick={() => setAsked(false)}>OK</button>
      </p>
    );
  }
  if (permission !== "default" || settings.wasAsked) return null;
  return (
    <p className="toast">
      <span>Shall this browser notify you when a recruit writes?</span>
      <button
        type="button"
        onClick={() => {
          setAsked(true);
          change({ wasAsked: true });
          void askForPermission();
        }}
      >
        Allow notifications
      </button>
      <button type="button" onClick={() => change({ wasAsked: true })}>Not now</button>
    </p>
  );
}
