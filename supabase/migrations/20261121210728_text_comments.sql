comment on column "public"."recruiting_messages"."error_code" is 'Error code of the last callback that had one, or why a text of ours was not sent.';

comment on column "public"."recruiting_messages"."status" is 'Delivery status from the last callback. Before the first one: null, queued once the provider has accepted a text of ours, or failed when it was not sent.';

comment on column "public"."text_outbox"."reason" is 'Why it waits or was not sent: `quiet_hours`, `number_paused`, `opted_out`, `later`, `no_response`, `worker_died`, `resend`, `unconfirmed`, `storage`, `media_not_found`, or the provider''s error code or HTTP status.';
