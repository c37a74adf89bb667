import { Component, type ReactNode } from "react";
import { queryClient } from "../data/queries.ts";
import { Page } from "./page.tsx";
import { ErrorState } from "./states.tsx";

/** A boundary that keeps the frame when a view has a fault. React has no hook for it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFault: boolean }> {
  override state = { hasFault: false };

  static getDerivedStateFromError() {
    return { hasFault: true };
  }

  override componentWillUnmount() {
    this.forget();
  }

  /** Removes the data that the view may have failed on. */
  forget() {
    if (this.state.hasFault) queryClient.removeQueries({ type: "inactive" });
  }

  override render() {
    if (!this.state.hasFault) return this.props.children;
    return (
      <Page title="This view has a fault">
        <ErrorState
          error="Tell the people who run the service what you did, and when."
          retry={() => {
            this.forget();
            this.setState({ hasFault: false });
          }}
        />
      </Page>
    );
  }
}
