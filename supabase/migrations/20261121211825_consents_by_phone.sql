create index text_consents_phone_idx on public.text_consents using btree (phone);
