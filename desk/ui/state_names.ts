import { STATES } from "../../supabase/functions/_shared/states.ts";

/** The names of the states by their codes. One has two names. */
export const STATE_NAMES: ReadonlyMap<string, string> = new Map(STATES.map(({ code, name }) => [code, name]));
