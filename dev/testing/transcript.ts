/** Transcripts: commands and what they print, as e2e/admin has them. */

/** The kind of a step: a command line, a query, or a request. */
export type Kind = "$" | "sql>" | "http>";

/** A step of a transcript, and what it must print. */
export interface TranscriptStep {
  kind: Kind;
  input: string;
  /** For a step whose output is not shown: the names of the values in it. Such a step must succeed. */
  takes?: string[];
  /** The line on which it begins, from 1 on. */
  line: number;
  /** The lines before its output: remarks, blank lines, and the step itself. */
  head: string[];
  output: string[];
  /** The blank lines after its output. */
  tail: string[];
}

/** Values by the names that stand for them in a transcript. */
export type Names = ReadonlyMap<string, string>;

const STEP = /^(\$|sql>|http>) (.*)$/;
const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const TIME = "(?:\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:Z| UTC)?|" +
  // As private.in_utc() writes it.
  "[A-Z][a-z]{2} \\d{1,2}, \\d{4}, \\d{1,2}:\\d\\d [AP]M UTC)";

/** The masks that stand for another value each time. Any other name stands for one value in the whole transcript. */
const MASKS: Record<string, string> = {
  id: `${UUID}|[0-9a-f]{8}`,
  time: TIME,
  day: "\\d{4}-\\d\\d-\\d\\d",
  n: "\\d+",
  sid: "(?:SM|MM)[0-9a-f]{32}",
  any: ".*?",
};

/** The forms of the values of some names; with a number, as in `key_2`, for another one. */
const SHAPES: Record<string, string> = { key: "lik_[\\w-]{43}", key_prefix: "lik_[\\w-]{8}", secret: "[\\w+/-]{43}" };

function shapeOf(name: string): string | undefined {
  return SHAPES[name.replace(/_\d+$/, "")];
}

/** The form of any other value that has no name yet. */
const VALUE = "[^\\s\"'`,;()]*[^\\s\"'`,;().:…]";

/** The end of a step whose output is not shown: `> /dev/null`, or the names of values in it, as in `> <key>`. */
const HIDDEN = / > (\/dev\/null|<\w+>(?: <\w+>)*)$/;

/** Splits a transcript into its steps. A remark is a line that begins with "# ". */
export function parseTranscript(text: string): TranscriptStep[] {
  const steps: TranscriptStep[] = [];
  let head: string[] = [];
  let step: TranscriptStep | undefined;
  const lines = text.trimEnd().split("\n");
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const [, kind, first] = STEP.exec(line) ?? [];
    if (kind !== undefined) {
      const at = i + 1;
      const words = [first!];
      head.push(line);
      while (words.at(-1)!.endsWith(" \\")) {
        head.push(lines[++i] ?? "");
        words.push(words.pop()!.slice(0, -1), (lines[i] ?? "").trim());
      }
      const input = words.join("");
      const taken = HIDDEN.exec(input)?.[1];
      const takes = taken?.matchAll(/<(\w+)>/g).map(([, name]) => name!).toArray();
      step = { kind: kind as Kind, input: input.replace(HIDDEN, ""), line: at, head, output: [], tail: [] };
      if (takes !== undefined) step.takes = takes;
      steps.push(step);
      head = [];
    } else if (step === undefined || line.startsWith("# ")) {
      head.push(line);
      step = undefined;
    } else {
      step.output.push(line);
    }
  }
  for (const each of steps) {
    while (each.output.at(-1) === "") each.tail.push(each.output.pop()!);
  }
  return steps;
}

/** The text of a transcript again. */
export function formatTranscript(steps: TranscriptStep[]): string {
  const lines = steps.flatMap(({ head, output, tail }) => [...head, ...output, ...tail]);
  return `${lines.join("\n").trimEnd()}\n`;
}

/** Puts the values of names into the input of a step. A name without a value stays. */
export function fillIn(input: string, names: Names): string {
  return input.replace(/<(\w+)>/g, (written, name) => names.get(name) ?? written);
}

/** Shows the JSON in a text with each object or list on one line that has only values in it. */
export function foldJson(text: string): string {
  return text.replace(/^(?:\{\n.*?^\}|\[\n.*?^\])$/gms, (json) => fold(JSON.parse(json), "\n"));
}

function fold(value: unknown, line: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? "[]" : "{}";
  const isFlat = Object.values(value).every((item) => typeof item !== "object" || Object.keys(item ?? {}).length === 0);
  const items = Object.entries(value)
    .map(([key, item]) => (isList ? "" : `${JSON.stringify(key)}: `) + fold(item, `${line}  `));
  return isFlat ? open + items.join(", ") + close : `${open}${line}  ${items.join(`,${line}  `)}${line}${close}`;
}

/**
 * Takes values from what a step printed: for each name the first value of its form, an id unless the name has another,
 * that no name before it has taken.
 *
 * @returns the names with their values; undefined where one has none
 */
export function takeValues(takes: string[], printed: string, names: Names): Names | undefined {
  const taken = new Map<string, string>();
  for (const name of takes) {
    const values = printed.matchAll(new RegExp(shapeOf(name) ?? UUID, "g"));
    const value = values.map(([found]) => found).find((found) => !taken.values().some((each) => each === found));
    if (value === undefined) return undefined;
    taken.set(name, value);
  }
  return new Map([...names, ...taken]);
}

/**
 * Compares what a step printed with what the transcript has. A line `...` stands for any lines, and several spaces for
 * one.
 *
 * @returns the names with what this output adds; undefined where it differs
 */
export function matchOutput(expected: string[], actual: string[], names: Names): Names | undefined {
  if (expected.length === 0) return actual.length === 0 ? names : undefined;
  const [line, ...rest] = expected;
  if (line === "...") {
    for (let skipped = 0; skipped <= actual.length; skipped++) {
      const matched = matchOutput(rest, actual.slice(skipped), names);
      if (matched) return matched;
    }
    return undefined;
  }
  const matched = actual.length > 0 ? matchLine(line!, actual[0]!, names) : undefined;
  return matched && matchOutput(rest, actual.slice(1), matched);
}

function matchLine(expected: string, actual: string, names: Names): Names | undefined {
  const fresh = new Set<string>();
  const pattern = expected.trimEnd().split(/(<\w+>| +)/).map((part) => {
    if (/^ +$/.test(part)) return " +";
    const name = /^<(\w+)>$/.exec(part)?.[1];
    if (name === undefined) return RegExp.escape(part);
    const itself = RegExp.escape(part);
    if (MASKS[name] !== undefined) return `(?:${MASKS[name]}|${itself})`;
    if (names.has(name)) return `(?:${valuePattern(names.get(name)!)}|${itself})`;
    if (fresh.has(name)) return `\\k<${name}>`;
    fresh.add(name);
    return `(?<${name}>${shapeOf(name) ?? VALUE})`;
  }).join("");
  const found = new RegExp(`^${pattern}$`).exec(actual.trimEnd());
  if (found === null) return undefined;
  // Words such as "<slug>" in a usage stand for themselves.
  const added = Object.entries(found.groups ?? {}).filter(([name, value]) => value !== `<${name}>`);
  return new Map([...names, ...added]);
}

/** The texts that stand for a value: itself, and for an id its first 8 characters, which tables show. */
function valuePattern(value: string): string {
  if (new RegExp(`^${UUID}$`).test(value)) return `${value.slice(0, 8)}(?:${value.slice(8)})?`;
  if (/^[0-9a-f]{8}$/.test(value)) return `${value}(?:${UUID.slice("[0-9a-f]{8}".length)})?`;
  return RegExp.escape(value);
}

/**
 * What a transcript gets to have for an output: the lines that it has already where they still match, and masks in
 * the others.
 */
export function rewriteOutput(
  expected: string[],
  actual: string[],
  names: Names,
  given = "",
): { output: string[]; names: Names } {
  const whole = matchOutput(expected, actual, names);
  if (whole) return { output: expected, names: whole };
  let known = names;
  let next = 0;
  const output = actual.map((line) => {
    for (let i = next; i < expected.length; i++) {
      const matched = matchLine(expected[i]!, line, known);
      if (matched && expected[i] !== "...") {
        known = matched;
        next = i + 1;
        return expected[i]!;
      }
    }
    const masked = mask(line, known, given);
    known = masked.names;
    return masked.line;
  });
  return { output, names: known };
}

/**
 * Puts masks in place of what is another each time. What has a name is shown by it, and a key or a secret gets one.
 *
 * @param given the inputs of the transcript: what stands there is the same each time
 */
export function mask(line: string, names: Names = new Map(), given = ""): { line: string; names: Names } {
  const known = new Map(names);
  const named = [...names].filter(([, value]) => value.length >= 4)
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([name, value]): [string, RegExp] => {
      // A long value is itself anywhere, also as a part of a word.
      const edge = value.length > 20 ? "" : "(?<!\\w)";
      return [name, new RegExp(`${edge}${valuePattern(value)}(?!\\w)`, "g")];
    });
  const unnamed: [string, RegExp][] = [
    ...Object.entries(SHAPES).map(([name, shape]): [string, RegExp] => [
      name,
      new RegExp(`(?<![\\w+/-]|<)${shape}(?![\\w+/-])|(?<=whsec_)${shape}`, "g"),
    ]),
    ["sid", new RegExp(`\\b${MASKS.sid}\\b`, "g")],
    ["id", new RegExp(`\\b${UUID}\\b`, "g")],
    ["id", /(?<![\w+-])[0-9a-f]{8}(?![\w-])/g],
    ["time", new RegExp(TIME, "g")],
    ["day", new RegExp(`(?<![\\w-])${MASKS.day}(?![\\w-])`, "g")],
  ];
  const isSame = (kind: string, value: string) =>
    given.includes(value) || (["time", "day"].includes(kind) && !isNow(value)) || /^\d{8}$/.test(value);
  let masked = line.trimEnd();
  for (const [name, pattern] of named) {
    masked = masked.replace(pattern, (value, offset, all) => padded(`<${name}>`, value, all.slice(offset)));
  }
  for (const [kind, pattern] of unnamed) {
    masked = masked.replace(pattern, (value, offset, all) => {
      if (isSame(kind, value)) return value;
      const name = SHAPES[kind] === undefined ? kind : nameOf(value, kind, known);
      return padded(`<${name}>`, value, all.slice(offset));
    });
  }
  return { line: masked, names: known };
}

/** A mask as wide as the value, where that is a cell of a table: columns stay below each other. */
function padded(shown: string, value: string, rest: string): string {
  return rest.slice(value.length).startsWith("  ") ? shown.padEnd(value.length) : shown;
}

/** The name of a value: the one that it has, or a new one of its kind, such as `key_2`. */
function nameOf(value: string, kind: string, known: Map<string, string>, n = 1): string {
  const name = n === 1 ? kind : `${kind}_${n}`;
  if (known.has(name) && known.get(name) !== value) return nameOf(value, kind, known, n + 1);
  known.set(name, value);
  return name;
}

/** Whether a time is about now, so that it is another at the next run. */
function isNow(time: string): boolean {
  const iso = time.replace(" UTC", "").replace(" ", "T").replace(/(T.*[^Z])$/, "$1Z");
  const at = Date.parse(/^\d/.test(time) ? iso : time);
  return Math.abs(at - Date.now()) < 3 * 86_400_000;
}
