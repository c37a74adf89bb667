import type postgres from "postgres";

interface Callable {
  /** With its schema where that is not `public`. */
  name: string;
  /** As `name type = default`. */
  arguments: string;
  result: string;
  comment: string;
  may_call: "users" | "operators" | null;
  has_owners_rights: boolean;
}

interface View {
  name: string;
  comment: string;
}

/** The last words of a comment on a function that runs with its owner's rights. */
const OWNERS_RIGHTS = /\s*Security definer because (.+)$/s;

/** The sections of the page of the tables about what users read and call, from the comments in the database. */
export async function functionSections(sql: postgres.Sql): Promise<string> {
  const functions = await readFunctions(sql);
  const views = await readViews(sql);
  const isList = ({ name }: View) => name.endsWith("_list");
  const calledBy = (who: Callable["may_call"]) =>
    functions.filter(({ may_call }) => may_call === who).map(showFunction);
  const reasons = Map.groupBy(
    functions.filter(({ has_owners_rights }) => has_owners_rights),
    ({ comment }) => OWNERS_RIGHTS.exec(comment)?.[1] ?? "",
  );
  return `## Views and functions of agents and managers

A page calls a function by \`supabase.rpc(name, arguments)\`. An argument with a default may be left out.

${[...views.filter((view) => !isList(view)).map(showView), ...calledBy("users")].join("\n")}

## Views and functions of operators

A user who is not an operator reads no row, and gets 42501.

${[...views.filter(isList).map(showView), ...calledBy("operators")].join("\n")}

## Functions with their owner's rights

Every other function is \`security invoker\`: it runs with the rights of its caller. Each of these decides what its
caller may do, because

${Array.from(reasons, ([reason, of]) => `- ${reason} ${of.map(showName).join(", ")}`).join("\n")}`;
}

function showView({ name, comment }: View): string {
  return `- \`${name}\`: ${comment}`;
}

function showFunction({ name, arguments: taken, result, comment }: Callable): string {
  return `- \`${name}(${taken})\` → \`${result}\`: ${comment.replace(OWNERS_RIGHTS, "")}`;
}

function showName({ name, arguments: taken }: Callable): string {
  const names = taken.split(", ").filter((argument) => !argument.startsWith("OUT "))
    .map((argument) => argument.replace(/^VARIADIC /, "").split(" ")[0]);
  return `\`${name}(${names.join(", ")})\``;
}

/** The functions that users may call, and those that run with their owner's rights. */
async function readFunctions(sql: postgres.Sql): Promise<Callable[]> {
  const functions = await sql<Callable[]>`
    select
      case n.nspname when 'public' then '' else 'private.' end || p.proname as name,
      pg_get_function_arguments(p.oid) as arguments,
      pg_get_function_result(p.oid) as result,
      coalesce(obj_description(p.oid, 'pg_proc'), '') as comment,
      case
        when n.nspname <> 'public' or not has_function_privilege('authenticated', p.oid, 'execute') then null
        when p.prosrc ~ 'private\\.(require_operator|noted_subject)\\(|not private\\.is_operator\\(' then 'operators'
        else 'users'
      end as may_call,
      p.prosecdef as has_owners_rights
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('public', 'private') and p.prokind = 'f'
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    order by n.nspname desc, p.proname, 2`;
  return functions
    .filter(({ may_call, has_owners_rights }) => may_call !== null || has_owners_rights)
    .map((found) => ({
      ...found,
      arguments: found.arguments.replaceAll(...TIMESTAMP).replaceAll(" DEFAULT ", " = ").replace(/::[a-z]+/g, ""),
      result: found.result.replaceAll(...TIMESTAMP),
    }));
}

const TIMESTAMP = ["timestamp with time zone", "timestamptz"] as const;

/** The views that users may read. */
async function readViews(sql: postgres.Sql): Promise<View[]> {
  return await sql<View[]>`
    select c.relname as name, coalesce(obj_description(c.oid, 'pg_class'), '') as comment
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'v'
      and has_table_privilege('authenticated', c.oid, 'select')
    order by c.relname`;
}
