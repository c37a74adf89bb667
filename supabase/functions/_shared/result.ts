/**
 * The result of a function that can fail without ending its caller: either `data` or `error` is set and the other is
 * null, as in supabase-js. A failure that ends the request is thrown as an ApiError instead.
 *
 * @example
 * const { data: lead, error } = readImportedLead(item);
 * if (error !== null) return report(index, error);
 * store(lead);
 */
export type Result<Data, Failure = string> =
  | { data: Data; error: null }
  | { data: null; error: Failure };

export function success<Data>(data: Data): { data: Data; error: null } {
  return { data, error: null };
}

export function failure<Failure>(error: Failure): { data: null; error: Failure } {
  return { data: null, error };
}
