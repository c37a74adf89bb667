import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { connect } from "./data/client.ts";
import { readConfig } from "./data/config.ts";
import { queryClient } from "./data/queries.ts";
import { Routes } from "./routes.tsx";
import { readLink } from "./session/link.ts";
import { followSession } from "./session/session.ts";
import { useDeskLocation, useDeskSearch } from "./ui/location.ts";
import { Page } from "./ui/page.tsx";
import { ErrorState } from "./ui/query_result.tsx";
import { viewStands } from "./ui/standing.ts";

const root = createRoot(document.getElementById("desk")!);
try {
  // The outbox needs the locks and the ids of texts that a browser has only there.
  if (!isSecureContext) throw new Error("It works only at an address that begins with https.");
  const link = readLink();
  connect(await readConfig());
  followSession();
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Router hook={useDeskLocation} searchHook={useDeskSearch}>
          <Routes link={link} />
        </Router>
      </QueryClientProvider>
    </StrictMode>,
  );
  void viewStands().then(registerWorker);
} catch (error) {
  root.render(
    <Page title="The desk cannot be opened" className="narrow">
      <ErrorState error={error} retry={() => location.reload()} />
    </Page>,
  );
}

/** The shell opens without a network from now on. A browser that has no workers, as in private windows, goes without. */
async function registerWorker(): Promise<void> {
  try {
    await navigator.serviceWorker?.register("service_worker.js", { updateViaCache: "none" });
  } catch {
    // `npm run desk -- dev` has none, and the network may be gone.
  }
}
