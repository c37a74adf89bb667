/**
 * fast-check as all property tests import it: deno.json maps its name here. Each run tests the same examples, so that a
 * failure is of the change; `PROPERTY_SEED=<number>` tests others. A property that fails shows the smallest example found
 * in half a minute; to look for the very smallest can take many.
 */
import fc from "fast-check";

fc.configureGlobal({ interruptAfterTimeLimit: 30_000, seed: Number(Deno.env.get("PROPERTY_SEED") ?? 20_261_124) });

export default fc;
