import { useRef } from "react";
import type { Agent } from "../data/user.ts";
import { useAreKeysOn, useKeys } from "./keys.ts";

const KEYS = [
  ["J", "The next conversation of the list"],
  ["K", "The previous conversation"],
  ["R", "Write to the recruit"],
  ["E", "No reply needed, and back"],
  ["/", "Search"],
  ["?", "This page"],
  ["Ctrl Enter", "Send, in the box"],
] as const;

/** A button with the page of keys, which a key opens as well. */
export function KeysHelp({ agent }: { agent: Agent }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [areOn, setOn] = useAreKeysOn(agent.id);
  useKeys(agent.id, { "?": () => dialog.current!.showModal() });
  return (
    <>
      <button type="button" className="link keys" onClick={() => dialog.current!.showModal()}>Keys</button>
      <dialog ref={dialog} aria-label="Keys">
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
    </>
  );
}
