import type { Json } from "../../_shared/json.ts";
import { cleverconnect } from "./cleverconnect.ts";
import { generic } from "./generic.ts";
import { googleAds } from "./google_ads.ts";
import { greenhouse } from "./greenhouse.ts";
import { indeed } from "./indeed.ts";
import { jazzhr } from "./jazzhr.ts";
import { linkedin } from "./linkedin.ts";
import { mapping, mappingPart, splitLeads as splitMapping } from "./mapping.ts";
import { meta } from "./meta.ts";
import { monster } from "./monster.ts";
import type { Parser, SplitLeads } from "./parser.ts";
import { talroo } from "./talroo.ts";
import { splitTiktok, tiktok } from "./tiktok.ts";
import { typeform } from "./typeform.ts";
import { workable } from "./workable.ts";
import { ziprecruiter } from "./ziprecruiter.ts";

/** The parsers by the names that `vendors.parser` may hold. */
export const PARSERS: ReadonlyMap<string, Parser> = new Map(Object.entries({
  cleverconnect,
  generic,
  google_ads: googleAds,
  greenhouse,
  indeed,
  jazzhr,
  linkedin,
  mapping,
  meta,
  monster,
  talroo,
  tiktok,
  typeform,
  workable,
  ziprecruiter,
}));

/** The names of the parsers. */
export const PARSER_NAMES: readonly string[] = Array.from(PARSERS.keys());

/** Vendor-specific splitters of bodies; null if a body is one lead. */
const SPLITTERS: ReadonlyMap<string, (payload: Json, config: Json) => SplitLeads | null> = new Map(Object.entries({
  mapping: splitMapping,
  tiktok: splitTiktok,
}));

/**
 * Splits a webhook's body with several leads: a list, whatever the parser; the result of the mapping's expression
 * `leads`; or TikTok's notification of several leads.
 *
 * @returns null for a body that the parser reads as one lead
 */
export function splitLeads(name: string, payload: Json, config: Json): SplitLeads | null {
  const split = SPLITTERS.get(name)?.(payload, config) ?? null;
  const parse = PARSERS.get(name);
  if (split !== null || parse === undefined || !Array.isArray(payload)) return split;
  return { leads: payload, parse: (lead) => parse(lead, config) };
}

/** Returns the parser for each lead that {@link splitLeads} finds; undefined if there is no such parser. */
export function partParser(name: string): Parser | undefined {
  return name === "mapping" ? mappingPart : PARSERS.get(name);
}
