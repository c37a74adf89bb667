import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { MAIL_ABOUT, mailOptions, useSetMail } from "../data/mail.ts";
import { ActionError } from "../ui/action.tsx";
import { QueryResult, Skeleton } from "../ui/query_result.tsx";

/** What an agent is sent mail about, in the account menu. */
export function MailSettings({ agentId }: { agentId: string }) {
  const query = useQuery(mailOptions(agentId));
  const save = useSetMail(agentId);
  const [changed, setChanged] = useState<string[] | null>(null);

  function change(chosen: string[]): void {
    setChanged(chosen);
    save.mutate(chosen, { onError: () => setChanged(null) });
  }

  return (
    <fieldset>
      <legend>Mail me</legend>
      <QueryResult query={query} resource="mail settings" skeleton={<Skeleton rows={Object.keys(MAIL_ABOUT).length} />}>
        {(stored) => {
          const chosen = changed ?? stored;
          return Object.entries(MAIL_ABOUT).map(([about, words]) => (
            <label key={about} className="check">
              <input
                type="checkbox"
                checked={chosen.includes(about)}
                onChange={({ target }) =>
                  change(target.checked ? [...chosen, about] : chosen.filter((other) => other !== about))}
              />
              {words}
            </label>
          ));
        }}
      </QueryResult>
      <ActionError action={save} />
    </fieldset>
  );
}
