import { useMutation } from "@tanstack/react-query";
import type { Replayed, ReplayResult } from "../../supabase/functions/_shared/replay_result.ts";
import { call, CallError, repeat, type Result, supabase } from "./client.ts";
import { post } from "./desk_function.ts";
import { asOperator, countWaiting, readAgain } from "./operator.ts";
import type { Alert, UnmatchedText } from "./operator_rows.ts";

export type { Replayed };

/** The number of deliveries that one request replays or dismisses. */
export const BATCH = 100;

// What was refused is read again too: others have changed it, and the user tries again with what there is. An act that
// has failed may have run. No button waits for the reading.

/** Says that the user has these alerts in hand. */
export function useAcknowledge() {
  return useMutation({
    mutationFn: (alerts: Pick<Alert, "id">[]) =>
      Promise.all(alerts.map(({ id }) => asOperator(call(supabase.rpc("acknowledge_alert", { alert_id: id }))))),
    onSettled: () => readAgain(),
  });
}

/** Distributes waiting leads, the oldest first. Called again it distributes further ones. */
export function useDistribute() {
  return useMutation({
    mutationFn: async ({ max, vendor_id }: { max: number; vendor_id: string | null }) => {
      const given = vendor_id === null ? { max } : { max, vendor_id };
      const distributed = await asOperator(call(supabase.rpc("distribute_leads", given)));
      // The leads are distributed, so the user sees where they went, also without the count.
      return { distributed, waiting: await countWaiting(vendor_id).catch(() => null) };
    },
    onSettled: () => void readAgain(),
  });
}

/**
 * Makes the conversation of an unmatched text, with the lead that the user has seen. Gives the number of its texts; 0:
 * somebody else has made it meanwhile.
 */
export function useAdoptTexts() {
  return useMutation({
    mutationFn: async ({ from, to, lead_id }: UnmatchedText): Promise<number> => {
      const given = { recruit_phone: from!, service_phone: to!, lead_id: lead_id! };
      try {
        const adopted = await asOperator(call(supabase.rpc("adopt_texts", given))) as { texts: number }[];
        return adopted.reduce((sum, { texts }) => sum + texts, 0);
      } catch (error) {
        if (error instanceof CallError && error.code === "PT404") return 0;
        throw error;
      }
    },
    onSettled: () => void readAgain(),
  });
}

/** Sends again what waits for a paused number. */
export function useResumeNumber() {
  return useMutation({
    mutationFn: (phone: string) => asOperator(call(supabase.rpc("resume_number", { phone }))),
    onSettled: () => void readAgain(),
  });
}

/** Takes away what a state (null: all) has besides the hours of the law, and gives how many hours and closures that were. */
export async function applyLawHours(state: string | null): Promise<number> {
  try {
    return await asOperator(call(supabase.rpc("use_law_hours", state === null ? {} : { state })));
  } finally {
    void readAgain();
  }
}

/** Makes a further API key of a vendor, and returns it. Nobody can read it again. */
export async function createKey(vendor_slug: string): Promise<string> {
  const key = await asOperator(call(supabase.rpc("create_vendor_api_key", { vendor_slug, label: "desk" })));
  void readAgain();
  return key;
}

/** How many texts one request cancels. */
const TEXTS = 500;

/** Cancels those texts that still wait, and gives their number. */
export async function cancelTexts(message_ids: string[]): Promise<number> {
  let cancelled = 0;
  try {
    for (let start = 0; start < message_ids.length; start += TEXTS) {
      const batch = message_ids.slice(start, start + TEXTS);
      cancelled += await asOperator(call(supabase.rpc("cancel_texts", { message_ids: batch })));
    }
  } finally {
    void readAgain();
  }
  return cancelled;
}

/**
 * Takes deliveries off the list of open ones for good. Called again, it goes on with those that are left.
 *
 * @returns the number of those that this call has dismissed; the others were replayed or dismissed before
 */
export async function dismiss(delivery_ids: string[]): Promise<number> {
  let dismissed = 0;
  try {
    for (let start = 0; start < delivery_ids.length; start += BATCH) {
      const batch = delivery_ids.slice(start, start + BATCH);
      const rows = await asOperator(repeat(() => supabase.rpc("dismiss_deliveries", { delivery_ids: batch })));
      dismissed += rows.filter(({ was_open }) => was_open).length;
    }
  } finally {
    void readAgain();
  }
  return dismissed;
}

/** Reads a payload; null: nothing of it is kept. The database shows it only after it was stored who reads it. */
export function useReadPayload() {
  return useMutation({
    mutationFn: async (delivery_id: string): Promise<string | null> => {
      const subject = { delivery_id };
      const action_id = await asOperator(
        call(supabase.rpc("begin_operator_action", { action: "delivery show", subject })),
      );
      return await asOperator(call(supabase.rpc("read_payload", { action_id })));
    },
  });
}

/** Says what a replay would make of a delivery. Changes nothing. */
export function useDryRun() {
  return useMutation({
    mutationFn: async (delivery_id: string) => {
      const { results: [result] } = await asOperator(call(requestReplay([delivery_id], true)));
      return result as Replayed;
    },
  });
}

/**
 * Stores the leads of at most {@link BATCH} deliveries, unless it is a dry run. Each is stored once, however often it is
 * asked for.
 *
 * @param mapping the text of a mapping that reads them in a dry run in place of the saved one
 * @returns the outcome of the first one, and of those for which there was time
 */
export async function replay(delivery_ids: string[], isDryRun = false, mapping?: string): Promise<Replayed[]> {
  const { results } = await asOperator(repeat(() => requestReplay(delivery_ids, isDryRun, mapping)));
  return results.filter((result) => result.status !== "not_tried");
}

function requestReplay(delivery_ids: string[], dry_run: boolean, mapping?: string): Promise<Result<ReplayResult>> {
  return post("deliveries/replay", { delivery_ids, dry_run, parser_config: mapping });
}
