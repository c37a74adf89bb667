const encoder = new TextEncoder();

/** Prints a line. It is no error when nothing reads the output any more (`npm start | head`, a closed terminal). */
export function say(text: string): void {
  const bytes = encoder.encode(`${text}\n`);
  try {
    for (let written = 0; written < bytes.length;) {
      written += Deno.stdout.writeSync(bytes.subarray(written));
    }
  } catch {
    // The launcher must still be able to stop its parts.
  }
}

/**
 * Shows what a part logs. When verbose, that is each line with the name of the part; otherwise only the lines of the
 * gateway and the functions, with each request as one readable line.
 */
export function showLog(part: string, lines: string[], isVerbose: boolean): void {
  if (isVerbose) say(lines.map((line) => `${part.padEnd(9)} | ${line}`).join("\n"));
  else if (part === "gateway") say(lines.map(readableLine).join("\n"));
}

/**
 * Makes a JSON line of the log readable: the time of day and what happened, with ids only when something went wrong.
 *
 * @returns a line that is no JSON object unchanged
 */
export function readableLine(line: string): string {
  const fields = parseObject(line);
  if (!fields) return line;
  const { level, time, method, route, status, duration_ms, request_id, vendor_id, ...others } = fields;
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
