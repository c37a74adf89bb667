import { type ReactNode, Suspense, useState } from "react";
import type { Agent } from "../data/user.ts";
import { part } from "../ui/part.tsx";
import { useKeys } from "./keys.ts";

const KeysDialog = part("The page of keys", async () => (await import("./keys_dialog.tsx")).KeysDialog);

/** The page of keys, which a key opens, too. */
export function useKeysHelp(agent: Agent): { open: () => void; dialog: ReactNode } {
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  useKeys(agent.id, { "?": open });
  const dialog = isOpen && (
    <Suspense>
      <KeysDialog agentId={agent.id} onClose={() => setOpen(false)} />
    </Suspense>
  );
  return { open, dialog };
}
