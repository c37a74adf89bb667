/**
 * Ports that are taken at random. Systems give connections a port from 32,768 on, so none of them takes such a port
 * before it is used.
 */
const RANDOM_PORTS = { first: 20_000, count: 12_000 };

/** Ports that were free a moment ago, all different. */
export function freePorts(count: number): number[] {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = RANDOM_PORTS.first + Math.floor(Math.random() * RANDOM_PORTS.count);
    if (isPortFree(port)) ports.add(port);
  }
  return [...ports];
}

/** Whether something could listen on this port of 127.0.0.1 now. */
export function isPortFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}
