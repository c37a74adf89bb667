import { Component, type ReactNode } from "react";
import { queryClient } from "../data/queries.ts";
import { ChunkError } from "./chunk.ts";
import { Page } from "./page.tsx";
import { ErrorState, OldBuild } from "./query_result.tsx";

/** A boundary that keeps the frame when a view has a fault. React has no hook for it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { fault: unknown }> {
  override state = { fault: null as unknown };

  static getDerivedStateFromError(fault: unknown) {
    return { fault };
  }

  override componentWillUnmount() {
    this.forget();
  }

  /** Removes the data that the view may have failed on. */
  forget() {
    if (this.state.fault !== null) queryClient.removeQueries({ type: "inactive" });
  }

  override render() {
    const { fault } = this.state;
    if (fault === null) return this.props.children;
    if (fault instanceof ChunkError) {
      return (
        <Page title="This view cannot be opened">
          <div className="state" role="alert">
            <OldBuild>This page is older than the service, or has no connection.</OldBuild>
          </div>
        </Page>
      );
    }
    return (
      <Page title="This view has a fault">
        <ErrorState
          error="Tell the people who run the service what you did, and when."
          retry={() => {
            this.forget();
            this.setState({ fault: null });
          }}
        />
      </Page>
    );
  }
}
