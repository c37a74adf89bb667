-- Who is suppressed, and what a row may be.
begin;
select plan(11);

select throws_ok(
  format('insert into public.suppressions (kind, value, reason, source) values (%L, %L, %L, %L)', kind, value, reason, source),
  '23514', null, format('a suppression cannot be %s %s: %s', kind, quote_literal(value), why))
from (values
  ('phone', '3125550142', 'x', 'test', 'no E.164'),
  ('phone', 'maria@example.com', 'x', 'test', 'an address is no phone'),
  ('email', '+13125550142', 'x', 'test', 'a phone is no address'),
  ('email', 'Maria@example.com', 'x', 'test', 'not in lower case'),
  ('email', ' maria@example.com', 'x', 'test', 'not trimmed'),
  ('email', repeat('a', 320) || '@example.com', 'x', 'test', 'too long for the index'),
  ('email', 'sha256:12', 'x', 'test', 'no hash'),
  ('post', '+13125550142', 'x', 'test', 'no kind'),
  ('phone', '+13125550142', ' ', 'test', 'no reason'),
  ('phone', '+13125550142', 'x', '', 'no source')
) wrong (kind, value, reason, source, why);

insert into public.suppressions (kind, value, reason, source, ends_at) values
  ('phone', '+13125550142', 'x', 'test', null),
  ('phone', '+13125550143', 'x', 'test', now()),
  ('phone', '+13125550144', 'x', 'test', now() + interval '1 second'),
  ('phone', private.suppression_hash('phone', '+13125550145'), 'x', 'test', null),
  ('email', 'maria@example.com', 'x', 'test', null),
  ('email', private.suppression_hash('email', 'ada@example.com'), 'x', 'test', null);

select results_eq(
  $$select phone, email, private.is_suppressed(phone, email)
    from (values
      (1, '+13125550142', null), (2, '+13125550142', 'else@example.com'), (3, '+13125550143', null), (4, '+13125550144', null),
      (5, '+13125550145', null), (6, null, 'maria@example.com'), (7, '+13125550149', ' MARIA@example.com '),
      (8, null, 'Ada@example.com'), (9, '+13125550149', 'else@example.com'), (10, null, null), (11, '', '')
    ) p (n, phone, email) order by n$$,
  $$values ('+13125550142', null, true), ('+13125550142', 'else@example.com', true), ('+13125550143', null, false),
    ('+13125550144', null, true), ('+13125550145', null, true), (null, 'maria@example.com', true),
    ('+13125550149', ' MARIA@example.com ', true), (null, 'Ada@example.com', true),
    ('+13125550149', 'else@example.com', false), (null, null, false), ('', '', false)$$,
  'a person is suppressed by the phone or by the address, in any case, also as a hash, until the row ends');

select * from finish();
rollback;
