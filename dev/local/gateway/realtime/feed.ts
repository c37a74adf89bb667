import type postgres from "postgres";

/** A message that the database sends to the clients that have joined its topic. */
export interface Broadcast {
  id: string;
  topic: string;
  event: string;
  payload: unknown;
}

/**
 * Hears what `realtime.send` sends, over one connection that is opened again whenever it is lost.
 *
 * @param onBroadcast is called in the order of the commits
 * @param onGap is called when the connection was lost and is back: what was sent meanwhile is not heard any more
 * @returns resolves as soon as it listens, and never rejects
 */
export function listen(
  sql: postgres.Sql,
  onBroadcast: (broadcast: Broadcast) => void,
  onGap: () => void,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasListened = false;
  sql.listen("realtime_messages", (message) => {
    try {
      onBroadcast(JSON.parse(message));
    } catch (error) {
      console.error("Realtime could not send a broadcast.", error);
    }
  }, () => {
    if (hasListened) onGap();
    hasListened = true;
    resolve();
  }).catch((error) => {
    // The client goes on trying.
    console.error(`Realtime cannot listen yet: ${error.message}`);
  });
  return promise;
}
