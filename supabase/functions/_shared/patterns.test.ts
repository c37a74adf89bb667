/** Regular expressions read input of strangers and vendors, so each must take at most linear time. */
import assert from "node:assert/strict";

const FUNCTIONS = new URL("../", import.meta.url);

/** The exceptions by file, and what bounds their input. */
const BOUNDED: Record<string, string> = {
  "_shared/json.ts /0+$/": "numbers of at most 100 characters",
  "worker/bot/yes_no.ts /([a-z])\\1+$/": "runs of two letters, because longer ones are shortened before",
  "_shared/public_url.ts /^[\\s\"']+|[\\s\"'/]+$/g": "the configuration",
};

/** Repetitions of an attack: first a few, to find expressions that never end; then two sizes to compare. */
const FEW = [16, 20, 24, 26, 28];
/** A limit in milliseconds for a few repetitions, even when the expression is compiled on a busy machine. */
const STUCK = 150;
const SIZES = [500, 4_000] as const;

/** For 8 times the input, a linear expression takes 8 times as long, a quadratic one 64 times. */
const MOST = 28;
/** Fewer milliseconds than this cannot be compared. */
const QUICK = 3;

function* sources(folder = ""): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, FUNCTIONS))) {
    if (isDirectory && name !== "fixtures") yield* sources(`${folder}${name}/`);
    else if (/(?<!\.test|\.types)\.ts$/.test(name)) yield folder + name;
  }
}

/** The regular expressions of a file: its literals, and those that it constructs for itself and for other files. */
async function patternsIn(path: string): Promise<RegExp[]> {
  const found: RegExp[] = [];
  let made = 0;
  const create = () => ({
    Literal(node: Deno.lint.Literal) {
      if ("regex" in node && node.regex !== undefined) found.push(new RegExp(node.regex.pattern, node.regex.flags));
    },
    NewExpression(node: Deno.lint.NewExpression) {
      if (node.callee.type === "Identifier" && node.callee.name === "RegExp") made++;
    },
  });
  Deno.lint.runPlugin({ name: "patterns", rules: { all: { create } } }, path, textOf(path));
  if (made === 0) return found;

  const importing = Array.from(sources()).filter((other) => textOf(other).includes(`/${path.split("/").at(-1)}"`));
  const dynamic: RegExp[] = [];
  for (const file of [path, ...importing]) dynamic.push(...await madeByLoading(file));
  assert(dynamic.length >= made, `${path} makes regular expressions later than when it is loaded`);
  return [...found, ...dynamic];
}

function textOf(path: string): string {
  return Deno.readTextFileSync(new URL(path, FUNCTIONS));
}

/** The regular expressions that `new RegExp` constructs while a file is loaded. */
async function madeByLoading(path: string): Promise<RegExp[]> {
  const { href } = new URL(path, FUNCTIONS);
  // Loaded first, so that the imports of the file construct no more expressions.
  await import(href);
  const original = globalThis.RegExp;
  const made: RegExp[] = [];
  globalThis.RegExp = new Proxy(original, {
    construct(target, args) {
      const pattern = Reflect.construct(target, args);
      made.push(pattern);
      return pattern;
    },
  });
  try {
    await import(`${href}?${crypto.randomUUID()}`);
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}

const ATOM = /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\x..|\\u....|\\[^bB]|\.|[^\\()[\]{}|^$*+?]/gsu;

/** The parts of an expression that match a character, in order, and whether each may repeat without limit. */
function atomsOf(source: string): { atom: string; isRepeated: boolean }[] {
  // The digits of a quantifier are not characters to match.
  const countless = source.replace(/(?<!\\[pP])\{\d+(,\d+)?\}/g, "");
  return Array.from(countless.matchAll(ATOM), ({ 0: atom, index }) => ({
    atom,
    isRepeated: /^\)*(?:[*+]|\{\d+,\})/.test(countless.slice(index + atom.length)),
  }));
}

const CHARACTERS = [
  ..."a 0A\t\n!\"#%&'()*+,-./19:;<=>?@KZ[\\]_`bcdefgijklmnopqrstuvwxyz{|}~\u00e9\u2013\u201c\u6f22\u3042\ud55c\u0301",
];

/** A few characters that an atom matches; others behave the same. */
function examplesOf(atom: string, flags: string): string[] {
  // A backreference.
  if (/^\\\d$/.test(atom)) return ["a"];
  try {
    const pattern = new RegExp(`^(?:${atom})$`, flags.replace(/[gy]/g, ""));
    const matched = CHARACTERS.filter((character) => pattern.test(character));
    return [...new Set([...matched.slice(0, 2), ...matched.slice(-1)])];
  } catch {
    return [];
  }
}

/** Texts that an expression begins to match, matches for long, and finally fails on. */
function* attacksOn({ source, flags }: RegExp): Generator<(n: number) => string> {
  const atoms = atomsOf(source).map(({ atom, isRepeated }) => ({ examples: examplesOf(atom, flags), isRepeated }))
    .filter(({ examples }) => examples.length > 0);
  const repeated = atoms.flatMap(({ isRepeated }, at) => isRepeated ? [at] : []);
  const first = atoms.map(({ examples: [example] }) => example!).join("");
  const prefixes = new Set(["", "\u0000", ...repeated.flatMap((at) => [first.slice(0, at), first.slice(0, at + 1)])]);
  const pumps = new Set(
    repeated.flatMap((at) => [
      ...atoms[at]!.examples,
      ...[2, 3, 4, 5].flatMap((
        length,
      ) => [first.slice(at, at + length), first.slice(Math.max(at + 1 - length, 0), at + 1)]),
    ]),
  );
  for (const pump of pumps) {
    for (const prefix of prefixes) yield (n) => `${prefix}${pump.repeat(n)}\u0000`;
    // A text that ends well elsewhere fails only here.
    yield (n) => `${pump.repeat(n)}${first.at(-1)}\u0000`;
  }
}

/** The time in milliseconds that an expression takes for a text, wherever a match may begin. It has the flag g. */
function timeOf(everywhere: RegExp, text: string): number {
  const started = performance.now();
  text.replace(everywhere, "");
  return performance.now() - started;
}

/** The minimum of several measurements: a busy machine only increases them. */
function least(rounds: number, measure: () => number): number {
  return Math.min(...Array.from({ length: rounds }, measure));
}

/** Returns the growth that shows that an expression is not linear; undefined if it is linear. */
function superlinear(pattern: RegExp): string | undefined {
  const everywhere = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "") + "g");
  const time = (text: string) => timeOf(everywhere, text);
  for (const attack of attacksOn(pattern)) {
    const few = FEW.map(attack).find((text) => time(text) > STUCK && time(text) > STUCK);
    if (few !== undefined) return `${JSON.stringify(few)} takes too long`;
    const [short, long] = SIZES.map(attack) as [string, string];
    if (time(long) < QUICK) continue;
    const many = least(5, () => time(long));
    const growth = many / least(5, () => time(short));
    if (many >= QUICK && growth > MOST) return `${JSON.stringify(attack(4))} and longer: ${growth.toFixed(0)} times`;
  }
}

Deno.test("every regular expression takes linear time, or has bounded input", async () => {
  const slow: Record<string, string> = {};
  // Several files load what one of them makes.
  const linear = new Set<string>();
  let count = 0;
  for (const path of [...sources(), "../../admin/formats/csv.ts"]) {
    for (const pattern of await patternsIn(path)) {
      count++;
      const name = `${path} ${pattern}`;
      if (name in BOUNDED || linear.has(String(pattern))) continue;
      const why = superlinear(pattern);
      if (why === undefined) linear.add(String(pattern));
      else slow[name] = why;
    }
  }
  assert(count > 100, `${count} found`);
  assert.deepEqual(slow, {});
});

Deno.test("quadratic and exponential expressions are found", () => {
  const wrong = [/^content-type:\s*(.*?)\s*$/is, /^(?:a+)+$/, /(<[^>]*>\s*)*x/, /^[\w.]+\w+@/];
  for (const pattern of wrong) assert(superlinear(pattern), String(pattern));
});
