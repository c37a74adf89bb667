/** Lists are the views that operators have, read page by page with the rights of the service role. */
import type { PostgrestError, SupabaseClient } from "@supabase/supabase-js";
import * as z from "zod";
import { databaseError, serviceClient } from "../_shared/database.ts";
import type { Database } from "../_shared/database.types.ts";
import { count, must, requireValidBody, uuid } from "../_shared/validate.ts";

const PAGE_SIZE = 50;
const FIRST = 200;
const TIMEOUT_MS = 9_000;

/** As `next` has them. Postgres knows no year 0. */
const TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;

/** The time and the id of a row; undefined where a text is no `next`. */
function positionOf(given: string): [time: string, id: string] | undefined {
  const [at = "", id = "", ...more] = given.split(",");
  // Date.parse() takes 30 February.
  const isTime = TIME.test(at) && z.iso.datetime().safeParse(at).success;
  return isTime && uuid.safeParse(id).success && more.length === 0 ? [at, id] : undefined;
}

/** Where a page begins: after the row of this time and id. As it stands in `next` of the page before. */
export const after = z.string()
  .refine((given) => positionOf(given) !== undefined, { error: must("be the `next` of a page") })
  .optional();

/** Where the next page begins; null: this one is the last. */
export const next = z.string().nullable()
  .describe("The next page: send it as `after`. Null at the end.");

/** A time of a row. */
export const time = z.iso.datetime({ offset: true });

/** A text that the database can take. */
export const text = z.string().refine((value) => !value.includes("\0"), { error: "must not have U+0000" });

/** How many rows a list without pages leaves out. */
export const more = count.describe("How many further ones there are.");

/** A list, in the order in which it is read. */
export interface List {
  view: keyof Database["public"]["Views"];
  /** The column with the time that it is sorted by; rows of one time are sorted by their id. */
  time: string;
  newestFirst: boolean;
  /** What columns must have; null: the column is null; undefined: anything. */
  where?: Record<string, string | null | undefined>;
}

/**
 * Reads a page of a list.
 *
 * @param position `after` of the request
 * @throws ApiError INTERNAL_ERROR when the database does not respond.
 */
export async function readPage<Row>(
  { view, time, newestFirst, where = {} }: List,
  position?: string,
): Promise<{ rows: Row[]; next: string | null }> {
  // The client's types follow no name that is a variable.
  const client: SupabaseClient = serviceClient();
  let query = client.from(view).select().order(time, { ascending: !newestFirst }).order("id").limit(PAGE_SIZE + 1);
  for (const [column, value] of Object.entries(where)) {
    if (value !== undefined) query = value === null ? query.is(column, null) : query.eq(column, value);
  }
  if (position !== undefined) {
    const [at, id] = positionOf(position)!;
    const [bound, beyond] = newestFirst ? ["lte", "lt"] : ["gte", "gt"];
    // The first condition is one that an index takes.
    query = query.filter(time, bound, at).or(`${time}.${beyond}.${at},id.gt.${id}`);
  }
  const { data } = await requireAnswer(query);
  const rows = data.slice(0, PAGE_SIZE);
  const last = data.length > PAGE_SIZE ? rows.at(-1) : undefined;
  // A `+` in a URL would be a space.
  const next = last === undefined ? null : `${last[time].replace(/\+00:00$/, "Z")},${last.id}`;
  return { rows, next };
}

/** The first rows of a list that is short but for a fault, and how many there are besides. */
export async function first<Row>(
  query: { limit(count: number): { abortSignal(signal: AbortSignal): PromiseLike<Answer<Row[]>> } },
): Promise<{ rows: Row[]; more: number }> {
  const { data: rows, count } = await requireAnswer(query.limit(FIRST));
  return { rows, more: (count ?? rows.length) - rows.length };
}

/** What the service client gives. */
interface Answer<Data> {
  data: Data | null;
  error: PostgrestError | null;
  count?: number | null;
  status: number;
}

/**
 * What a query of the service client responds, within its time.
 *
 * @throws ApiError INTERNAL_ERROR when the database does not.
 */
export async function requireAnswer<Data>(
  query: { abortSignal(signal: AbortSignal): PromiseLike<Answer<Data>> },
): Promise<{ data: Data; count?: number | null }> {
  const { data, count, error, status } = await query.abortSignal(AbortSignal.timeout(TIMEOUT_MS));
  if (error !== null) throw databaseError(error.code || `HTTP ${status}`, error.message);
  return { data: data as Data, count };
}

/**
 * The parameters of a request's URL.
 *
 * @throws ApiError BAD_REQUEST; its details name each wrong parameter.
 */
export function requireValidQuery<Schema extends z.ZodType>(schema: Schema, request: Request): z.output<Schema> {
  return requireValidBody(schema, Object.fromEntries(new URL(request.url).searchParams));
}
