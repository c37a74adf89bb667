import { Suspense } from "react";
import { chunk } from "./chunk.ts";
import { Skeleton } from "./states.tsx";

// Without a connection the conversation beside it stays.
const View = chunk(() => import("./recruit_timeline.tsx").then((loaded) => loaded.RecruitTimeline, () => NotLoaded));

function NotLoaded(_: { id: string }) {
  return <p className="quiet">The timeline could not be loaded. Check your network, and reload the page.</p>;
}

/** The timeline of a recruit, whose script is loaded when it is first shown. */
export function RecruitTimeline({ id }: { id: string }) {
  return (
    <Suspense fallback={<Skeleton rows={4} />}>
      <View id={id} />
    </Suspense>
  );
}
