import { useState } from "react";
import type { Json } from "../../supabase/functions/_shared/database.types.ts";
import { agencyQueries, type BotScript, publishScript, switchBotOff } from "../data/agency.ts";
import { usePages } from "../data/pages.ts";
import { ActionError, useAction } from "../ui/action.tsx";
import { Badge } from "../ui/badge.tsx";
import { ConfirmButton } from "../ui/confirm.tsx";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { QueryResult } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { sayChanged } from "./say_changed.ts";
import { TryScript } from "./try_script.tsx";

/** What an agency begins with. */
const TEMPLATE = {
  opening: "Hi {first_name}, this is {agency}. STOP ends this.",
  questions: [{ id: "licensed", ask: "Do you have a life insurance license?", answer: "yes_no" }],
  done: "Thank you. {agent} will write to you.",
  handoff_words: ["agent", "person"],
};

/** What the bot of the agency says: the script, a conversation to try it, and its versions. */
export function Bot({ agencyId }: { agencyId: string }) {
  const query = usePages(agencyQueries.scripts(agencyId));
  return (
    <section aria-label="Bot">
      <QueryResult query={query} resource="scripts">
        {(scripts) => (
          <>
            <Scripts agencyId={agencyId} scripts={scripts} />
            <LoadMoreButton query={query} />
          </>
        )}
      </QueryResult>
    </section>
  );
}

function Scripts({ agencyId, scripts }: { agencyId: string; scripts: BotScript[] }) {
  const current = scripts[0]?.script ?? null;
  const [text, setText] = useState(() => textOf(scripts.find(({ script }) => script !== null)?.script ?? TEMPLATE));
  const parsed = parse(text);

  /** Publishes a script. What was there before comes back with Undo. */
  async function publish(script: Json): Promise<void> {
    await publishScript(agencyId, script);
    sayChanged(
      "The script is published.",
      () => current === null ? switchBotOff(agencyId) : publishScript(agencyId, current),
    );
  }

  const publishing = useAction(async () => {
    if (parsed.problem !== null) throw new Error(parsed.problem);
    await publish(parsed.script);
  });
  return (
    <>
      <p className="buttons">
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
      <div className="bot-script">
        <div className="settings-form">
          <textarea
            aria-label="Script"
            rows={22}
            spellCheck={false}
            value={text}
            aria-invalid={parsed.problem !== null}
            onChange={({ target }) => setText(target.value)}
          />
          {parsed.problem !== null && <p className="problem" role="status">{parsed.problem}</p>}
          <ActionError action={publishing} />
          <p className="buttons">
            <button
              type="button"
              className="primary"
              aria-disabled={publishing.isRunning}
              onClick={() => publishing.run()}
            >
              Publish
            </button>
            <span className="quiet">Conversations that have begun keep their script.</span>
          </p>
        </div>
        {parsed.problem === null && <TryScript key={text} script={parsed.script} />}
      </div>
      {scripts.length > 0 && (
        <>
          <h2>Versions</h2>
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
                    <button type="button" onClick={() => setText(textOf(script))}>
                      Show <span className="visually-hidden">version {version}</span>
                    </button>
                    {script !== current && (
                      <ConfirmButton
                        label="Publish again"
                        of={`version ${version}`}
                        question={<p>Conversations that begin from now on get the words of version {version}.</p>}
                        act={() => publish(script)}
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

function textOf(script: unknown): string {
  return JSON.stringify(script, null, 2);
}

function parse(text: string): { script: Json; problem: null } | { script: null; problem: string } {
  try {
    return { script: JSON.parse(text), problem: null };
  } catch (error) {
    return { script: null, problem: `This is no JSON: ${(error as Error).message}.` };
  }
}
