comment on column "public"."recruiting_leads"."resume_path" is 'Name of the object in the bucket `resumes`: <vendor_id>/<lead id>.<ending>, the ending being pdf, docx, doc, rtf, odt or txt.';

-- Written by hand: the types of resumes that are stored, as in schemas/32_resumes.sql.
update storage.buckets
set
  allowed_mime_types = array[
    'application/pdf',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/msword',
    'application/rtf',
    'application/vnd.oasis.opendocument.text',
    'text/plain'
  ]
where id = 'resumes';
