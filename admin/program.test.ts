import type { Command } from "commander";
import assert from "node:assert/strict";
import type { AdminCommand } from "./command.ts";
import { shellWords } from "./shell_words.ts";
import { UsageError } from "./errors.ts";
import { buildProgram } from "./program.ts";

/** Reads a command line; nothing is carried out. Returns the verb that would be. */
async function read(words: string[]): Promise<string> {
  let verb = "";
  const program = buildProgram(() => Promise.resolve(), () => {});
  program.hook("preAction", (_program, command) => {
    verb = `${command.parent!.name()} ${command.name()}`;
  });
  await program.parseAsync(words, { from: "user" });
  return verb;
}

/** Every verb there is, with what `--help` shows of it. */
function verbs(
  command: Command = buildProgram(() => Promise.resolve(), () => {}),
): [string, string][] {
  if (command.commands.length > 0) return command.commands.flatMap((inner) => verbs(inner));
  let help = "";
  command.configureOutput({ writeOut: (text) => help += text }).outputHelp();
  return [[`${command.parent!.name()} ${command.name()}`, help]];
}

for (const [name, help] of verbs()) {
  Deno.test(`the help of ${name} has an example that can be read`, async () => {
    const [, example] = /^Example:\n {2}npm run admin -- (.+)$/m.exec(help) ?? [];
    assert(example !== undefined, help);
    // The text that a shell reads from a file is no word of the command.
    assert.equal(await read(shellWords(example.split(" < ")[0]!)), name);
  });
}

/** The verbs that change nothing and show no data of a person. Each use of any other verb is stored. */
const UNRECORDED = [
  "agency changes",
  "agency list",
  "agent list",
  "alert list",
  "bot show",
  "bot try",
  "check",
  "delivery list",
  "destination list",
  "destination show",
  "hours show",
  "key list",
  "lead duplicates",
  "lead explain",
  "number list",
  "operator actions",
  "operator list",
  "order explain",
  "order list",
  "push keys",
  "repeat list",
  "report leads",
  "report quality",
  "report repeats",
  "report response",
  "report texts",
  "secret list",
  "text templates",
  "vendor list",
  "webhook check",
  "webhook show",
];

Deno.test("each use of a verb is stored, unless it changes nothing and shows no data of a person", () => {
  const declared = (command: AdminCommand): [string, string | null | undefined][] =>
    command.commands.length > 0
      ? command.commands.flatMap((inner) => declared(inner as AdminCommand))
      : [[`${command.parent!.name()} ${command.name()}`.replace("npm run admin -- ", ""), command.recordedAs]];
  const all = declared(buildProgram(() => Promise.resolve(), () => {}));
  assert.deepEqual(all.filter(([, action]) => action === undefined), []);
  const unrecorded = all.filter(([, action]) => action === null).map(([name]) => name);
  assert.deepEqual([...new Set(unrecorded)].sort(), UNRECORDED);
  for (const [name, action] of all) if (action !== null) assert.equal(action, name);
});

for (
  const [line, verb] of [
    ["vendor list", "vendor list"],
    ["--json --db-url postgresql://x vendor list", "vendor list"],
    ["vendor list --json --db-url postgresql://x", "vendor list"],
    ["vendor key create acme", "key create"],
    ["text send --sid SM1 --status delivered", "text send"],
    ["report", "report leads"],
    ["report --by vendor --since yesterday", "report leads"],
    ["report quality --since yesterday", "report quality"],
    ["vendor key revoke acme lik_abc --yes", "key revoke"],
    ["vendor webhook set acme --scheme query --parameter t", "webhook set"],
    ["vendor webhook secret list acme", "secret list"],
  ] as const
) {
  Deno.test(`${line} is ${verb}`, async () => {
    assert.equal(await read(shellWords(line)), verb);
  });
}

for (
  const [line, message] of [
    ["frob", /^there is no command "frob"\. Give one of: agency, agent, order, /],
    ['vendor list --as " "', /^--as: " " is not a name of at most 128 characters$/],
    ["vendor frob", /^there is no command "frob"\. Give one of: list, create, update, /],
    ["vendor lst", /^there is no command "lst" \(Did you mean list\?\)\. Give/],
    ["vendor constructor", /^there is no command "constructor"\. Give/],
    [
      "vendor list acme",
      /^"acme" is too much: quote what has spaces\. As in: npm run admin -- vendor list$/,
    ],
    [
      "vendor create --parser generic",
      /^missing required argument 'slug'\. As in: npm run admin -- vendor create acme /,
    ],
    ["vendor create acme", /^--parser: say what reads its payloads\. .* begin with --parser generic /],
    [
      "vendor create acme --parser",
      /^option '--parser <name>' argument missing\. As in: /,
    ],
    [
      "vendor create acme --parser generic --active true",
      /^unknown option '--active'\. As in: /,
    ],
    ['vendor create acme --parser generic --name " "', /^--name: " " is not a text/],
    ['vendor create acme --parser generic --name "\u200b\u2060"', /^--name: ".*" is not a text/],
    ["vendor update acme", /^update: give what to change, such as --parser <name>$/],
    ["vendor update acme --active maybe", /^--active: "maybe" is not true or false$/],
    ["vendor parse acme", /^missing required argument 'payload'\. As in: /],
    ["key create acme --expires someday", /^--expires: "someday" is not a time in the future/],
    ["key create acme --expires 2001-01-01", /^--expires: "2001-01-01" is not a time in the/],
    ["text send --body Hi", /^give the numbers with --from and --to$/],
    ["text send --status sent", /^--status: give the message it is about with --sid$/],
    ["report --since 2999-01-01", /^--since: "2999-01-01" is not a day in the past/],
    ["report --until 2026-02-30", /^--until: "2026-02-30" is not a day such as 2026-01-31, today or yesterday$/],
    ["report --since today --until yesterday", /^--until: yesterday is before --since today$/],
    [
      "lead list --handed-out-since 2026-02-02 --handed-out-until 2026-02-01",
      /^--handed-out-until: 2026-02-01 is before --handed-out-since 2026-02-02$/,
    ],
    ["lead list --state Bavaria", /^--state: "Bavaria" is not a state such as IL or Indiana$/],
    ["lead return 4711", /^required option '--reason <text>' not specified\. As in: /],
    ["delivery replay", /^give one delivery, or all of a --vendor, or all --imports$/],
    ["delivery replay 5f0c --imports", /^give one delivery, or all of a --vendor, or all/],
    ["delivery dismiss 5f0c --since 2026-01-31", /^--since: it is for all of a --vendor$/],
    [
      "delivery list --status frob",
      /^--status: "frob" is not open or replayed or dismissed or all$/,
    ],
    ["delivery prune --older-than 0", /^--older-than: "0" is not a whole number from 1 on$/],
    ["lead distribute --max 0", /^--max: "0" is not a whole number from 1 on$/],
    ['lead find " "', /^give a text with something in it$/],
    ["vendor webhook set acme", /^required option '--scheme <name>' not specified\. As in: /],
    ["vendor webhook set acme --scheme md5", /^--scheme: "md5" is not hmac or standard or /],
    ["vendor webhook set acme --scheme header", /^--scheme header: give the --header as well$/],
    [
      "vendor webhook set acme --scheme hmac --header X",
      /^--scheme hmac: give the --algorithm as well$/,
    ],
    [
      "vendor webhook set acme --scheme meta --timestamp-header X",
      /^--timestamp-header: the scheme meta does not take it$/,
    ],
    [
      "vendor webhook set acme --scheme hmac --header X --algorithm sha1 --timestamp-header T",
      /^--timestamp-header and \{timestamp\} in --signed: give both or none$/,
    ],
    [
      "vendor webhook secret create acme --kind key",
      /^--kind: "key" is not secret or verify_token or access_token$/,
    ],
    ['key revoke acme ""', /^give the first characters of the key$/],
    ["number add 4711 --agency x", /^"4711" is not a phone number such as \+13125550142$/],
    ["number set +13125550100", /^set: give what to change, such as --messaging-service <sid>$/],
    [
      "consent record +13125550142 --agency x --state opted_out",
      /^required option '--reason <text>' not specified\. As in: /,
    ],
    ["text outbox --state frob", /^--state: "frob" is not held or due or sending or /],
    ["text reconcile", /^required option '--since <time>' not specified\. As in: /],
    ["text reconcile --since 2999-01-01", /^--since: "2999-01-01" is not a time in the past/],
    ["text reconcile --since 2026-01-01 --number 0", /^--number: "0" is not a phone number such as /],
    ["agency update x --closes-at 5pm", /^--closes-at: "5pm" is not a time such as 08:00$/],
    ["agent create --agency x --first-name X --email ada", /^--email: "ada" is not an e-mail address$/],
    ["agent create --agency x --first-name X --phone 555", /^--phone: "555" is not a phone number such as /],
    ["agent update x --role boss", /^--role: "boss" is not agent or manager$/],
    ["agent update x --away-until tomorrow", /^--away-until: "tomorrow" is not a day such as 2026-01-31$/],
    ["operator add nora", /^"nora" is not an e-mail address$/],
    ["order create --agency x", /^required option '--quantity <number>' not specified\. As in: /],
    ["order create --agency x --quantity ten", /^--quantity: "ten" is not a whole number from 1 on$/],
    ["order create --agency x --quantity 5 --states Illinoy", /^--states: "Illinoy" is no state\. Separate states by/],
    ["order create --agency x --quantity 5 --states 'IL IN'", /^--states: "IL IN" is no state\. Separate states by/],
    ["order create --agency x --quantity 5 --starts 2097-02-30", /^--starts: "2097-02-30" is not a time such as /],
    ["order list --agnecy x", /^unknown option '--agnecy' \(Did you mean --agency\?\)\. As in: /],
    ["order pause", /^give one order, or all of an --agency$/],
    ["order open x --agency x", /^give one order, or all of an --agency$/],
    [
      "vendor update acme --silent-after soon",
      /^--silent-after: "soon" is not a length of time such as 30m, 4h or 2d$/,
    ],
    ["vendor webhook set acme --scheme meta --page-id my-page", /^--page-id: "my-page" is not a page's id, /],
    ["key create acme --expires 2097-02-30T10:00Z", /^--expires: "2097-02-30T10:00Z" is not a time in the future/],
    ["lead assign --to bob", /^give one lead, or all leads --from an agent$/],
    ["lead assign ida --from ann --to bob", /^give one lead, or all leads --from an agent$/],
    ["lead list --csv --json", /^--csv: it cannot be printed with --json$/],
    ["lead list --after 4711", /^--after: "4711" is not the whole id of a lead, such as `next` is$/],
    ["lead distribute f-1 --vendor acme", /^name leads, or choose them with --vendor and --max$/],
    ["destination create crm --agency x", /^give one of --url and --email$/],
    [
      "destination create crm --agency x --url https://x --header 'the secret'",
      /^--header: give "Name: value", or "Name:"/,
    ],
    ["person find Maria", /^"Maria" is not a phone number such as \+13125550142 or an e-mail address$/],
    ["number add 77355 --agency x --messaging-service MG1", /^--messaging-service: "MG1" is not MG and 32 digits/],
    ["number add 77355 --agency x --segments-per-second 0", /^--segments-per-second: "0" is not a number above 0$/],
    ["hours set ID --day monday --opens 10:00", /^give --opens and --closes, or --closed, or --none$/],
    ["hours set AL --closed --from 2098-02-02 --until 2098-02-01 --source x", /^--until: 2098-02-01 is before --from /],
    [
      "hours set ID --day monday --closed --until 2098-01-01 --source x",
      /^--until: give it with --closed, and without --day$/,
    ],
    ["alert rule x --set days=many", /^--set: "days=many" is not numbers above 0, up to a million, /],
    ["alert rule --on false", /^give the kind whose rule is changed$/],
    ["repeat set --match name --within 30d --action hold", /^--match: "name" is not phone, email or both$/],
    ["push keys --subject ops@example.com", /^--subject: "ops@example\.com" is not mailto: and an e-mail address/],
    ["bot try", /^give a script, or --conversations$/],
  ] as const
) {
  Deno.test(`${line} is wrong usage`, async () => {
    await assert.rejects(
      () => read(shellWords(line)),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
}
