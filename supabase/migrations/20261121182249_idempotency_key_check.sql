alter table "private"."idempotency_keys"
  drop constraint "idempotency_keys_key_check";

alter table "private"."idempotency_keys"
  add constraint "idempotency_keys_key_check" check (((key ~ '^[\x21-\x7e]+$'::text) AND (length(key) <= 255)));
