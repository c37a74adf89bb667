import type postgres from "postgres";
import { type JsonObject, parseJson } from "../../supabase/functions/_shared/json.ts";
import { failure, type Result, success } from "../../supabase/functions/_shared/result.ts";
import { readImportedLead } from "../../supabase/functions/api/imported_lead.ts";
import { readLead, skipResume } from "../../supabase/functions/recruiting/ingest/lead.ts";
import { parserNamed, partParser } from "../../supabase/functions/recruiting/parsers/index.ts";
import type { Row } from "../find.ts";
import type { Reading } from "./lead_preview.ts";

/** A rejected delivery with the text of its payload, which keeps numbers exact that JavaScript cannot hold. */
export type Delivery = Row<"rejected_deliveries"> & { payload_json: string | null };

/** A vendor's parser, and its configuration. */
export type ParserOf = Pick<Row<"vendors">, "slug" | "parser" | "parser_config">;

/** The deliveries of these ids, in the order in which they came. */
export function deliveriesOf(sql: postgres.Sql, ids: postgres.Fragment): Promise<Delivery[]> {
  return sql<Delivery[]>`
    select d.*, d.payload::text as payload_json
    from public.rejected_deliveries d where d.id in (${ids})
    order by d.received_at, d.id`;
}

/** Reads what was rejected as its vendor's parser reads it, or an import; an error says why it is no lead. */
export function readDelivery(delivery: Delivery, vendor: ParserOf | undefined): Result<Reading> {
  const { route, row, payload_json } = delivery;
  if (payload_json === null) {
    return failure("only the beginning of what was sent is kept, so it must be sent again");
  }
  const isBatch = vendor === undefined || route.endsWith("/bulk") || payload_json.startsWith("[");
  if (isBatch && row === null) {
    return failure("it is a whole request of several leads, which must be sent again");
  }
  const payload = parseJson(payload_json) as JsonObject;
  if (vendor === undefined) {
    const { data: lead, error } = readImportedLead(payload);
    return error === null ? success({ lead, payload }) : failure(error);
  }
  const isPart = row !== null && route.startsWith("/recruiting/webhooks/");
  const parser = (isPart ? partParser : parserNamed)(vendor.parser ?? "");
  if (parser === undefined) return failure(`the vendor ${vendor.slug} has no parser`);
  const parse: Reading["parse"] = (given) => parser(given, vendor.parser_config);
  const { data, error } = readLead(parse, payload);
  if (error !== null) return failure(error);
  const { lead, resume } = data;
  return success({
    lead: resume === undefined ? lead : skipResume(lead, "replay"),
    payload,
    parse,
  });
}
