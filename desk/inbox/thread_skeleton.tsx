import { Skeleton } from "../ui/query_result.tsx";

/** The place of a conversation that is being loaded. */
export function ThreadSkeleton() {
  return (
    <div className="thread">
      <Skeleton rows={5} />
    </div>
  );
}
