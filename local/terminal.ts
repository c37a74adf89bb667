const encoder = new TextEncoder();

/** Prints a line, and carries on when nobody reads it any more (`npm start | head`, a closed terminal). */
export function say(text: string): void {
  const bytes = encoder.encode(`${text}\n`);
  try {
    for (let written = 0; written < bytes.length;) {
      written += Deno.stdout.writeSync(bytes.subarray(written));
    }
  } catch {
    // A launcher that cannot print must still be able to stop its parts.
  }
}

/**
 * Shows what a part logs: every line with the part's name, or else only what the functions and the gateway log, each
 * request as one readable line.
 */
export function showLog(part: string, lines: string[], isVerbose: boolean): void {
  if (isVerbose) say(lines.map((line) => `${part.padEnd(9)} | ${line}`).join("\n"));
  else if (part === "gateway") say(lines.map(readableLine).join("\n"));
}

/**
 * A line of the functions' JSON log for a person: the time of day, what happened, and what may need a look.
 *
 * @param line as the functions log it; a line of another shape comes back as it is
 */
export function readableLine(line: string): string {
  const fields = parseObject(line);
  if (!fields) return line;
  const { level, time, method, route, status, duration_ms, request_id, vendor_id, ...others } =
    fields;
  const clock = (typeof time === "string" ? new Date(time) : new Date())
    .toTimeString().slice(0, 8);
  const isRequest = method !== undefined && status !== undefined;
  const isBad = level === "error" || Number(status) >= 400;
  return [
    clock,
    ...(isRequest ? [method, route, status, `${Math.round(Number(duration_ms))} ms`] : [level]),
    ...Object.entries(others).filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => `${name}=${value}`),
    ...(isBad && vendor_id ? [`vendor_id=${vendor_id}`] : []),
    ...(isBad && request_id ? [`request_id=${request_id}`] : []),
  ].join(" ");
}

function parseObject(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
