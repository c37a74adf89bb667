/**
 * The result of a function that can fail and whose caller goes on either way: either `data` or `error` is set and the
 * other one is null, as in supabase-js. A failure that ends the request is thrown instead, as an ApiError.
 *
 * @example
 * const { data: lead, error } = readImportedLead(item);
 * if (error !== null) return report(index, error);
 * store(lead);
 */
export type Result<Data, Failure = string> =
  | { data: Data; error: null }
  | { data: null; error: Failure };

/** The result of a function that has succeeded. */
export function success<Data>(data: Data): { data: Data; error: null } {
  return { data, error: null };
}

/** The result of a function that has failed. */
export function failure<Failure>(error: Failure): { data: null; error: Failure } {
  return { data: null, error };
}
