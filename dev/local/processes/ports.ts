/**
 * Ports that are taken at random. Systems give connections a port from 32,768 on, so none of them takes such a port
 * before it is used.
 */
const RANDOM_PORTS = { first: 20_000, count: 9_000 };

/** A range of its own for ports that are used minutes later: what starts meanwhile takes none of them. */
const KEPT_PORTS = { first: 29_000, count: 3_000 };

/** Ports that were free a moment ago, all different. They are to be used at once. */
export function freePorts(count: number, { first, count: size } = RANDOM_PORTS): number[] {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = first + Math.floor(Math.random() * size);
    if (isPortFree(port)) ports.add(port);
  }
  return [...ports];
}

/** Ports that were free a moment ago, all different, and that may be used much later or again and again. */
export function keptPorts(count: number): number[] {
  return freePorts(count, KEPT_PORTS);
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
