const encoder = new TextEncoder();
let lines: string[] = [];

/**
 * Has console.log() write texts once a turn of the event loop. Leads that were stored together end together, and a
 * write for each line would wake the launcher, which reads them. What is logged is not lost when the process ends.
 */
export function logOnceATurn(): void {
  const logAtOnce = console.log;
  console.log = (...values: unknown[]) => {
    if (values.length !== 1 || typeof values[0] !== "string") {
      writeLines();
      return logAtOnce(...values);
    }
    if (lines.length === 0) setImmediate(writeLines);
    lines.push(values[0]);
  };
  for (const end of ["unload", "error"]) globalThis.addEventListener(end, writeLines);
}

function writeLines(): void {
  if (lines.length === 0) return;
  let bytes = encoder.encode(lines.join("\n") + "\n");
  lines = [];
  while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
}
