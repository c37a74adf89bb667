import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import type { FoundField, MappingPreview, SavedMapping } from "../../supabase/functions/_shared/mapping_result.ts";
import { call, CallError, repeat, supabase } from "./client.ts";
import { post } from "./desk_function.ts";
import { asOperator, operatorQueries } from "./operator.ts";
import { queryClient } from "./queries.ts";

export type { FoundField, MappingPreview };

/** The mapping of a vendor, as it is saved. */
export interface Mapping {
  vendor_id: string;
  /** The vendor's slug. */
  vendor: string;
  name: string;
  /** A text of JSON. */
  parser_config: string;
  /** Another one for each other mapping. */
  version: string;
}

/** Something that a mapping can be tried on: a rejected delivery, or what nobody has read of a stored lead. */
export interface Sample {
  kind: "delivery" | "lead";
  id: string;
  received_at: string;
  vendor_lead_id: string | null;
  /** Of a delivery: whether it is open, and why it was rejected. */
  status: string | null;
  reason: string | null;
}

/** A sample whose payload the operator reads. */
export interface OpenedSample {
  /** What the reading is noted as. */
  action_id: string;
  /** A text of JSON. */
  payload: string;
  /** The delivery that it is of; undefined: it is of a lead. */
  delivery?: string;
}

/** A mapping that is being edited. */
export interface MappingDraft {
  text: string;
  /** The text that was edited. */
  from: string;
  /** The version of that. */
  seen: string;
}

export const mappingQueries = {
  all: () => [...operatorQueries.all(), "mappings"],
  /** The slugs of the vendors that have a mapping, by name. */
  vendors: () =>
    queryOptions({
      queryKey: [...mappingQueries.all(), "vendors"],
      queryFn: async () => {
        const rows = await asOperator(call(supabase.from("mapping_list").select("vendor").order("vendor")));
        return rows.map(({ vendor }) => vendor!);
      },
    }),
  /** The mapping of a vendor; null: it has none. */
  of: (vendor: string) =>
    queryOptions({
      queryKey: [...mappingQueries.all(), "of", vendor],
      queryFn: async () =>
        await asOperator(
          call(supabase.from("mapping_list").select().eq("vendor", vendor).maybeSingle()),
        ) as Mapping | null,
    }),
  /** What the mapping can be tried on, and this delivery, deliveries before leads, the newest first. */
  samples: (vendor_id: string, delivery_id?: string) =>
    queryOptions({
      queryKey: [...mappingQueries.all(), "samples", vendor_id, delivery_id],
      queryFn: async () =>
        await asOperator(call(supabase.rpc("mapping_samples", { vendor_id, delivery_id }))) as Sample[],
    }),
  /** The lead that an edited mapping makes of a sample. An answer to an older text is not looked at. */
  preview: (action_id: string, parser_config: string) =>
    queryOptions({
      queryKey: [...mappingQueries.all(), "preview", action_id, parser_config],
      queryFn: ({ signal }) =>
        asOperator(call(post<MappingPreview>("mappings/preview", { action_id, parser_config }, signal))),
      // What is shown stays until the answer to the newest text is there.
      placeholderData: keepPreviousData,
      staleTime: Infinity,
      refetchInterval: false,
      refetchOnWindowFocus: false,
      // It has data of a person.
      gcTime: 0,
    }),
};

/** Reads a sample. The database shows it only after it was stored who reads it. */
export function useOpenSample() {
  return useMutation({
    mutationFn: async ({ kind, id }: Sample): Promise<OpenedSample> => {
      const begun = call(
        supabase.rpc("begin_operator_action", { action: "mapping try", subject: { [`${kind}_id`]: id } }),
      );
      const action_id = await asOperator(begun);
      const sample = await asOperator(call(supabase.rpc("read_sample", { action_id })));
      const { payload } = sample as { payload: string };
      return { action_id, payload, delivery: kind === "delivery" ? id : undefined };
    },
  });
}

/** Saves a mapping, and returns its version. Somebody else's change since `seen` is not undone: it is a conflict. */
export function useSaveMapping(mapping: Mapping) {
  const { vendor, vendor_id } = mapping;
  return useMutation({
    mutationKey: saveKey(mapping),
    mutationFn: async ({ text, seen }: MappingDraft): Promise<string> => {
      // A repeated save is the same save.
      const saved = repeat(() => post<SavedMapping>("mappings", { vendor_id, parser_config: text, seen }));
      return (await asOperator(saved)).version;
    },
    // Also when the page of the mapping was left meanwhile. What was typed since stays.
    onSuccess: (seen, { text: from }) => keepDraft(mapping, { text: draftOf(mapping).text, from, seen }),
    // Also after a conflict: then the page shows what the other has saved.
    onSettled: () => queryClient.invalidateQueries(mappingQueries.of(vendor)),
  });
}

const saveKey = ({ vendor_id }: Mapping) => ["save mapping", vendor_id];

/** Whether the mapping is being saved now. What is rendered says it later: a click and a key can come before. */
export function isSavingMapping(mapping: Mapping): boolean {
  return queryClient.isMutating({ mutationKey: saveKey(mapping) }) > 0;
}

/** Why a mapping cannot be read, with its field; null for an error of another kind. */
export function mappingProblem(error: Error | null): string | null {
  if (!(error instanceof CallError) || error.status !== 400) return null;
  const field = error.field.replace(/^parser_config\.?/, "");
  return field === "" ? error.message.replace(/^Parser_config/, "The mapping") : `${field}: ${error.message}`;
}

const draftKey = ({ vendor_id }: Mapping) => ["mapping draft", vendor_id];

/** What was typed and not saved. It lasts until the user signs out or closes the page. */
export function draftOf(mapping: Mapping): MappingDraft {
  return queryClient.getQueryData(draftKey(mapping)) ?? draftFrom(mapping);
}

/** The mapping as it is saved, before anything is typed. */
export function draftFrom({ parser_config, version }: Mapping): MappingDraft {
  return { text: parser_config, from: parser_config, seen: version };
}

/** Keeps what was typed. */
export function keepDraft(mapping: Mapping, draft: MappingDraft): void {
  queryClient.setQueryDefaults(draftKey(mapping), { gcTime: Infinity });
  if (draft.text === draft.from) queryClient.removeQueries({ queryKey: draftKey(mapping) });
  else queryClient.setQueryData(draftKey(mapping), draft);
}
