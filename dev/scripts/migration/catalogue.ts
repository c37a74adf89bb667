import { join } from "node:path";
import type postgres from "postgres";
import { connect, ROOT } from "../../local/mod.ts";

/** The objects of a database: the definition of each object, grant, comment and row by its name. */
export type Catalogue = Map<string, string>;

/** Tables outside `public` whose rows our files write. */
const OTHER_TABLES = ["storage.buckets"];

/** Reads everything that a migration can change, rows included. */
export async function readCatalogue(sql: postgres.Sql): Promise<Catalogue> {
  // Names are then written with their schema.
  await sql`set search_path = ''`;
  const query = Deno.readTextFileSync(join(ROOT, "dev/scripts/migration/catalogue.sql"));
  const objects = await sql.unsafe<{ object: string; definition: string }[]>(query);
  const catalogue = new Map(objects.map(({ object, definition }) => [object, definition]));
  const tables = await sql<{ name: string }[]>`
    select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`;
  for (const row of await readRows(sql, [...tables.map(({ name }) => name), ...OTHER_TABLES])) catalogue.set(row, "");
  return catalogue;
}

/** The rows of tables as JSON, without the values that differ each time: times and ids that a default has made. */
async function readRows(sql: postgres.Sql, tables: string[]): Promise<string[]> {
  const rows = await sql.unsafe<{ row: string }[]>(
    tables.map((table) => `
      select 'row of ${table}: ' || (to_jsonb(t) - array(
        select attname::text from pg_attribute a
        join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = '${table}'::regclass and a.attgenerated = ''
          and pg_get_expr(d.adbin, d.adrelid) ~ 'now\\(|clock_timestamp|CURRENT_TIMESTAMP|random'
      ))::text as row
      from ${table} t`).join(" union all "),
  );
  return rows.map(({ row }) => row);
}

/** One difference between two catalogues, in lines for a person. */
export type Difference = string;

/** The differences between the database that `supabase/schemas` makes and the one that `supabase/migrations` makes. */
export function compareCatalogues(schemas: Catalogue, migrations: Catalogue): Difference[] {
  const names = new Set([...schemas.keys(), ...migrations.keys()]);
  const differences: Difference[] = [];
  for (const name of [...names].sort()) {
    const [left, right] = [schemas.get(name), migrations.get(name)];
    if (left === right) continue;
    if (right === undefined) differences.push(`only in schemas:     ${name}`);
    else if (left === undefined) differences.push(`only in migrations:  ${name}`);
    else differences.push(`different:           ${name}\n${showChange(left, right)}`);
  }
  return differences;
}

/** As {@link compareCatalogues}, for the databases at two connection strings. */
export async function compareDatabases(schemas: string, migrations: string): Promise<Difference[]> {
  return compareCatalogues(await catalogueAt(schemas), await catalogueAt(migrations));
}

async function catalogueAt(url: string): Promise<Catalogue> {
  const sql = connect(url);
  try {
    return await readCatalogue(sql);
  } finally {
    await sql.end();
  }
}

/** The lines that differ, those of the schemas first. */
function showChange(schemas: string, migrations: string): string {
  const [left, right] = [schemas.split("\n"), migrations.split("\n")];
  return [
    ...left.filter((line) => !right.includes(line)).map((line) => `  schemas:     ${line}`),
    ...right.filter((line) => !left.includes(line)).map((line) => `  migrations:  ${line}`),
  ].join("\n");
}
