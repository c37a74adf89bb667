-- How many segments a text is sent in. A segment has 140 octets; of several, each begins with a header of 6 octets.
-- The alphabet decides: GSM-7 (3GPP TS 23.038) has 7 bits for a character, and any other character makes the whole text
-- UCS-2, with 16 bits. Neither a character nor one with its accents and joined emoji is divided between two segments.

create function private.text_segments(body text) returns integer
language plpgsql
immutable
set search_path = ''
as $$
declare
  gsm constant text :=
    '[]\n\f\r !"#$%&''()*+,./0-9:;<=>?@A-Z[\\^_a-z{|}~¡£¤¥§¿ÄÅÆÉÑÖØÜßàäåæÇèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ€-]';
  -- These need an escape character before them.
  gsm_extension constant text := '[]\f[\\^{|}~€]';
  -- What follows a character and stays with it: accents, variation selectors, skin tones, tags, and what is joined.
  -- Flags are pairs of letters of their own.
  character constant text :=
    '(?:[\U0001F1E6-\U0001F1FF]{2}|.)'
    '(?:[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20F0\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
    '\U000E0020-\U000E007F]|\u200D[\u2600-\u27BF\U0001F300-\U0001FAFF]?)*';
  is_gsm constant boolean := coalesce(body, '') !~ ('[^' || substr(gsm, 2));
  -- Characters of 7 bits, or pairs of octets: of a text in one segment, and of each of several segments.
  single constant integer := case when is_gsm then 160 else 70 end;
  part constant integer := case when is_gsm then 153 else 67 end;
  wide constant text := case when is_gsm then gsm_extension else '[\U00010000-\U0010FFFF]' end;
  segments integer := 1;
  used integer := 0;
  unit text;
  size integer;
begin
  if length(body) + regexp_count(body, wide) <= single then
    return 1;
  end if;
  for unit in
    select m[1] from regexp_matches(body, case when is_gsm then '.' else character end, 'g') m
  loop
    size := length(unit) + regexp_count(unit, wide);
    if used + size > part then
      segments := segments + 1;
      used := 0;
    end if;
    used := used + size;
  end loop;
  return segments;
end
$$;

comment on function private.text_segments(text) is
  'The number of segments that the SMS provider sends and charges for this text; 1 for an empty one. As Twilio''s '
  'sms-segments-calculator counts; it may differ by one where accents of rare scripts lie between two segments.';
