import { connect } from "../local/mod.ts";
import type postgres from "postgres";
import { schemaFiles } from "./migration/files.ts";
import { functionSections } from "./schema_functions.ts";

/** The tables and functions for people. Relative to the checkout. */
export const SCHEMA_PAGE = "docs/schema.md";

interface Table {
  /** With its schema where that is not `public`. */
  name: string;
  comment: string;
  columns: Column[];
  references: Reference[];
}

interface Column {
  name: string;
  type: string;
  is_optional: boolean;
  is_generated: boolean;
  comment: string | null;
}

interface Reference {
  /** The table referred to. */
  to: string;
  columns: string[];
  is_optional: boolean;
  is_unique: boolean;
}

/**
 * The text of {@link SCHEMA_PAGE}: for each area of `supabase/schemas` a diagram of its tables, and each table and
 * column with its comment; then what users read and call.
 *
 * @param dbUrl a database that all migrations were applied to
 */
export async function schemaPage(dbUrl: string, root?: string): Promise<string> {
  const sql = connect(dbUrl);
  const [found, functions] = await Promise.all([readTables(sql), functionSections(sql)]).finally(() => sql.end());
  const tables = new Map(found.map((table) => [table.name, table]));
  const files = schemaFiles(root).map(({ path, text }) => ({
    area: path.split("/").at(-2)!,
    tables: Array.from(
      text.matchAll(/^create (?:unlogged )?table (?:public\.)?([\w.]+)/gm),
      ([, name]) => tables.get(name!)!,
    ),
  }));
  const areas = Map.groupBy(files.filter(({ tables }) => tables.length > 0), ({ area }) => area);
  return `# The tables and functions

Written by \`npm run types\` from the comments in \`supabase/schemas\`. Each area has a diagram, then its
tables. A column may be empty where it says "optional". What begins with \`private.\` is not in the API. After the areas:
[what agents and managers read and call](#views-and-functions-of-agents-and-managers),
[what operators read and call](#views-and-functions-of-operators), and
[functions with their owner's rights](#functions-with-their-owners-rights).

${Array.from(areas, ([name, files]) => showArea({ name, tables: files.flatMap(({ tables }) => tables) })).join("\n\n")}

${functions}
`;
}

function showArea({ name, tables }: { name: string; tables: Table[] }): string {
  return `## ${name}

\`\`\`mermaid
erDiagram
${tables.map(showEntity).join("\n")}
\`\`\`

${tables.map(showTable).join("\n\n")}`;
}

/** A table in the diagram, with an arrow to each table that it refers to. */
function showEntity({ name, references }: Table): string {
  const entity = (table: string) => table.includes(".") ? `"${table}"` : table;
  const arrows = references.map(({ to, columns, is_optional, is_unique }) =>
    `  ${entity(to)} ${is_optional ? "|o" : "||"}--${is_unique ? "o|" : "o{"} ${entity(name)} : "${columns.join(", ")}"`
  );
  return [`  ${entity(name)}`, ...arrows].join("\n");
}

function showTable({ name, comment, columns }: Table): string {
  const lines = columns.map(({ name, type, is_optional, is_generated, comment }) => {
    const what = [type, is_optional ? "optional" : "", is_generated ? "generated" : ""];
    return `- \`${name}\` (${what.filter((word) => word).join(", ")})${comment ? `: ${comment}` : ""}`;
  });
  return `### ${name}\n\n${comment}\n\n${lines.join("\n")}`;
}

async function readTables(sql: postgres.Sql): Promise<Table[]> {
  return await sql<Table[]>`
    select
      case n.nspname when 'public' then '' else n.nspname || '.' end || c.relname as name,
      coalesce(obj_description(c.oid, 'pg_class'), '') as comment,
      (
        select jsonb_agg(
          jsonb_build_object(
            'name', a.attname,
            'type', replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz'),
            'is_optional', not a.attnotnull,
            'is_generated', a.attgenerated <> '' or a.attidentity = 'a',
            'comment', col_description(c.oid, a.attnum)
          )
          order by a.attnum
        )
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ) as columns,
      (
        select coalesce(jsonb_agg(reference order by reference -> 'columns'), '[]')
        from (
          select jsonb_build_object(
            'to', case tn.nspname when 'public' then '' else tn.nspname || '.' end || t.relname,
            'columns', array(
              select a.attname
              from unnest(f.conkey) with ordinality as key (attnum, position)
              join pg_attribute a on a.attrelid = c.oid and a.attnum = key.attnum
              order by key.position
            ),
            'is_optional', exists (
              select from pg_attribute a where a.attrelid = c.oid and a.attnum = any (f.conkey) and not a.attnotnull
            ),
            'is_unique', exists (
              select from pg_constraint u where u.conrelid = c.oid and u.contype in ('p', 'u') and u.conkey <@ f.conkey
            )
          ) as reference
          from pg_constraint f
          join pg_class t on t.oid = f.confrelid
          join pg_namespace tn on tn.oid = t.relnamespace
          where f.conrelid = c.oid and f.contype = 'f'
        ) found
      ) as references
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname in ('public', 'private')`;
}
