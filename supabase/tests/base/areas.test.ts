/**
 * The areas of the database, the folders of `supabase/schemas`, know one direction: what an area has names nothing of
 * an area above it. An area that must follow what happens below it has a trigger of its own on the lower table, or
 * reads its rows.
 */
import assert from "node:assert/strict";
import { connect, readStackInfo } from "../../../dev/local/mod.ts";
import { schemaFiles } from "../../../dev/scripts/migration/files.ts";

/** From the lowest to the highest. */
const AREAS = [
  "base",
  "agencies",
  "vendors",
  "recruiting",
  "sales",
  "destinations",
  "texting",
  "bot",
  "desk",
  "operators",
  "alerts",
  "worker",
];

/** The objects that the files create, by name, each with its area. */
const areaOf = new Map(
  schemaFiles().flatMap(({ path, text }) => {
    const area = path.split("/")[2]!;
    const created = text.matchAll(
      /^create (?:unlogged )?(?:function|procedure|table|view|type|domain) ((?:public|private)\.\w+)/gm,
    );
    return Array.from(created, ([, name]) => [name!, area] as const);
  }),
);

/**
 * What the catalogue says that one thing needs of another: names, each with its schema. A trigger is left out: it
 * stands with its function, which may be of a higher area than the table.
 */
const DEPENDENCIES = `
  with needed as (
    select
      case d.classid
        when 'pg_rewrite'::regclass then (select ev_class from pg_rewrite where oid = d.objid)
        when 'pg_constraint'::regclass then (select conrelid from pg_constraint where oid = d.objid)
        when 'pg_policy'::regclass then (select polrelid from pg_policy where oid = d.objid)
        when 'pg_attrdef'::regclass then (select adrelid from pg_attrdef where oid = d.objid)
        when 'pg_class'::regclass then coalesce((select indrelid from pg_index where indexrelid = d.objid), d.objid)
      end as relation,
      case when d.classid = 'pg_proc'::regclass then d.objid end as function,
      d.refclassid,
      d.refobjid
    from pg_depend d
    where d.classid <> 'pg_trigger'::regclass
      -- A table has one policy for each action, and this one is in a file of the higher area.
      and not (
        d.classid = 'pg_policy'::regclass and d.refobjid = 'private.assigned_recruits()'::regprocedure
      )
  ), named as (
    select
      coalesce(
        (select c.relnamespace::regnamespace || '.' || c.relname from pg_class c where c.oid = n.relation),
        (select p.pronamespace::regnamespace || '.' || p.proname from pg_proc p where p.oid = n.function)
      ) as name,
      case n.refclassid
        when 'pg_class'::regclass then (
          select t.relnamespace::regnamespace || '.' || t.relname
          from pg_class t
          where t.oid = coalesce((select indrelid from pg_index where indexrelid = n.refobjid), n.refobjid)
        )
        when 'pg_proc'::regclass
          then (select p.pronamespace::regnamespace || '.' || p.proname from pg_proc p where p.oid = n.refobjid)
        when 'pg_type'::regclass then (
          select t.typnamespace::regnamespace || '.' || coalesce(e.typname, t.typname)
          from pg_type t left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
          where t.oid = n.refobjid
        )
      end as needs
    from needed n
  )
  select distinct name, needs from named where name ~ '^(public|private)[.]' and needs ~ '^(public|private)[.]'`;

/** Constraints, by which a function defers a check, and their tables. */
const CONSTRAINTS = `
  select c.connamespace::regnamespace || '.' || c.conname as name, t.relnamespace::regnamespace || '.' || t.relname as of
  from pg_constraint c join pg_class t on t.oid = c.conrelid`;

/** The bodies of functions, in which the catalogue knows no dependency. */
const BODIES = `
  select p.pronamespace::regnamespace || '.' || p.proname as name, p.prosrc as body
  from pg_proc p where p.pronamespace::regnamespace::text in ('public', 'private')`;

Deno.test("no area of the database names a higher one", async () => {
  const sql = connect(readStackInfo().db_url);
  try {
    const dependencies: { name: string; needs: string }[] = await sql.unsafe(DEPENDENCIES);
    const bodies: { name: string; body: string }[] = await sql.unsafe(BODIES);
    const constraints: { name: string; of: string }[] = await sql.unsafe(CONSTRAINTS);
    const tableOf = new Map(constraints.map(({ name, of }) => [name, of]));
    const named = bodies.flatMap(({ name, body }) =>
      Array.from(body.replaceAll(/--.*/g, "").matchAll(/\b(?:public|private)\.\w+/g), ([needs]) => ({
        name,
        needs: areaOf.has(needs) ? needs : tableOf.get(needs) ?? needs,
      }))
    );
    const wrong = [...dependencies, ...named]
      .filter(({ name, needs }) => levelOf(name) < levelOf(needs))
      .map(({ name, needs }) => `${areaOf.get(name)}: ${name} names ${needs} of ${areaOf.get(needs)}`);
    assert.deepEqual([...new Set(wrong)].sort(), []);
    assert.ok(dependencies.length > 100 && named.length > 500, "the catalogue was not read");
  } finally {
    await sql.end();
  }
});

Deno.test("the files of an area come before those of the areas above it", () => {
  const areas = schemaFiles().map(({ path }) => path.split("/")[2]!);
  assert.deepEqual(areas, areas.toSorted((one, other) => AREAS.indexOf(one) - AREAS.indexOf(other)));
  assert.deepEqual(new Set(areas), new Set(AREAS));
});

/** How high the area of this name is; Infinity where no file creates it, so that nothing may need it. */
function levelOf(name: string): number {
  const area = areaOf.get(name);
  return area === undefined ? Infinity : AREAS.indexOf(area);
}
