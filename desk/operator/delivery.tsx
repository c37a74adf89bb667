import { useEffect, useRef, useState } from "react";
import type { RejectedDelivery } from "../data/operator_rows.ts";
import { dismiss, replay, useDryRun, useReadPayload } from "../data/operator_acts.ts";
import { ActionButton } from "../ui/action.tsx";
import { ConfirmButton } from "../ui/confirm.tsx";
import { countText } from "../ui/count.ts";
import { Time } from "../ui/time.tsx";
import { JsonFields } from "../ui/json_value.tsx";
import { dismissedText, outcomeText, previewText } from "./outcome.ts";

/** A rejected delivery, with what can be done with it. */
export function DeliveryRow(
  { delivery, onResolved }: {
    delivery: RejectedDelivery;
    /** Called with a sentence when it is replayed or dismissed, and no longer open. */
    onResolved: (sentence: string) => void;
  },
) {
  const payload = useReadPayload();
  const { data: preview, mutateAsync: tryReplay } = useDryRun();
  const [refused, setRefused] = useState("");
  const { id, received_at, route, row, vendor_lead_id, request_id, payload_bytes, payload_kept } = delivery;

  async function replayOne(): Promise<void> {
    setRefused("");
    const [replayed] = await replay([id]);
    if (replayed!.status === "refused") return setRefused(outcomeText(replayed!));
    onResolved(outcomeText(replayed!));
  }

  async function dismissOne(): Promise<void> {
    onResolved(dismissedText(await dismiss([id]), 1));
  }

  return (
    <li className="delivery">
      <p>
        <Time at={received_at} />
        {vendor_lead_id !== null && <strong>{vendor_lead_id}</strong>}
        <small title={`Request ${request_id} to ${route}, ${countText(payload_bytes)} bytes`}>
          request {request_id?.slice(0, 8)}
          {row !== null && `, row ${row}`}
        </small>
      </p>
      <p className="buttons">
        <ConfirmButton
          label="Show the payload"
          className="plain"
          question={<p>It may contain personal data. Reading it is noted with your name.</p>}
          act={() => payload.mutateAsync(id)}
        />
        <ActionButton act={() => tryReplay(id)} className="plain">Dry run</ActionButton>
        <ActionButton act={replayOne} className="plain">Replay</ActionButton>
        <ConfirmButton
          label="Dismiss"
          className="plain"
          question={<p>No lead is made of it. This can't be undone. It is noted with your name.</p>}
          act={dismissOne}
        />
      </p>
      <p className="problem" role="alert">{refused}</p>
      <div role="status">{preview !== undefined && <p>{previewText(preview)}</p>}</div>
      {preview?.status === "created" && preview.lead !== undefined && <JsonFields fields={preview.lead} />}
      {payload.isSuccess && <Content payload={payload.data} kept={payload_kept} onHide={payload.reset} />}
    </li>
  );
}

function Content({ payload, kept, onHide }: { payload: string | null; kept: string; onHide: () => void }) {
  const content = useRef<HTMLPreElement>(null);
  useEffect(() => {
    // Once the dialog has closed, which gives the focus back to its button.
    const frame = requestAnimationFrame(() => content.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <>
      <p className="section-head">
        <span>
          {payload === null
            ? "Nothing of it is kept."
            : kept === "whole"
            ? "What was sent, without its files:"
            : "The beginning of what was sent. The rest is not kept:"}
        </span>
        <button type="button" onClick={onHide}>Hide the payload</button>
      </p>
      <pre tabIndex={0} role="region" aria-label="Payload" ref={content}>
        {payload}
      </pre>
    </>
  );
}
