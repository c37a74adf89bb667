import { Suspense } from "react";
import { part } from "./part.tsx";
import { Skeleton } from "./query_result.tsx";

const View = part("The timeline", async () => (await import("./recruit_timeline.tsx")).RecruitTimeline);

/** The timeline of a recruit, whose script is loaded when it is first shown. */
export function RecruitTimeline(shown: { id: string; name: string; besides?: string }) {
  return (
    <Suspense fallback={<Skeleton rows={4} />}>
      <View {...shown} />
    </Suspense>
  );
}
