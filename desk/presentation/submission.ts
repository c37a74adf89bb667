import { repeat, supabase } from "../data/client.ts";

/** The facts that the agent learned about the person. A field that is left out, null or blank is stored as null. */
export type Demographics = {
  /** YYYY-MM-DD, not in the future */
  date_of_birth?: string | null;
  marital_status?: string | null;
  spouse_name?: string | null;
  /** 0 to 100 */
  children?: number | null;
  occupation?: string | null;
  employer?: string | null;
  /** US dollars */
  annual_income?: number | null;
  tobacco_user?: boolean | null;
  beneficiary_name?: string | null;
  notes?: string | null;
};

export type Sale = {
  product: string;
  carrier?: string | null;
  policy_number?: string | null;
  /** US dollars */
  face_amount?: number | null;
  /** US dollars a year, whatever the payment frequency */
  annual_premium: number;
  payment_frequency?: "monthly" | "quarterly" | "semiannual" | "annual" | null;
  /** YYYY-MM-DD */
  effective_date?: string | null;
};

/** A person whom the lead named. */
export type Referral = {
  first_name: string;
  phone: string;
  last_name?: string | null;
  email?: string | null;
  relationship?: string | null;
  notes?: string | null;
};

/** The arguments of submit_lead_presentation. */
export type Submission = {
  lead_id: string;
  /** The answers, which replace all earlier ones; null or {} leaves those unchanged. */
  demographics: Demographics | null;
  /** Left out or null: nothing was sold. */
  sale?: Sale | null;
  referrals?: Referral[];
  /** A `crypto.randomUUID()` made once for each presentation; a repeat has the same. */
  client_submission_id: string;
};

/** Its result. */
export type Submitted = {
  presentation_id: string;
  sale_id: string | null;
  referral_ids: string[];
  /** True when this client_submission_id was stored before; the ids are those of the first time. */
  duplicate: boolean;
};

/**
 * Stores a presentation, all of it or nothing. Sends it again when the network or the service fails. That is safe: the
 * client_submission_id makes sure that it is stored once, even when it was the response that was lost.
 *
 * @throws CallError when the submission is refused, or fails for the fourth time
 */
export async function submitPresentation(submission: Submission): Promise<Submitted> {
  return await repeat(() => supabase.rpc("submit_lead_presentation", submission)) as Submitted;
}
