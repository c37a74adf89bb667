/**
 * Serves one function as the platform does: started from the uploaded files alone, it imports the entry point and hands
 * every request to what that exports. It prints its port. Run by each Deno that the functions must work on.
 */
const { default: edgeFunction } = await import(Deno.args[0]!);
Deno.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => console.log(port),
}, (request) => edgeFunction.fetch(request));
