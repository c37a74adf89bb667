-- The search for the numbers and addresses of a person in vendors' payloads.

create function private.contact_pattern(phones text[], emails text[]) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- The country codes of E.164 that have less than three digits (ITU-T E.164, annex D)
  short_country_code constant text := '^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])';
  -- Between two digits of a number, also as forms encode it
  separator constant text := '(?:[^0-9A-Za-z",;:&=%<>{}]|%2[0-9BDEF]){0,3}';
begin
  -- No lookbehind: with one, a search takes a hundred times as long.
  return coalesce(
    (
      select string_agg(contact.pattern, '|')
      from (
        select
          '(?:^|[^0-9]|%2[0-9BDEF])(?:(?:00)?'
          || array_to_string(string_to_array(number.country, null), separator) || separator || ')?(?:0' || separator || ')?'
          || array_to_string(string_to_array(substr(number.phone, length(number.country) + 2), null), separator)
          || '(?:[^0-9]|$)'
        from (
          select p.phone, coalesce(substring(p.phone from short_country_code), substr(p.phone, 2, 3)) as country
          from unnest(phones) p (phone)
        ) number
        union all
        select
          -- A line break in JSON ends with a letter.
          '(?:^|[^a-z0-9._%+-]|\\[nrt]|%[0-9a-f]{2})'
          || replace(replace(regexp_replace(e.email, '([^a-z0-9@+])', '\\\1', 'g'), '+', '(?:\+|%2B)'), '@', '(?:@|%40)')
          || '(?:[^a-z0-9.-]|\.(?:[^a-z0-9]|$)|$)'
        from unnest(emails) e (email)
      ) contact (pattern)
    ),
    '(?!)'
  );
end
$$;

comment on function private.contact_pattern(text[], text[]) is
  'A regular expression (for ~*) that finds these numbers and addresses in a text, in any notation: with or without the '
  'country code, with separators, encoded in a form or in JSON. For empty lists it finds nothing.';
