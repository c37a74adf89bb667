import * as z from "zod";
import type { RequestContext } from "../_shared/app.ts";
import { count, id } from "../_shared/validate.ts";
import { requireOperator } from "./operator.ts";
import { after, next, readPage, requireValidQuery, time } from "./pages.ts";

export const unmatchedQuery = z.object({ after });

const unmatchedText = z.strictObject({
  id,
  received_at: time,
  from: z.string().nullable(),
  to: z.string().nullable(),
  body: z.string().nullable(),
  media: count.describe("How many files it has."),
  message_sid: z.string().nullable(),
});

export const unmatchedResult = z.strictObject({
  texts: z.array(unmatchedText),
  next,
}).meta({ id: "UnmatchedTexts" });

/** GET /operator/texts/unmatched: texts that belong to no conversation yet, the newest first. */
export async function listUnmatchedTexts({ request }: RequestContext): Promise<Response> {
  await requireOperator(request);
  const { after } = requireValidQuery(unmatchedQuery, request);

  const { rows: texts, next } = await readPage<z.infer<typeof unmatchedText>>(
    { view: "unmatched_text_list", time: "received_at", newestFirst: true },
    after,
  );

  const result: z.infer<typeof unmatchedResult> = { texts, next };
  return Response.json(result);
}
