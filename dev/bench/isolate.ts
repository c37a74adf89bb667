/**
 * The process behind startIsolate: it takes the function's entry point and the URL of PostgREST, to which its calls go
 * without the gateway, and prints its port.
 */
const prefix = `${Deno.env.get("SUPABASE_URL")}/rest/v1`;
const send = globalThis.fetch;
globalThis.fetch = (input, init) =>
  send(input instanceof Request ? input : String(input).replace(prefix, Deno.args[1]!), init);
await import("../testing/hosted/function_worker.ts");
