import type { StackInfo } from "./stack.ts";

/** A request that works as pasted. */
export interface Example {
  route: string;
  title: string;
  /** For a shell, with the stack's own addresses and keys in it. */
  command: string;
}

/** One ready-to-paste request for each route, made for a running stack and its seed. */
export function examples(stack: StackInfo): Example[] {
  const vendor = stack.vendors.find(({ parser }) => parser === "generic");
  const list: Example[] = [];
  if (vendor) {
    list.push({
      route: "POST /recruiting/ingest",
      title: "A vendor posts a recruit",
      command: curl(`${stack.functions_url}/recruiting/ingest`, {
        Authorization: `Bearer ${vendor.api_key}`,
      }, { first_name: "Ada", last_name: "Lovelace", phone: "+12025550143", state: "TX" }),
    });
  }
  return list;
}

function curl(url: string, headers: Record<string, string>, body: unknown): string {
  return [
    `curl -sS -X POST '${url}'`,
    ...Object.entries({ ...headers, "Content-Type": "application/json" })
      .map(([name, value]) => `-H '${name}: ${value}'`),
    `-d '${JSON.stringify(body)}'`,
  ].join(" \\\n  ");
}
