import { call, type Result } from "./client.ts";

/** Reads the number of rows of a list, without the rows. */
export const COUNT = { count: "exact", head: true } as const;

/** The number of rows of a list; its query has {@link COUNT}. */
export async function counted(rows: PromiseLike<Result<unknown> & { count: number | null }>): Promise<number> {
  const result = await rows;
  await call(Promise.resolve(result));
  return result.count ?? 0;
}
