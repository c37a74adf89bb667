-- The URLs to which the worker sends.

create function private.is_destination_url(url text) returns boolean
language sql
immutable
set search_path = ''
as $$
  select url ~ '^[\x21-\x7e]+$' and length(url) <= 2048 and (
    -- A name, not an address in any notation: its last label begins with a letter. What it resolves to is seen when it is sent to.
    url ~* '^https://([a-z0-9]([a-z0-9_-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?(:[0-9]{1,5})?([/?][^#]*)?$'
    and url !~* '^https://[^/?:]*\.(localhost|local|internal)([/?:]|$)'
    -- The worker sends there on the local stack alone.
    or url ~* '^http://(localhost|127\.0\.0\.1)(:[0-9]{1,5})?([/?][^#]*)?$')
$$;

comment on function private.is_destination_url(text) is
  'Whether a destination can have the URL: https and the name of a host, without user information; or http to this computer.';
