import { useSettings } from "../data/settings.ts";
import { askForPermission, usePermission } from "./browser.ts";
import { MailSettings } from "./mail_settings.tsx";
import { PushSettings } from "./push_settings.tsx";
import { HOW_TO_ALLOW } from "./settings.tsx";

/** How an agent is notified, in the account menu. */
export function AccountSettings({ userId, agentId }: { userId: string; agentId: string }) {
  return (
    <>
      <BrowserSettings userId={userId} />
      <PushSettings />
      <MailSettings agentId={agentId} />
    </>
  );
}

/** How this browser notifies a login of what is new. */
function BrowserSettings({ userId }: { userId: string }) {
  const permission = usePermission();
  const { settings: { notifies, sounds }, change } = useSettings(userId);
  return (
    <>
      {permission === "default" && (
        <button type="button" onClick={() => void askForPermission()}>Allow notifications</button>
      )}
      {permission === "denied" && <p className="quiet">{HOW_TO_ALLOW}</p>}
      {permission === "granted" && (
        <label className="check">
          <input type="checkbox" checked={notifies} onChange={({ target }) => change({ notifies: target.checked })} />
          Notifications of this browser
        </label>
      )}
      <label className="check">
        <input type="checkbox" checked={sounds} onChange={({ target }) => change({ sounds: target.checked })} />
        A sound when something is new
      </label>
    </>
  );
}
