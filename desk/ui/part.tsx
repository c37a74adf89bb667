import type { ComponentType } from "react";
import { chunk } from "./chunk.ts";

/**
 * A part of a view that is loaded when it is first shown. Where that fails, as without a connection, a sentence stands
 * in its place, and the rest of the view stays.
 *
 * @param name its name, which begins the sentence: "The timeline"
 */
export function part<Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) {
  const notLoaded = () => (
    <p className="quiet" role="status">{name} could not be loaded. Check your network, and reload the page.</p>
  );
  return chunk<Props>(() => load().catch(() => notLoaded));
}
