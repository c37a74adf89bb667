import { jsonHeaders } from "./load.ts";
import type { OwnStack } from "./stacks.ts";

/**
 * Makes a table `plain_<table>` with the columns, checks, indexes and foreign keys of this one. Makes an SQL function
 * on PostgREST, too, that inserts rows into it by one statement and does nothing else.
 *
 * @param columns of the rows
 * @param fixed what other columns are set to in each row
 * @returns the function's URL. It takes `{"rows": [...]}`
 */
export async function createPlainRpc(
  { sql, restUrl, service_role_key }: OwnStack,
  table: string,
  columns: string[],
  fixed: Record<string, string>,
): Promise<string> {
  const [{ types, keys }] = await sql<[{ types: string; keys: string[] }]>`
    select
      (select string_agg(quote_ident(attname) || ' ' || format_type(atttypid, atttypmod), ', ')
        from pg_attribute where attrelid = ${table}::regclass and attname = any(${columns})) as types,
      (select array_agg('add ' || pg_get_constraintdef(oid))
        from pg_constraint where conrelid = ${table}::regclass and contype = 'f') as keys`;
  const defaults = Object.entries(fixed)
    .map(([column, value]) => `alter ${column} set default '${value}'`);
  const names = columns.join(", ");
  await sql.unsafe(`
    create table plain_${table} (like ${table} including all);
    alter table plain_${table} ${keys.join(", ")}, ${defaults.join(", ")};
    grant insert on plain_${table} to service_role;
    create function insert_plain_${table}(rows jsonb) returns void language plpgsql as $$
    begin
      insert into public.plain_${table} (${names})
      select ${names} from jsonb_to_recordset(rows) as r (${types});
    end
    $$;
    grant execute on function insert_plain_${table}(jsonb) to service_role;
    notify pgrst, 'reload schema'`);

  const url = `${restUrl}/rpc/insert_plain_${table}`;
  const request = { method: "POST", headers: jsonHeaders(service_role_key), body: '{"rows":[]}' };
  for (;;) {
    const response = await fetch(url, request);
    const answer = await response.text();
    if (response.ok) return url;
    // PostgREST reads the functions in its own time.
    if (response.status !== 404) throw new Error(answer);
  }
}
