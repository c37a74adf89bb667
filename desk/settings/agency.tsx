import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Agency, type AgencyChanges, agencyQueries, changeAgency } from "../data/agency.ts";
import { CallError } from "../data/client.ts";
import { ActionError, problemOf, useAction } from "../ui/action.tsx";
import { Field } from "../ui/field.tsx";
import { QueryResult } from "../ui/query_result.tsx";
import { zoneText } from "../ui/zone_text.ts";
import { sayChanged } from "./say_changed.ts";

/** The name, the time zone and the hours of the agency. */
export function AgencySettings({ agencyId }: { agencyId: string }) {
  const query = useQuery(agencyQueries.one(agencyId));
  const [saves, setSaves] = useState(0);
  return (
    <QueryResult query={query} resource="agency">
      {(agency) => (
        <AgencyForm
          key={saves}
          agency={agency}
          readAgain={query.refetch}
          onSave={() => setSaves((count) => count + 1)}
        />
      )}
    </QueryResult>
  );
}

function AgencyForm({ agency, readAgain, onSave }: {
  agency: Agency;
  readAgain: () => Promise<unknown>;
  onSave: () => void;
}) {
  // As it was when the form was opened: what somebody else changes meanwhile is not lost unseen.
  const [opened] = useState(agency);
  const [isChanged, setChanged] = useState(false);
  const saving = useAction(async (fields: FormData) => {
    const given = Object.entries(Object.fromEntries(fields) as Record<string, string>);
    const differs = ([name, value]: [string, string]) => value.trim() !== shown(opened[name as keyof Agency]);
    const changes = Object.fromEntries(given.filter(differs).map(([name, value]) => [name, value.trim()]));
    if (Object.keys(changes).length === 0) return;
    const undo = await changeAgency(isChanged ? agency : opened, changes).catch(async (error) => {
      if (error instanceof CallError && error.status === 409) {
        // The error says who has changed it. The next Save replaces that value.
        await readAgain();
        setChanged(true);
      }
      throw error;
    });
    sayChanged("The agency is changed.", () => undo().then(onSave));
    onSave();
  });
  const field = (name: keyof AgencyChanges) => ({
    name,
    defaultValue: shown(opened[name]),
    autoComplete: "off",
    problem: problemOf(saving, name),
  });
  return (
    <form className="settings-form" onSubmit={saving.onSubmit} noValidate aria-label="The agency">
      <Field label="Name" hint="Recruits read it in texts." {...field("name")} />
      <Field label="Time zone" {...field("timezone")}>
        {!zones().some(([zone]) => zone === opened.timezone) && <option>{opened.timezone}</option>}
        {zones().map(([zone, name]) => <option key={zone} value={zone}>{name}</option>)}
      </Field>
      <fieldset>
        <legend>Hours, Monday to Friday</legend>
        <div className="fields">
          <Field label="Opens at" type="time" {...field("opens_at")} />
          <Field label="Closes at" type="time" {...field("closes_at")} />
        </div>
        <small>
          The first response and the notice of a long wait count only these hours. A list of conversations shows the
          whole wait. Texts are sent by the recruit’s local time.
        </small>
      </fieldset>
      <p className="buttons">
        <button type="submit" className="primary" aria-disabled={saving.isRunning}>Save</button>
      </p>
      <ActionError action={saving} fields={FIELDS} />
    </form>
  );
}

const FIELDS: (keyof AgencyChanges)[] = ["name", "timezone", "opens_at", "closes_at"];

let named: [zone: string, name: string][] | undefined;

/** The time zones with their names, by name. Made once: it takes a while. */
function zones() {
  return named ??= Intl.supportedValuesOf("timeZone").map((zone): [string, string] => [zone, zoneText(zone)])
    .sort(([, one], [, other]) => one.localeCompare(other));
}

/** A time without its seconds; anything else as it is. */
function shown(value: string): string {
  return value.replace(/^(\d\d:\d\d):\d\d$/, "$1");
}
