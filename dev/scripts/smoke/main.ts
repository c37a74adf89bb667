/** `npm run smoke`: shows with a few requests that a project works where it runs. */
import { Command } from "commander";
import { readOptions } from "../../local/mod.ts";
import { CHECKS } from "./checks.ts";
import { readProject } from "./project.ts";

const program = new Command("npm run smoke --")
  .description(
    "Sends a project a few requests that show what only the place where it runs can: which keys arrive, what the gateway " +
      "lets through, which address Twilio's signature covers. It stores nothing; every request is in the log.",
  )
  .option(
    "--url <url>",
    "the project, as in https://<ref>.supabase.co; default: the running local stack",
  )
  .option("--keys <file>", "the project's keys, one NAME=value a line")
  .addHelpText(
    "after",
    `
What a keys file has; what is not in it is skipped:
  VENDOR_API_KEY            of a vendor whose parser is generic
  SUPABASE_PUBLISHABLE_KEY  the project's publishable key
  SUPABASE_ANON_KEY         its older anon key, where it is still in use
  LEADS_IMPORT_API_KEY, AGENCY_ID, AGENT_ID
  TWILIO_AUTH_TOKEN
  PUBLIC_FUNCTIONS_URL      only where it is set on the project`,
  )
  .configureHelp({ helpWidth: 100 });

const { url, keys } = readOptions<{ url?: string; keys?: string }>(program);
const { data: project, error } = readProject(url, keys);
if (error !== null) {
  console.error(error);
  Deno.exit(2);
}

console.log(`${project.functionsUrl}\n`);
const total = { passed: 0, failed: 0, skipped: 0 };
for (const { name, needs, run, remedy } of CHECKS) {
  const missing = needs.filter((key) => !project.keys[key]);
  if (missing.length > 0) {
    total.skipped += 1;
    console.log(`skipped  ${name}\n         not given: ${missing.join(", ")}`);
    continue;
  }
  try {
    await run(project);
    total.passed += 1;
    console.log(`ok       ${name}`);
  } catch (error) {
    total.failed += 1;
    console.log(
      `FAILED   ${name}\n         ${(error as Error).message}\n         What to do: ${remedy}`,
    );
  }
}
console.log(
  `\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped. Nothing was stored.`,
);
Deno.exit(total.failed > 0 ? 1 : 0);
