import { cleverconnect } from "./cleverconnect.ts";
import { generic } from "./generic.ts";
import { googleAds } from "./google_ads.ts";
import { greenhouse } from "./greenhouse.ts";
import { indeed } from "./indeed.ts";
import { linkedin } from "./linkedin.ts";
import { mapping } from "./mapping.ts";
import { meta } from "./meta.ts";
import { monster } from "./monster.ts";
import type { Parser } from "./parser.ts";
import { talroo } from "./talroo.ts";
import { ziprecruiter } from "./ziprecruiter.ts";

const PARSERS: Readonly<Record<string, Parser>> = {
  cleverconnect,
  generic,
  google_ads: googleAds,
  greenhouse,
  indeed,
  linkedin,
  mapping,
  meta,
  monster,
  talroo,
  ziprecruiter,
};

/** The names that `vendors.parser` may hold. */
export const PARSER_NAMES: readonly string[] = Object.keys(PARSERS);

/** The parser with this name; undefined where there is none. */
export function parserNamed(name: string): Parser | undefined {
  return Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined;
}
