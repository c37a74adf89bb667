/** Runs transcripts against the running stack. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Readable } from "node:stream";
import { runCommandLine } from "../../admin/command_line.ts";
import { shellWords } from "../../admin/shell_words.ts";
import { ROOT } from "../../dev/local/mod.ts";
import {
  fillIn,
  foldJson,
  formatTranscript,
  mask,
  matchOutput,
  type Names,
  parseTranscript,
  rewriteOutput,
  takeValues,
} from "../../dev/testing/transcript.ts";
import { send, sql, stack } from "./client.ts";
import { withEnv } from "./env.ts";

/** The user of the computer, as transcripts show it. */
export const OPERATOR = "olivia";

/**
 * Runs a transcript and asserts that each step prints what it has.
 *
 * @param update whether to write what was printed into the file instead
 */
export async function runTranscript(path: string, update: boolean): Promise<void> {
  const steps = parseTranscript(await Deno.readTextFile(path));
  const folder = await Deno.makeTempDir();
  let names: Names = new Map([
    ["checkout", ROOT.replace(/\/$/, "")],
    ["functions_url", stack.functions_url],
    ["import_key", stack.leads_import_api_key],
    ["publishable_key", stack.publishable_key],
  ]);
  const given = steps.map(({ input }) => input).join("\n");
  await withEnv({ INIT_CWD: folder, USER: OPERATOR }, async () => {
    for (const step of steps) {
      const input = fillIn(step.input, names);
      const printed = foldJson(await run(step.kind, input, folder));
      if (step.takes !== undefined) {
        const taken = hasFailed(step.kind, printed) ? undefined : takeValues(step.takes, printed, names);
        assert(taken, `${path}:${step.line}: ${input}\n\nfailed, or has not what it is to name:\n${printed}`);
        names = taken;
        continue;
      }
      const actual = printed.trimEnd() === "" ? [] : printed.trimEnd().split("\n").map((line) => line.trimEnd());
      if (update) {
        const rewritten = rewriteOutput(step.output, actual, names, given);
        step.output = rewritten.output;
        names = rewritten.names;
        if (actual.length > 0 && step.tail.length === 0) step.tail = [""];
        continue;
      }
      const matched = matchOutput(step.output, actual, names);
      const masked = actual.map((line) => mask(line, names, given).line).join("\n");
      assert(
        matched,
        `${path}:${step.line}: ${input}\n\nprinted:\n${masked}\n\nbut the transcript has:\n${step.output.join("\n")}`,
      );
      names = matched;
    }
  }).finally(() => Deno.remove(folder, { recursive: true }));
  if (update) await Deno.writeTextFile(path, formatTranscript(steps));
}

/** Whether a step failed, as a terminal shows it. */
function hasFailed(kind: string, printed: string): boolean {
  if (kind === "sql>") return printed.startsWith("error: ");
  return kind === "http>" ? !printed.startsWith("2") : /^\[exit \d+\]$/m.test(printed);
}

/** Runs a step, and returns what a terminal would show. */
function run(kind: string, input: string, folder: string): Promise<string> {
  if (kind === "sql>") return query(input);
  if (kind === "http>") return request(input);
  return command(input, folder);
}

/** `npm run admin -- …`, also with a text piped in, and `echo '…' > <file>`, or `printf` for a file of several lines. */
async function command(line: string, folder: string): Promise<string> {
  const [, writer, text, file] = /^(echo|printf) '([^']*)' > (\S+)$/.exec(line) ?? [];
  if (text !== undefined && file !== undefined) {
    await Deno.writeTextFile(join(folder, file), writer === "echo" ? `${text}\n` : text.replaceAll("\\n", "\n"));
    return "";
  }
  const [, piped, words] = /^(?:(?:echo|printf) '([^']*)' \| )?npm run (?:--silent )?admin -- (.*)$/.exec(line) ?? [];
  assert(words !== undefined, `a transcript cannot run: ${line}`);
  const input = (piped ?? "").replaceAll("\\n", "\n");
  let shown = "";
  const { code, err } = await runCommandLine(shellWords(words), {
    print: (text) => void (shown += text),
    say: (text) => void (shown += `${text}\n`),
    readSecret: () => Promise.resolve(input),
    lines: () => Readable.from(input.split("\n").filter((text) => text !== "")),
  });
  // A command that fails prints nothing on stdout, so that no script takes it for a result.
  if (code !== 0 && err !== "") assert.equal(shown, "", `${line} failed, but printed`);
  return (shown + err).trimEnd() + (code === 0 ? "" : `\n[exit ${code}]`);
}

/** A query: its rows with a bar between columns, or its error. */
async function query(text: string): Promise<string> {
  const rows = await sql.unsafe(text).values().catch((error: Error) => error);
  if (rows instanceof Error) return `error: ${rows.message}`;
  if (rows.length === 0) return rows.columns?.length ? "(no rows)" : "";
  return (rows as unknown as unknown[][]).map((row) => row.map(cell).join(" | ")).join("\n");
}

function cell(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * A request such as `POST /recruiting/ingest Bearer <key> {"first_name": "Ada"}`, and its response in one line. Other
 * headers stand as `name:value`. One to `/double` is for the double of Meta's Graph API.
 */
async function request(text: string): Promise<string> {
  const [, method, path, words = "", body] =
    /^([A-Z]+) (\S+)((?: Bearer \S+| [\w-]+:\S+)*)(?: ([{[].*))?$/.exec(text) ?? [];
  assert(method && path, `a transcript cannot send: ${text}`);
  const headers = [...words.matchAll(/(Bearer) (\S+)|([\w-]+):(\S+)/g)]
    .map(([, bearer, token, name, value]) => bearer ? ["authorization", `Bearer ${token}`] : [name!, value!]);
  if (path === "/double") {
    const told = await fetch(Deno.env.get("META_GRAPH_BASE_URL")! + path, { method, body });
    return `${told.status} ${await told.text()}`;
  }
  const response = await send(path, {
    method,
    headers: Object.fromEntries(headers),
    ...(body !== undefined && { body: JSON.parse(body) }),
  });
  return `${response.status} ${JSON.stringify(response.body)}`;
}
