import { generic } from "../../supabase/functions/recruiting/parsers/generic.ts";

const NAMES = ["Ada", "Grace", "Katherine", "Dorothy", "Mary", "Annie", "Hedy", "Radia"];
const STATES = ["IL", "TX", "CA", "NY", "FL", "OH", "WA", "GA"];
const TYPES = ["fwk", "csk", "br", "union", "ncr", "pos", "dcard", "fe", "globe"];

/** The phone number of each recruit, for which the load generator puts another one in each request. */
export const PHONE = "+13125550142";

/** A vendor's payload of a recruit; the parser `generic` reads it. */
export function recruit(id: string) {
  return {
    vendor_lead_id: id,
    first_name: "Ada",
    last_name: "Nguyen",
    email: `ada.${id}@example.com`,
    phone: PHONE,
    city: "Chicago",
    state: "IL",
    zip: "60614",
  };
}

/** The same recruit as the function hands it to the database. */
export function parsedRecruit(id: string) {
  const { first_name, vendor_lead_id, vendor_metadata } = generic(recruit(id), {}).data!;
  return { id, first_name: first_name!, vendor_lead_id: vendor_lead_id!, vendor_metadata, resume_path: null };
}

/** Sales leads as a lead vendor sends them, each a new one. */
export function salesLeads(count: number) {
  return Array.from({ length: count }, (_, i) => {
    const digits = String(i).padStart(4, "0");
    return {
      external_id: crypto.randomUUID(),
      first_name: NAMES[i % NAMES.length]!,
      last_name: `Nguyen ${i}`,
      phone: i % 2 === 0 ? `(312) 555-${digits}` : `312555${digits}`,
      email: `lead.${i}@example.com`,
      address: `${i} West Division Street`,
      city: "Springfield",
      state: STATES[i % STATES.length]!,
      zip: `6${digits}`,
      language: "en",
      type: TYPES[i % TYPES.length]!,
    };
  });
}
