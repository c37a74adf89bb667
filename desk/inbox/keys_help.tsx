import { Suspense, useState } from "react";
import type { Agent } from "../data/user.ts";
import { part } from "../ui/part.tsx";
import { useKeys } from "./keys.ts";

const KeysDialog = part("The page of keys", async () => (await import("./keys_dialog.tsx")).KeysDialog);

/** A button that opens the page of keys, as a key does. */
export function KeysHelp({ agent }: { agent: Agent }) {
  const [isOpen, setOpen] = useState(false);
  useKeys(agent.id, { "?": () => setOpen(true) });
  return (
    <>
      <button type="button" className="link keys" onClick={() => setOpen(true)}>Keys</button>
      {isOpen && (
        <Suspense>
          <KeysDialog agentId={agent.id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
