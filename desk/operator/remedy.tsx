import { Link } from "wouter";
import type { WantedLeads } from "../data/operator_rows.ts";
import { useChangeOrders } from "../data/orders.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { newOrderPath } from "./new_order.tsx";
import { OPEN } from "./order.tsx";
import { useWanted } from "./vendor_name.tsx";

/** The number of leads that are distributed at once: new leads wait meanwhile. */
export const MOST = 100;

/** Distributes waiting leads, of those vendors that `whose` says. */
export function DistributeButton({ label, whose, className, act }: {
  label: string;
  whose: string;
  className?: string;
  act: () => Promise<unknown>;
}) {
  return (
    <ConfirmButton
      label={label}
      className={className}
      question={
        <p>
          Up to {MOST} leads of {whose}{" "}
          go to the open orders that want them, the oldest first. This can't be undone. It is noted with your name.
        </p>
      }
      act={act}
    />
  );
}

/** The one act that brings waiting leads of a state nearer to an agency. */
export function Remedy({ of: { state, order, wanted }, isPrimary, onOpened, ...distribution }: {
  of: Pick<WantedLeads["states"][number], "state" | "order" | "wanted">;
  isPrimary?: boolean;
  onOpened?: () => void;
  whose: string;
  act: () => Promise<unknown>;
}) {
  const { mutateAsync: change } = useChangeOrders();
  const wantedOf = useWanted();
  const className = isPrimary ? "primary" : undefined;
  if (wanted > 0) return <DistributeButton label="Distribute now" className={className} {...distribution} />;
  const linkClass = isPrimary ? "button primary" : "button";
  if (order === null || !order.wants_state) {
    return (
      <Link href={newOrderPath(state)} className={linkClass}>
        {state === null ? "New order for any state" : `New order for ${state}`}
      </Link>
    );
  }
  if (order.status !== "paused") {
    const canBeRaised = /^filled$|leads of today$/.test(order.obstacle ?? "");
    return (
      <Link href={`/operator/orders/${order.id}`} className={linkClass}>
        {canBeRaised ? "Raise the order" : "Change the order"}{" "}
        <span className="visually-hidden">of {order.agency}</span>
      </Link>
    );
  }
  return (
    <ConfirmButton
      label="Open the order"
      of={`of ${order.agency}`}
      className={className}
      question={
        <p>
          {order.agency}: {wantedOf(order)}. {OPEN.meaning} It is noted with your name.
        </p>
      }
      act={() => change({ orders: [order], changes: { status: "open" } }).then(onOpened)}
    />
  );
}
