import { useState } from "react";
import type { Script } from "../../supabase/functions/worker/bot/script.ts";
import { agencyQueries, type BotScript, publishScript, switchBotOff } from "../data/agency.ts";
import { usePages } from "../data/pages.ts";
import { Badge } from "../ui/badge.tsx";
import { ConfirmButton } from "../ui/confirm.tsx";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { QueryResult } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { mayLose } from "../ui/unsaved.ts";
import { sayChanged } from "./say_changed.ts";
import { ScriptForm } from "./script_form.tsx";

/** What an agency begins with. */
const TEMPLATE: Script = {
  opening: "Hi {first_name}, this is {agency}. STOP ends this.",
  questions: [{ id: "licensed", ask: "Do you have a life insurance license?", answer: "yes_no" }],
  done: "Thank you. {agent} will write to you.",
  handoff_words: ["agent", "person"],
};

type Published = BotScript & { script: Script | null };

/** What the bot of the agency says: the script, a conversation to try it, and its versions. */
export function Bot({ agencyId }: { agencyId: string }) {
  const query = usePages(agencyQueries.scripts(agencyId));
  return (
    <QueryResult query={query} resource="scripts">
      {(scripts) => (
        <>
          <Scripts agencyId={agencyId} scripts={scripts as Published[]} />
          <LoadMoreButton query={query} />
        </>
      )}
    </QueryResult>
  );
}

function Scripts({ agencyId, scripts }: { agencyId: string; scripts: Published[] }) {
  const current = scripts[0]?.script ?? null;
  // The form begins anew with each script that is shown in it.
  const [{ shown, times }, show] = useState(() => ({
    shown: scripts.find(({ script }) => script !== null)?.script ?? TEMPLATE,
    times: 0,
  }));

  function begin(shown: Script): void {
    if (mayLose()) show(({ times }) => ({ shown, times: times + 1 }));
  }

  /** Publishes a script. What was there before comes back with Undo, also into the form. */
  async function publish(script: Script): Promise<void> {
    await publishScript(agencyId, script);
    sayChanged(
      "The script is published.",
      () => current === null ? switchBotOff(agencyId) : publishScript(agencyId, current).then(() => begin(current)),
    );
  }

  return (
    <>
      <p className="buttons part-act">
        {current === null
          ? <Badge meaning="warn">The bot is off</Badge>
          : <Badge meaning="good">Version {scripts[0]!.version} is on</Badge>}
        {current !== null && (
          <ConfirmButton
            label="Switch off"
            question={<p>The bot ends its part in all conversations, and says nothing until a script is published.</p>}
            act={() => switchBotOff(agencyId)}
          />
        )}
      </p>
      <ScriptForm key={times} script={shown} current={current} publish={publish} />
      {scripts.length > 0 && (
        <>
          <h3>Versions</h3>
          <ul className="rows">
            {scripts.map(({ id, version, script, published_at }) => (
              <li key={id}>
                <p className="line">
                  <strong>Version {version}</strong>
                  <span className="quiet">
                    {script === null ? "switched off" : "published"} <Time at={published_at} />
                  </span>
                </p>
                {script !== null && (
                  <p className="buttons">
                    <button type="button" onClick={() => begin(script)}>
                      Show <span className="visually-hidden">version {version}</span>
                    </button>
                    {script !== current && (
                      <ConfirmButton
                        label="Publish again"
                        of={`version ${version}`}
                        question={<p>Conversations that begin from now on get the words of version {version}.</p>}
                        act={() => publish(script).then(() => begin(script))}
                      />
                    )}
                  </p>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
