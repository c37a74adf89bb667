/** What operators read: the rows of their views, and what their functions return. */

import type { Database } from "../../supabase/functions/_shared/database.types.ts";

type Views = Database["public"]["Views"];
type Functions = Database["public"]["Functions"];

/** A row of a view. `Known` names the columns that are never null, where the generated type does not know it. */
export type Row<View extends keyof Views, Known extends keyof Views[View]["Row"]> =
  & Omit<Views[View]["Row"], Known>
  & { [Column in Known]: NonNullable<Views[View]["Row"][Column]> };

/** A row of what a function returns. */
type Returned<Name extends keyof Functions> = Functions[Name]["Returns"] extends (infer Each)[] ? Each : never;

/** A condition that somebody must know of, with its words, and the view that helps. */
export type Alert = Row<
  "alert_list",
  "id" | "kind" | "subject" | "name" | "problem" | "state" | "since" | "severity" | "details"
>;
/** The leads of a vendor on each of the days. */
export type VendorDays = Returned<"count_vendor_days">;
/** What became of the leads of a vendor. */
export type VendorQuality = Returned<"vendor_quality">;
/** A lead that was distributed. */
export type DistributedLead = Returned<"distribute_leads">;
/** A reason for which open deliveries of a vendor were rejected; vendor_id is null for imports of sales leads. */
export type Reason = Row<
  "delivery_reason_list",
  "id" | "vendor" | "code" | "reason" | "deliveries" | "first_at" | "last_at" | "first_deleted_at" | "deleted_in_7_days"
>;
/** A rejected delivery that is open, without its payload. */
export type RejectedDelivery = Row<"delivery_list", "vendor" | "payload_kept">;
/** A lead of a recruiting vendor, and who has it. */
export type ListedLead = Row<"lead_list", "id" | "received" | "vendor" | "distribution">;
/** The number of waiting leads of a vendor. */
export type WaitingVendor = Row<"waiting_vendor_list", "vendor_id" | "vendor" | "leads">;
/** Of a vendor, how many waiting leads an open order wants, also by state. */
export type WantedLeads = Omit<Returned<"count_wanted_leads">, "states"> & {
  states: {
    state: string | null;
    leads: number;
    wanted: number;
    oldest: string;
    /** The one that takes them first, or the nearest and why it takes none. Null: no order is for this vendor. */
    order:
      | Pick<Row<"order_list", "id" | "agency" | "status">, "id" | "agency" | "status" | "vendor" | "states"> & {
        wants_state: boolean;
        obstacle: string | null;
      }
      | null;
  }[];
};
/** A lead that no order has got. */
export type WaitingLead = Row<"waiting_lead_list", "id" | "vendor" | "distribution" | "received">;
/** A text that belongs to no conversation. */
export type UnmatchedText = Row<"unmatched_text_list", "id" | "media">;
/** One of our texts that the provider does not have, or could not deliver. */
export type UnsentText = Row<
  "outbox_list",
  "message_id" | "created_at" | "agency" | "from" | "to" | "kind" | "state" | "why" | "states"
>;
/** Why texts are not sent yet, with how many. */
export type UnsentCause = Row<"unsent_cause_list", "cause" | "texts" | "since">;
/** A vendor's name. */
export type VendorName = Row<"vendor_name_list", "id" | "slug" | "name">;
/** A recruit who waits for an answer. */
export type WaitingRecruit = Row<
  "waiting_recruit_list",
  "conversation_id" | "agency_id" | "agency" | "phone" | "since"
>;
/** A vendor with its API keys. */
export type Vendor = Row<"vendor_list", "slug" | "active" | "keys">;
/** A lead that came again. */
export type Duplicate = Row<
  "duplicate_list",
  "id" | "vendor" | "received_at" | "lead_id" | "first_received"
>;
/** The last run of a job of the scheduler. */
export type Job = Row<"job_list", "job">;
/** One of our numbers, which texts are sent from. */
export type ServiceNumber = Pick<
  Row<"number_list", "phone" | "agency" | "status" | "waiting">,
  "phone" | "agency" | "status" | "waiting" | "waiting_since" | "paused_reason"
>;

/** The columns that the deliveries of a list have in common; vendor_id is `import` for imports of sales leads. */
export interface Group {
  vendor_id: string;
  code: string;
  reason: string;
}
