/** `npm run admin`: administers agencies, agents, orders, vendors and keys. */
import { CommanderError } from "commander";
import { confirm } from "./confirm.ts";
import { connect, explainConnection, findTarget } from "./database.ts";
import { CommandError, type Run, UsageError } from "./outcome.ts";
import { buildProgram, type GlobalOptions } from "./program.ts";

const run: Run = async (verb) => {
  const { dbUrl, json, yes } = program.opts<GlobalOptions>();
  const target = findTarget(dbUrl);
  const sql = connect(target.dbUrl);
  try {
    const { data, text } = await verb({
      sql,
      baseUrl: target.baseUrl,
      confirm: yes ? () => Promise.resolve() : confirm,
    });
    console.log(json ? JSON.stringify(data, null, 2) : text);
  } catch (error) {
    throw explainConnection(error, target.dbUrl);
  } finally {
    await sql.end();
  }
};

const program = buildProgram(run);
try {
  if (Deno.args.length === 0) program.help();
  await program.parseAsync(Deno.args, { from: "user" });
} catch (error) {
  // What is left of commander's own errors is help that has been shown.
  if (error instanceof CommanderError) Deno.exit(0);
  if (error instanceof UsageError) fail(error.message, 2, error.usage);
  if (error instanceof CommandError) fail(error.message, 1);
  throw error;
}

function fail(reason: string, code: number, usage?: string): never {
  console.error(usage === undefined ? reason : `${reason}\n\n${usage}`);
  Deno.exit(code);
}
