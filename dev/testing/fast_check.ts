/**
 * fast-check as all property tests import it: deno.json maps its name here. Each run tests the same examples, so that a
 * failure is of the change; `PROPERTY_SEED=<number>` tests others. A property that fails shows the smallest example found
 * in half a minute; to look for the very smallest can take many.
 */
import fc from "fast-check";

fc.configureGlobal({ interruptAfterTimeLimit: 30_000, seed: Number(Deno.env.get("PROPERTY_SEED") ?? 20_261_124) });

/** Any character. fast-check's own unit "binary" first lists all of them, which takes more than a second. */
export const character: fc.Arbitrary<string> = fc.nat(0x10ffff - 0x800).map(
  (n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800),
  (text) => {
    const code = (text as string).codePointAt(0)!;
    return code < 0xd800 ? code : code - 0x800;
  },
);

// For a compiler that does not read deno.json, the name is the package.
declare module "fast-check" {
  const character: Arbitrary<string>;
}

export default fc;
