/**
 * fast-check as all property tests import it: deno.json maps its name here. A property that fails shows the smallest
 * example found in half a minute; to look for the very smallest can take many.
 */
import fc from "fast-check";

fc.configureGlobal({ interruptAfterTimeLimit: 30_000 });

export default fc;
