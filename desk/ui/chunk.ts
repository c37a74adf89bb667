import { type ComponentType, lazy } from "react";

/** A part of the page that could not be loaded: without a connection, or because a newer page has replaced this one. */
export class ChunkError extends Error {}

/**
 * A view that is loaded when it is first shown, or before by `preload`. Where that fails, the view throws a
 * {@link ChunkError}.
 */
export function chunk<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const view = lazy(async () => {
    try {
      return { default: await load() };
    } catch (cause) {
      throw new ChunkError("A part of the page could not be loaded.", { cause });
    }
  });
  // Only a view that is shown says that it could not be loaded.
  return Object.assign(view, { preload: () => void load().catch(() => {}) });
}
