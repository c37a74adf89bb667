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

const PARSERS: Readonly<Record<string, Parser>> = {
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
};

/** The names that `vendors.parser` may hold. */
export const PARSER_NAMES: readonly string[] = Object.keys(PARSERS);

/** The parser with this name; undefined where there is none. */
export function parserNamed(name: string): Parser | undefined {
  return Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined;
}

/** The splitters of bodies in the vendor's own way; null where a body is one lead. */
const SPLITTERS: Readonly<Record<string, (payload: Json, config: Json) => SplitLeads | null>> = {
  mapping: splitMapping,
  tiktok: splitTiktok,
};

/**
 * Splits a webhook's body with several leads: a list, whatever the parser, what the mapping's expression `leads` finds,
 * and TikTok's notification of several leads.
 *
 * @returns null for a body that the parser reads as one lead
 */
export function splitLeads(name: string, payload: Json, config: Json): SplitLeads | null {
  const split = Object.hasOwn(SPLITTERS, name) ? SPLITTERS[name]!(payload, config) : null;
  const parse = parserNamed(name);
  if (split !== null || parse === undefined || !Array.isArray(payload)) return split;
  return { leads: payload, parse: (lead) => parse(lead, config) };
}

/** The parser for one lead of those that {@link splitLeads} finds; undefined where there is no such parser. */
export function partParser(name: string): Parser | undefined {
  return name === "mapping" ? mappingPart : parserNamed(name);
}
