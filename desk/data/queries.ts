import { onlineManager, QueryClient } from "@tanstack/react-query";
import { CallError } from "./client.ts";

// The library supposes that a page that opens has a network.
onlineManager.setOnline(navigator.onLine);

/**
 * The cache of all that the page has read. It is read again on focus, when the network is back, each minute, and when
 * an event says that something has changed (live.ts). So an event that is lost costs a minute at most.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchInterval: 60_000,
      refetchOnWindowFocus: "always",
      refetchOnReconnect: "always",
      // Browsers are wrong at times when they say that there is no network.
      networkMode: "offlineFirst",
      retry: (failures, error) => failures < 3 && (!(error instanceof CallError) || error.mayPass),
    },
    // A user who acts without a network gets the error at once.
    mutations: { networkMode: "always" },
  },
});

/** Reads everything again once a change is done, or was refused: others may have changed it, also what the user may do. */
export async function readAllAgain<Data>(done: Promise<Data>): Promise<Data> {
  return await done.finally(() => void queryClient.invalidateQueries());
}
