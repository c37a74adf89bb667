alter table "public"."recruiting_lead_duplicates"
  alter column "id"
    set default
    (encode(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((EXTRACT(epoch from clock_timestamp()) *
    (1000)::numeric))::bigint) from 3) from 1 for 6), 'hex'::text))::uuid;
