import { useEffect, useRef } from "react";
import { useAreKeysOn } from "./keys.ts";

const KEYS = [
  ["J", "The next conversation of the list"],
  ["K", "The previous conversation"],
  ["R", "Write to the recruit"],
  ["E", "No reply needed, and back"],
  ["/", "Search"],
  ["?", "This page"],
  ["Ctrl Enter", "Send, in the box"],
  ["Ctrl Shift Enter", "Send, and write to the next recruit who waits"],
  ["Shift Space", "Select the rows from the last box to this one"],
] as const;

/** The page of keys, which is open as long as it is there. */
export function KeysDialog({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [areOn, setOn] = useAreKeysOn(agentId);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl className="key-list">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={areOn} onChange={({ target }) => setOn(target.checked)} />
        Single keys work in this browser
      </label>
      <p className="buttons">
        <button type="button" className="primary" onClick={() => dialog.current!.close()}>Close</button>
      </p>
    </dialog>
  );
}
