import { Fragment, useId, useState } from "react";
import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { MAPPING_FIELDS } from "../../supabase/functions/_shared/mapping_fields.ts";
import {
  draftFrom,
  draftOf,
  isSavingMapping,
  keepDraft,
  type Mapping,
  type MappingDraft,
  mappingProblem,
  mappingQueries,
  type OpenedSample,
  useSaveMapping,
} from "../data/mapping.ts";
import { operatorQueries } from "../data/operator.ts";
import { ActionError } from "../ui/action.tsx";
import { countText } from "../ui/count.ts";
import { Page } from "../ui/page.tsx";
import { useDebounced } from "../ui/search.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { useUnsaved } from "../ui/unsaved.ts";
import { groupOf, pathOf } from "./deliveries.tsx";
import { MappingResult, MappingVerdict } from "./mapping_result.tsx";
import { ReplayAll, useReplayAll } from "./replay_all.tsx";
import { SamplePayload } from "./sample_payload.tsx";
import { useVendorName } from "./vendor_name.tsx";

/** A vendor's mapping, which is edited beside a payload and the lead that it makes of it. */
export function MappingView({ vendor, delivery }: { vendor: string; delivery?: string }) {
  const query = useQuery(mappingQueries.of(vendor));
  const nameOf = useVendorName();
  return (
    <Page title={`Mapping of ${nameOf(vendor)}`} className="wide">
      <p className="line back">
        {delivery !== undefined && <DeliveriesLink id={delivery} />}
        <Link href="/operator/vendors/keys">All vendors</Link>
      </p>
      <QueryResult query={query} resource="mapping">
        {(mapping) =>
          mapping === null
            ? (
              <EmptyState title="This vendor has no mapping.">
                Only vendors whose parser is “mapping” have one.
              </EmptyState>
            )
            : <Editor mapping={mapping} delivery={delivery} />}
      </QueryResult>
    </Page>
  );
}

/** Leads back to the open deliveries that were rejected for the same reason. */
function DeliveriesLink({ id }: { id: string }) {
  const { data: delivery } = useQuery(operatorQueries.delivery(id));
  const nameOf = useVendorName();
  return delivery && <Link href={pathOf(groupOf(delivery))}>Rejected deliveries of {nameOf(delivery.vendor)}</Link>;
}

function Editor({ mapping, delivery }: { mapping: Mapping; delivery?: string }) {
  const [draft, setDraft] = useState(() => draftOf(mapping));
  const [opened, setOpened] = useState<OpenedSample>();
  const save = useSaveMapping(mapping);
  const text = useDebounced(draft.text);
  const preview = useQuery({
    ...mappingQueries.preview(opened?.action_id ?? "", text),
    enabled: opened !== undefined,
  });
  const isChanged = draft.text !== draft.from;
  const isLate = preview.isFetching || text !== draft.text.trim();
  // A save of what was typed before may have been refused since.
  const refused = save.variables?.text === draft.text ? save.error : null;
  const found = mappingProblem(preview.error) ?? mappingProblem(refused);
  const [problem, setProblem] = useState(found);
  // It stays until the next answer: a sentence that comes and goes with each key helps nobody.
  if (!isLate && found !== problem) setProblem(found);
  const tried = opened?.delivery ?? delivery ?? "";
  const { data: rejected } = useQuery(operatorQueries.delivery(tried));
  const all = useReplayAll(rejected ? groupOf(rejected) : undefined);
  // The result of another mapping is not shown.
  const [dryRunOf, setDryRunOf] = useState("");
  const isSaved = !isChanged && save.isSuccess;
  const isTried = dryRunOf === draft.text + tried;
  const passes = isTried && all.passing?.length;
  const isConflict = mapping.version !== draft.seen && !save.isPending;

  useUnsaved(isChanged, true);

  function change(changed: MappingDraft): void {
    keepDraft(mapping, changed);
    setDraft(changed);
    // While it runs, its result counts for what was typed before.
    if (!isSavingMapping(mapping)) save.reset();
  }

  function submit(event: React.SubmitEvent): void {
    event.preventDefault();
    if (isSavingMapping(mapping)) return;
    const onSuccess = (seen: string) => setDraft(({ text }) => ({ text, from: draft.text, seen }));
    save.mutate(draft, { onSuccess });
  }

  return (
    <>
      {isConflict && (
        <Conflict
          mapping={mapping}
          onTake={() => change(draftFrom(mapping))}
          onKeep={() => change({ ...draft, from: mapping.parser_config, seen: mapping.version })}
        />
      )}
      {opened && <MappingVerdict preview={preview} isUnreadable={problem !== null} />}
      {isTried && <ReplayAll of={all} />}
      <div className="beside">
        <SamplePayload mapping={mapping} delivery={delivery} opened={opened} onOpen={setOpened} />
        <form onSubmit={submit}>
          <MappingField text={draft.text} problem={problem} onChange={(text) => change({ ...draft, text })} />
          <p className="buttons">
            <button type="submit" className={isSaved ? undefined : "primary"} aria-disabled={save.isPending}>
              Save
            </button>
            {rejected && (
              <button
                type="button"
                title="Tries all deliveries that were rejected for the same reason."
                aria-disabled={problem !== null || all.isRunning}
                onClick={() => {
                  if (problem !== null) return;
                  setDryRunOf(draft.text + tried);
                  all.start(true, undefined, draft.text);
                }}
              >
                Dry run of all
              </button>
            )}
            {isChanged && (
              <button type="button" onClick={() => change({ ...draft, text: draft.from })}>
                Take back the changes
              </button>
            )}
            <span role="status">
              {isChanged ? "Not saved yet." : isSaved && "Saved. It works within seconds."}
            </span>
            {(isSaved || isTried && !isChanged) && rejected && (
              <Link href={pathOf(groupOf(rejected))} className="button primary">
                {passes ? `Replay the ${countText(passes)}` : "Back to the rejected deliveries"}
              </Link>
            )}
          </p>
          {mappingProblem(save.error) === null && <ActionError action={save} />}
          <KnownFields />
        </form>
        <MappingResult
          preview={preview}
          isOpen={opened !== undefined}
          isLate={isLate}
          isUnreadable={problem !== null}
        />
      </div>
    </>
  );
}

function MappingField(
  { text, problem, onChange }: { text: string; problem: string | null; onChange: (text: string) => void },
) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>Mapping</label>
      <p id={`${id}-problem`} className="problem" role="alert">{problem}</p>
      <textarea
        id={id}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-problem ${id}-hint`}
      />
      <small id={`${id}-hint`}>
        JSON: for each field of a lead a JMESPath expression, as in {'{"fields": {"first_name": "person.name"}}'}.
      </small>
    </>
  );
}

/** The fields that have the same meaning and type for every vendor. */
function KnownFields() {
  return (
    <details>
      <summary>Fields that a mapping can fill</summary>
      <dl className="facts">
        {Object.entries(MAPPING_FIELDS).map(([kind, names]) => (
          <Fragment key={kind}>
            <dt>{kind}</dt>
            <dd>
              <code>{names.join(", ")}</code>
            </dd>
          </Fragment>
        ))}
      </dl>
      <p className="quiet">A field of any other name is kept with the lead as it was found.</p>
    </details>
  );
}

/** What somebody else has saved since the mapping was opened here. */
function Conflict({ mapping, onTake, onKeep }: { mapping: Mapping; onTake: () => void; onKeep: () => void }) {
  return (
    <section className="notice" role="alert" aria-label="Changed meanwhile">
      <p>Somebody has saved another mapping since you opened this one. What you typed is still in the box.</p>
      <details>
        <summary>The mapping that is saved now</summary>
        <pre tabIndex={0} role="region" aria-label="Saved mapping">{mapping.parser_config}</pre>
      </details>
      <p className="buttons">
        <button type="button" onClick={onKeep}>Go on with mine</button>
        <button type="button" onClick={onTake}>Take the saved one</button>
      </p>
    </section>
  );
}
