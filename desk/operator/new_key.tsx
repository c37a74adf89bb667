import { createContext, type ReactNode, use, useState } from "react";
import { createKey } from "../data/operator_acts.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { CopyButton } from "../ui/copy_button.tsx";
import { useVendorName } from "./vendor_name.tsx";

const Made = createContext<(made: { vendor: string; key: string }) => void>(() => {});

/** Shows the key that a {@link NewKey} below it has made. The row with the button may go away. */
export function MadeKey({ children }: { children: ReactNode }) {
  const [made, setMade] = useState<{ vendor: string; key: string } | null>(null);
  const nameOf = useVendorName();
  return (
    <>
      <div role="status">
        {made && (
          <p className="notice">
            The new key of {nameOf(made.vendor)}, shown only this once: <code>{made.key}</code>{" "}
            <CopyButton words={made.key} of="the key" />
          </p>
        )}
      </div>
      <Made value={setMade}>{children}</Made>
    </>
  );
}

/** Makes a further key of a vendor. */
export function NewKey({ vendor }: { vendor: string }) {
  const setMade = use(Made);
  const nameOf = useVendorName();
  return (
    <ConfirmButton
      label="New key"
      of={`of ${nameOf(vendor)}`}
      question={
        <p>
          {nameOf(vendor)}{" "}
          can send leads with it at once. The keys that it has go on working. The new one is shown once, and that you
          made it is noted with your name.
        </p>
      }
      act={async () => setMade({ vendor, key: await createKey(vendor) })}
    />
  );
}
