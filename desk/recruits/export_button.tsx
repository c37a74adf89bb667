import Download from "lucide-react/icons/download";
import { useState } from "react";
import { exportRecruits, readAllRecruits } from "../data/recruit_export.ts";
import type { Recruit, RecruitFilter } from "../data/recruits.ts";
import { ActionButton } from "../ui/action.tsx";
import { countText } from "../ui/count.ts";

/** Downloads all recruits of a list as CSV. That is noted with the user's name. */
export function ExportButton({ filter }: { filter: RecruitFilter }) {
  const [read, setRead] = useState<number | null>(null);
  async function run(): Promise<void> {
    try {
      setRead(0);
      await downloadRecruits(await readAllRecruits(filter, setRead));
    } finally {
      setRead(null);
    }
  }
  return (
    <span className="export" title="Each download is noted with your name.">
      <ActionButton act={run}>
        <Download size={16} /> Download as CSV
      </ActionButton>
      <span className="quiet" role="status">{read !== null && `${countText(read)} recruits read`}</span>
    </span>
  );
}

/** Gives the browser a file of these recruits. */
export async function downloadRecruits(rows: Recruit[]): Promise<void> {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await exportRecruits(rows));
  link.download = "recruits.csv";
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
