/** The process behind cold_start.ts: prints the milliseconds from the import of a function to its first answer. */
const [slug, route] = Deno.args as [string, string];
const index = new URL(`../../supabase/functions/${slug}/index.ts`, import.meta.url).href;
const request = new Request(`http://functions.internal${route}`, { method: "POST" });
const log = console.log;
console.log = () => {};

const startedAt = performance.now();
const { default: edgeFunction } = await import(index);
const response: Response = await edgeFunction.fetch(request);
await response.text();
const taken = performance.now() - startedAt;

if (response.status !== 401) throw new Error(`${route} answered ${response.status}`);
log(JSON.stringify(taken));
