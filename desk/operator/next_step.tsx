import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import { useDistribute } from "../data/operator_acts.ts";
import type { Order } from "../data/operator_orders.ts";
import { useChangeOrders } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { ChangeSettings } from "./change_order.tsx";
import { MappingLink } from "./mapping_link.tsx";
import { NewKey } from "./new_key.tsx";
import { CLOSE } from "./order.tsx";
import { MOST, Remedy } from "./remedy.tsx";
import type { Trouble } from "./troubles.ts";
import type { Explained } from "./use_words.ts";
import { NextStep as CauseStep, Resume } from "./unsent_texts.tsx";
import { statesOf } from "./waiting.tsx";
import { Remind } from "./waiting_recruits.tsx";

/** What mends a trouble: a button that does it, or a link that is named after the act and looks the same. */
export function NextStep({ of: trouble }: { of: Explained }) {
  const { kind, subject, agency_id, details, order } = trouble;
  const { reason, what } = details as { reason?: string; what?: string };
  if (kind === "texts_held" || kind === "number_paused") return <SendHeld of={trouble} />;
  if (kind === "recruit_waiting") return <RemindAgent of={trouble} />;
  if (kind === "leads_waiting") return <PlaceLeads of={trouble} />;
  if (kind === "key_expires" && what === "api key") return <NewKey vendor={subject} />;
  if (kind.startsWith("deliveries_")) {
    const otherwise = <Step of={trouble} label="Replay or dismiss" />;
    return <MappingLink vendor={subject} reason={trouble.title} otherwise={otherwise} />;
  }
  if (kind === "order_stalled" && reason === "no_agent") {
    return <Step of={trouble} label="Find it an agent" href={`/operator/agencies/${agency_id}`} />;
  }
  if (kind === "order_stalled" && reason === "ended") return order ? <CloseOrder order={order} /> : null;
  if (kind === "order_filled" || kind === "order_nearly_filled" || reason === "capped") {
    return order ? <ChangeSettings order={order} label="Raise" isRemedy={false} /> : null;
  }
  return <Step of={trouble} />;
}

/** The acts behind the links of kinds. */
const LABELS: Record<string, string> = {
  order_stalled: "Change or close it",
  order_without_leads: "Find who goes first",
  recruit_waiting: "See who waits",
  destination_failing: "Fix or pause it",
  vendor_silent: "Check its keys",
  key_expires: "Renew it",
  opt_out_unmatched: "Give them a conversation",
  texts_stuck: "Find what holds them",
  texts_held: "Find what holds them",
  number_paused: "Resume it",
  worker_late: "See what is due",
};

function Step({ of: { kind, name, title, advice, ...trouble }, label, href = trouble.link }: {
  of: Trouble;
  label?: string;
  href?: string | null;
}) {
  if (!href) return advice;
  const standard = kind !== "texts_failing"
    ? LABELS[kind] ?? "Open it"
    : href.includes("/outbox/")
    ? "Read the error codes"
    : "Pause its orders";
  return (
    <Link href={href} className="button">
      {label ?? standard} <span className="visually-hidden">{name || title}</span>
    </Link>
  );
}

function RemindAgent({ of: trouble }: { of: Trouble }) {
  const { data } = usePages(operatorQueries.waitingRecruits());
  const recruit = data?.find(({ conversation_id }) => conversation_id === trouble.subject);
  return recruit ? <Remind of={recruit} /> : <Step of={trouble} />;
}

/** Sends what is held, where the cause is known and one act ends it. */
function SendHeld({ of: trouble }: { of: Trouble }) {
  const { data: causes } = useQuery(operatorQueries.unsentCauses());
  if (causes === undefined) return null;
  if (trouble.kind === "number_paused") {
    const held = causes.find(({ cause, subject }) => cause === "number_paused" && subject === trouble.subject);
    return <Resume number={{ phone: trouble.subject, waiting: held?.texts ?? 0 }} />;
  }
  const [cause] = causes;
  return causes.length === 1 && ["number_paused", "no_hours"].includes(cause!.cause)
    ? <CauseStep of={cause!} />
    : <Step of={trouble} />;
}

/** Brings the leads of the state in which most wait nearer to an agency. */
function PlaceLeads({ of: trouble }: { of: Trouble }) {
  const { data: counted = [] } = useQuery(operatorQueries.wantedLeads());
  const { mutateAsync: distribute } = useDistribute();
  const [most] = statesOf(counted);
  if (most === undefined) return <Step of={trouble} label="Distribute them" />;
  return <Remedy of={most} whose="all vendors" act={() => distribute({ max: MOST, vendor_id: null })} />;
}

function CloseOrder({ order }: { order: Order }) {
  const { mutateAsync: change } = useChangeOrders();
  return (
    <ConfirmButton
      label="Close"
      of="the order"
      question={<p>{CLOSE.meaning} It is noted with your name.</p>}
      act={() => change({ orders: [order], changes: { status: CLOSE.status } })}
    />
  );
}
