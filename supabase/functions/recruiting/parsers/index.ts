import { cleverconnect } from "./cleverconnect.ts";
import { generic } from "./generic.ts";
import { googleAds } from "./google_ads.ts";
import { greenhouse } from "./greenhouse.ts";
import { indeed } from "./indeed.ts";
import { linkedin } from "./linkedin.ts";
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
  meta,
  monster,
  talroo,
  ziprecruiter,
};

/** The names that `vendors.parser` may hold. */
export const PARSER_NAMES: readonly string[] = [...Object.keys(PARSERS), "mapping"].sort();

/** The parser of this name. `mapping` is loaded when it is first asked for: it alone needs zod and JMESPath. */
export async function parserNamed(name: string): Promise<Parser | undefined> {
  if (name === "mapping") return (await import("./mapping.ts")).mapping;
  return Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined;
}
