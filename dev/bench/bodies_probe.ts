/**
 * The process behind bodies.ts: serves both functions on a port that it prints, as an isolate does. `GET /usage` gives
 * its CPU seconds, the highest size of the process, and the present size of V8's heap and buffers, both in MiB.
 */
import process from "node:process";

const log = console.log;
console.log = console.error = () => {};
const functions = {
  recruiting: (await import("../../supabase/functions/recruiting/index.ts")).default,
  api: (await import("../../supabase/functions/api/index.ts")).default,
};

Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => log(port) }, (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/usage") {
    const { user, system } = process.cpuUsage();
    const { heapUsed, external } = Deno.memoryUsage();
    return Response.json({
      seconds: (user + system) / 1e6,
      process: peakMemory(),
      heap: (heapUsed + external) / 2 ** 20,
    });
  }
  const name = pathname.split("/")[1] as keyof typeof functions;
  return functions[name].fetch(new Request(`http://functions.internal${pathname}`, request));
});

function peakMemory(): number {
  try {
    const status = Deno.readTextFileSync("/proc/self/status");
    return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
  } catch {
    // Where there is no /proc. On Linux this figure would have the memory of the parent in it.
    return process.resourceUsage().maxRSS / 1024;
  }
}
