-- Resumes whose requests died between the upload and the lead.
begin;
select plan(10);
\ir ../helpers.psql

select pg_temp.create_vendor('vendor');

select is(
  public.begin_resume_upload(md5('lead')::uuid, 'stored.pdf'), '{"has_left_over": false}',
  'an upload that has just begun is not left over');
select lives_ok($$select public.begin_resume_upload(md5('lead')::uuid, 'stored.pdf')$$, 'a repeated call does no harm');
insert into public.recruiting_leads (id, vendor_id, first_name, resume_path)
values (md5('lead')::uuid, md5('vendor')::uuid, 'Ada', 'stored.pdf');
select is_empty('select from private.resume_uploads', 'the lead with the resume ends its upload');

select public.begin_resume_upload(md5('died')::uuid, 'died.pdf');
select public.begin_resume_upload(md5('other')::uuid, 'other.pdf');
select is(public.left_over_resumes(), '[]', 'a request that is at work has left nothing over');

update private.resume_uploads set begun_at = now() - interval '36 seconds';
-- Its lead is stored without the resume.
insert into public.recruiting_leads (id, vendor_id, first_name)
values (md5('other')::uuid, md5('vendor')::uuid, 'Ada');
select is(
  public.begin_resume_upload(md5('new')::uuid, 'new.pdf'), '{"has_left_over": true}',
  'after 35 seconds the next upload learns of it');
select is(public.left_over_resumes(), '["died.pdf"]', 'and gets the path of the object without a lead');
select isnt_empty(
  $$select from private.abandoned_leads where lead_id = md5('died')::uuid$$,
  'the lead is abandoned, so that it cannot be stored any more without its resume');
select is(public.left_over_resumes(), '[]', 'nobody else gets it meanwhile');
select public.forget_resume_uploads(array['died.pdf']);
select set_eq('select path from private.resume_uploads', array['new.pdf'], 'what is removed is forgotten');
update private.resume_uploads set begun_at = now() - interval '36 seconds';
select public.left_over_resumes();
update private.resume_uploads set begun_at = now() - interval '36 seconds';
select is(public.left_over_resumes(), '["new.pdf"]', 'what is not removed comes again');

select * from finish();
rollback;
