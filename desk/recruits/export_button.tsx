import { useState } from "react";
import { exportRecruits } from "../data/recruit_export.ts";
import type { RecruitFilter } from "../data/recruits.ts";
import { ActionButton } from "../ui/action.tsx";
import { countText } from "../ui/count.ts";

/** Downloads the recruits of a list as CSV. That is noted with the user's name. */
export function ExportButton({ filter }: { filter: RecruitFilter }) {
  const [read, setRead] = useState<number | null>(null);
  async function run(): Promise<void> {
    try {
      setRead(0);
      const file = await exportRecruits(filter, setRead);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(file);
      link.download = "recruits.csv";
      link.click();
      // The browser has begun to read it by then.
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } finally {
      setRead(null);
    }
  }
  return (
    <div className="buttons">
      <ActionButton act={run}>Download as CSV</ActionButton>
      <span className="quiet" role="status">
        {read === null ? "Each download is noted with your name." : `${countText(read)} recruits read`}
      </span>
    </div>
  );
}
