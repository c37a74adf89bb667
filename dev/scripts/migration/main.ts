/**
 * `npm run migration -- <topic>`: writes the migration for what changed in `supabase/schemas`, and what `npm run types`
 * writes. `npm run migration -- --baseline`: writes the first migration again.
 */
import { Command } from "commander";
import { topicProblem } from "./files.ts";
import { withScratch } from "./scratch.ts";
import { withServer } from "./server.ts";
import { writeBaseline, writeMigration, type Written } from "./write.ts";

const command = new Command("npm run migration --")
  .description(
    "Writes supabase/migrations/<timestamp>_<topic>.sql from what supabase/schemas has and the migrations lack, " +
      "then the types of the database and the newest version for the functions.",
  )
  .argument("[topic]", "what the change is about, such as daily_cap")
  .option("--baseline", "write the first migration again, from all of supabase/schemas")
  .configureOutput({ writeErr: (text) => console.error(text.trimEnd()) })
  .exitOverride(({ exitCode }) => Deno.exit(exitCode === 0 ? 0 : 2))
  .parse(Deno.args, { from: "user" });
const { baseline } = command.opts<{ baseline?: true }>();
const topic = command.args[0]!;
const problem = baseline ? topic && "The baseline has no topic." : topicProblem(topic);
if (problem) {
  console.error(problem);
  Deno.exit(2);
}

try {
  Deno.exitCode = await withServer((dbUrl) =>
    withScratch(dbUrl, async (scratch) => {
      console.log("Building the database from supabase/schemas");
      if (!baseline) return report(await writeMigration(topic, scratch));
      for (const path of await writeBaseline(scratch)) console.log(`Wrote ${path}`);
      return 0;
    })
  );
} catch (error) {
  console.error((error as Error).message);
  Deno.exitCode = 1;
}

/** Tells what was written and what is left to do. Returns the exit code. */
function report({ path, sql, destructive, missing, generated }: Written): number {
  if (path) {
    console.log(`\n${sql}\nWrote ${path}`);
    console.log("Read it before you commit it: the differ makes mistakes, and a deployed migration is never changed.");
  }
  for (const module of generated) console.log(`Wrote ${module}`);
  if (destructive.length > 0) {
    console.log(
      `\nThese statements remove something. Is data lost?\n\n${destructive.join("\n\n")}`,
    );
  }
  if (missing.length > 0) {
    const where = path ? `to ${path}` : "to a new file in supabase/migrations";
    console.log(
      `\nThe differ cannot write the following. Add it ${where} by hand, then npm run types:\n\n${missing.join("\n")}`,
    );
    return 1;
  }
  if (!path) {
    console.log("There is nothing to write: schemas and migrations make the same database.");
  }
  return 0;
}
