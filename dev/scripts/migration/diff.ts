import { extract } from "@supabase/pg-delta/extract";
import { renderPlanFiles } from "@supabase/pg-delta/frontends";
import { isDestructiveAction, supabasePolicy } from "@supabase/pg-delta";
import { plan } from "@supabase/pg-delta/plan";
import { formatSqlStatements } from "@supabase/pg-delta/sql-format";
import pg from "pg";

/** The statements that turn one database into another. */
export interface Diff {
  /** Formatted as a migration; empty when there is nothing to do. */
  sql: string;
  /** Those among them that remove something or may lose data. */
  destructive: string[];
}

/** Lets Supabase's differ write what turns the database at `from` into the one at `to`. */
export async function diffDatabases(from: string, to: string): Promise<Diff> {
  const [source, desired] = [await readFacts(from), await readFacts(to)];
  const result = plan(source, desired, { policy: supabasePolicy });
  const { files } = renderPlanFiles(result, { allowDrops: true });
  if (files.length > 1) {
    throw new Error("The change needs several transactions, which one migration cannot have.");
  }
  return {
    sql: files.flatMap(({ contents }) => format([contents])).map((text) => `${text};\n`).join("\n"),
    destructive: format(result.actions.filter(isDestructiveAction).map(({ sql }) => sql)),
  };
}

async function readFacts(url: string) {
  const pool = new pg.Pool({ connectionString: url });
  try {
    return (await extract(pool)).factBase;
  } finally {
    await pool.end();
  }
}

function format(statements: string[]): string[] {
  return formatSqlStatements(statements, {
    keywordCase: "lower",
    maxWidth: 120,
    alignColumns: false,
    alignKeyValues: false,
    preserveRoutineBodies: true,
  });
}
