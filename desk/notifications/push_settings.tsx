import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Push, pushOptions, useSetPush } from "../data/push.ts";
import { ActionError } from "../ui/action.tsx";
import { QueryResult, Skeleton } from "../ui/query_result.tsx";
import { askForPermission, usePermission } from "./browser.ts";

/** Why there is nothing to switch on. */
const REASONS: Partial<Record<Push, string>> = {
  "unsupported": "This browser cannot notify you while no page is open. On an iPhone or iPad, add this page to the " +
    "Home Screen first, and open it there.",
  "no key": "This service does not notify you while no page is open. The people who run it can switch that on.",
};

/** Whether this browser notifies the user while no page is open, in the account menu. */
export function PushSettings() {
  const query = useQuery(pushOptions());
  const permission = usePermission();
  const { mutate, ...saving } = useSetPush();
  const [changed, setChanged] = useState<boolean | null>(null);

  async function change(isOn: boolean): Promise<void> {
    setChanged(isOn);
    if (isOn && permission === "default") await askForPermission();
    // The menu says how to allow what the browser blocks.
    if (isOn && Notification.permission !== "granted") setChanged(null);
    else mutate(isOn, { onSettled: () => setChanged(null) });
  }

  return (
    <QueryResult query={query} resource="push settings" skeleton={<Skeleton rows={1} />}>
      {(push) =>
        REASONS[push] === undefined
          ? (
            <>
              <label className="check">
                <input
                  type="checkbox"
                  checked={changed ?? (push === "on" && permission === "granted")}
                  disabled={permission === "denied"}
                  onChange={({ target }) => void change(target.checked)}
                />
                Notify me on this device while no page is open
              </label>
              <ActionError action={saving} />
            </>
          )
          : <p className="quiet">{REASONS[push]}</p>}
    </QueryResult>
  );
}
