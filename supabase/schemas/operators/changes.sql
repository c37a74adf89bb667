-- What the functions that change a row by an object of new values have in common.

create function private.check_changes(stored jsonb, changes jsonb, seen jsonb, columns text[], refusal text) returns void
language plpgsql
set search_path = ''
as $$
declare
  field text;
begin
  if jsonb_typeof(changes) is distinct from 'object' then
    perform private.invalid_field('changes', 'must be an object');
  end if;
  for field in select k from jsonb_object_keys(changes) k loop
    if field <> all (columns) then
      perform private.invalid_field(field, refusal);
    elsif seen is not null and stored -> field is distinct from seen -> field and stored -> field <> changes -> field then
      raise exception '%: % has changed it meanwhile', private.quoted(field), private.quoted(coalesce(
        (
          select c.changed_by
          from public.agency_changes c
          where c.subject_id = (stored ->> 'id')::uuid and c.after ? field
          order by c.created_at desc
          limit 1
        ),
        'somebody'))
        using errcode = 'PT409';
    end if;
  end loop;
end
$$;

comment on function private.check_changes(jsonb, jsonb, jsonb, text[], text) is
  'Raises 22023 for changes that are not an object or have another member than these columns, with refusal as the problem, and '
  'PT409 for a column that has changed since it was seen, unless it has its new value already: it names the column and who has '
  'changed it. stored: the row as it is; seen: null compares nothing.';

create function private.is_line(given jsonb, most integer default 100) returns boolean
language sql
immutable
set search_path = ''
return coalesce(
  jsonb_typeof(given) = 'string' and given #>> '{}' ~ '\S' and length(given #>> '{}') <= most
    and private.visible_text(given #>> '{}') = given #>> '{}' and given #>> '{}' !~ '\n',
  false);

comment on function private.is_line(jsonb, integer) is
  'Whether a value is a text of one line, with at most so many characters, all of which its reader sees.';
