/**
 * The fields of a JSON log line: ids, counts, codes and durations. Never a key, a name, a phone number, an address or a
 * message body.
 */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/** The trace ids of the requests in progress, by request id. Each log line of such a request gets its `trace_id`. */
export const traceIds = new Map<LogFields[string], LogFields[string]>();

/** Writes a line of level `info`. */
export function logInfo(fields: LogFields): void {
  console.log(line("info", fields));
}

/** Writes a line of level `warning`: nothing failed, but an operator should look at it. */
export function logWarning(fields: LogFields): void {
  console.warn(line("warning", fields));
}

/** Writes a line of level `error`. */
export function logError(fields: LogFields): void {
  console.error(line("error", fields));
}

function line(level: string, fields: LogFields): string {
  const trace_id = traceIds.get(fields.request_id);
  return JSON.stringify({ level, time: new Date().toISOString(), ...fields, trace_id });
}

/**
 * Returns the loggable parts of an exception: its class, its SQLSTATE or system code, and where it was thrown. Messages
 * are left out, because those of the database and of parsers quote values.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const at = error.stack?.split("\n").find((line) => line.startsWith("    at "))?.trim();
  return { error: error.name, error_code: code, error_at: at };
}
