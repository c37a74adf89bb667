import { parseArgs } from "node:util";

/** What `npm run vendor` is asked to do. */
export type Command =
  | { name: "list" }
  | { name: "create"; slug: string; settings: Settings }
  | { name: "update"; slug: string; settings: Settings }
  | { name: "key create"; slug: string; label?: string; expiresAt?: Date }
  | { name: "key list"; slug: string }
  | { name: "key revoke"; slug: string; key: string }
  | { name: "parse"; slug: string; file: string; settings: Settings };

/** What may be set of a vendor; what is left out stays as it is. */
export interface Settings {
  /** The vendor's name for people. */
  title?: string;
  parser?: string;
  /** Path of a JSON file with the parser's configuration. */
  configFile?: string;
  isActive?: boolean;
}

export interface Invocation {
  command: Command;
  /** Connection string of the database, where it is not the local stack's. */
  dbUrl?: string;
  /** Print JSON for a script instead of text for a person. */
  json: boolean;
}

/** A command line that cannot be understood; the message says why. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const USAGE = `usage: npm run vendor -- <command> [options]

  list                                        every vendor, its parser and its keys
  create <slug> --parser <name>               a new vendor
         [--name <text>] [--config <file.json>]
  update <slug> [--parser <name>]             changes what is given, and nothing else
         [--name <text>] [--config <file.json>] [--active true|false]
  key create <slug>                           a new API key, shown once
         [--label <text>] [--expires <date>]
  key list <slug>                             the vendor's keys, by their first characters
  key revoke <slug> <first characters>        stops a key at once
  parse <slug> <payload.json>                 what the vendor's parser makes of a payload; stores nothing
         [--parser <name>] [--config <file.json>]

  --db-url <url>   the database of a hosted project, else SUPABASE_DB_URL, else the local stack
                   (of another data folder: DATA_DIR=<folder> npm run vendor -- …)
  --json           print JSON for scripts (with npm run --silent)
  --help           show this

--config is for the parser "mapping"; docs/parsers.md describes it.`;

const OPTIONS = {
  name: { type: "string" },
  parser: { type: "string" },
  config: { type: "string" },
  active: { type: "string" },
  label: { type: "string" },
  expires: { type: "string" },
  "db-url": { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

/** The commands: how many words each takes after its own, and which options besides those of all. */
const COMMANDS: Record<Command["name"], { takes: string[]; options: (keyof Values)[] }> = {
  "list": { takes: [], options: [] },
  "create": { takes: ["slug"], options: ["parser", "name", "config"] },
  "update": { takes: ["slug"], options: ["parser", "name", "config", "active"] },
  "key create": { takes: ["slug"], options: ["label", "expires"] },
  "key list": { takes: ["slug"], options: [] },
  "key revoke": { takes: ["slug", "first characters of the key"], options: [] },
  "parse": { takes: ["slug", "payload.json"], options: ["parser", "config"] },
};

/**
 * Reads the command line; null where help is asked for.
 *
 * @throws UsageError naming the mistake
 */
export function readInvocation(args: string[]): Invocation | null {
  const { values, positionals } = parse(args);
  if (values.help || args.length === 0) return null;
  const words = positionals[0] === "key" ? 2 : 1;
  const name = positionals.slice(0, words).join(" ");
  if (!isCommand(name)) throw new UsageError(`there is no command "${name}"`);

  const { takes, options } = COMMANDS[name];
  const given = positionals.slice(words);
  if (given.length < takes.length) throw new UsageError(`${name}: give the ${takes[given.length]}`);
  if (given.length > takes.length) {
    throw new UsageError(`${name}: there is no place for "${given[takes.length]}"`);
  }
  const allowed: string[] = [...options, "db-url", "json"];
  const strange = Object.keys(values).find((option) => !allowed.includes(option));
  if (strange !== undefined) throw new UsageError(`${name} does not take --${strange}`);

  const [slug = "", second = ""] = given;
  return {
    command: toCommand(name, slug, second, values),
    dbUrl: values["db-url"],
    json: values.json ?? false,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function isCommand(name: string): name is Command["name"] {
  return Object.hasOwn(COMMANDS, name);
}

function toCommand(name: Command["name"], slug: string, second: string, values: Values): Command {
  const settings: Settings = {
    title: values.name,
    parser: values.parser,
    configFile: values.config,
    isActive: readBoolean("--active", values.active),
  };
  switch (name) {
    case "list":
      return { name };
    case "create":
      if (settings.parser === undefined) throw new UsageError("create: give --parser <name>");
      return { name, slug, settings };
    case "update":
      if (Object.values(settings).every((value) => value === undefined)) {
        throw new UsageError("update: give what to change, such as --parser <name>");
      }
      return { name, slug, settings };
    case "key create":
      return { name, slug, label: values.label, expiresAt: readDate(values.expires) };
    case "key list":
      return { name, slug };
    case "key revoke":
      return { name, slug, key: second };
    case "parse":
      return { name, slug, file: second, settings };
  }
}

function readBoolean(option: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== "true" && text !== "false") throw new UsageError(`${option} is true or false`);
  return text === "true";
}

function readDate(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) {
    throw new UsageError(`--expires is a date such as 2027-01-31, not "${text}"`);
  }
  if (date.getTime() <= Date.now()) throw new UsageError(`--expires is in the past: ${text}`);
  return date;
}
