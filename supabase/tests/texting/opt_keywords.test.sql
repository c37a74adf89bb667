-- Texts that are an opt-out, an opt-in, or neither.
begin;
select plan(12);

create function pg_temp.said(body text) returns text language sql as $$ select (private.consent_in_text(body, null)).state $$;

select is(array(
  select body from unnest(array[
    -- Twilio's words and those of 47 CFR 64.1200(a)(10)
    'STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'OPT OUT', 'OPT-OUT', 'Opt_Out', 'stop all',
    -- However it is written
    'stop', 'sToP', ' Stop ', 'Stop.', 'STOP!!!', '"STOP"', '''Stop''', '“STOP”', '‘stop’', '«Stop»', '(stop)', '*STOP*', 'stop?',
    E'STOP\n', E'\r\n\tSTOP\r\n', E'\u00a0STOP\u3000', E'\u200bSTOP\ufeff', 'ＳＴＯＰ', 'ｓｔｏｐ．', 'STOP 🛑', '🙏 stop 🙏🏽', 'stop。',
    '>STOP', 'S.T.O.P.', 's t o p', 'Stoppp', 'Opt out.', 'UNSUBSCRIBE!', 'end.', '¡Stop!', '-stop-', 'S T O P !',
    -- Sentences
    'stop texting me', 'Stop texting me!', 'STOP TEXTING ME', 'Please stop', 'please stop texting', 'Stop please', 'stop, please.',
    'stop txting me', 'dont txt me', 'no more txts', 'stop it', 'Stop now', 'stop messaging me please', 'Please stop contacting me.', 'stop calling and texting me', 'no, stop',
    'stop sending me messages', 'Stop sending me these texts', 'stop with the texts', 'stop the messages', 'STOP ALL TEXTS',
    'quit texting me', 'Can you please stop texting me?', 'Could you stop', 'I said stop', 'Stop bothering me',
    'Not interested, stop texting me', 'do not text me', 'Do not text me again', 'don''t text me', 'Don’t text me anymore',
    'dont contact me again', 'Don''t contact me again.', 'do not contact', 'don´t call or text me', 'Do not send me any more texts',
    'never contact me again', 'Don`t message this number', 'no more texts', 'No more messages please!', 'No more texting',
    'I don''t want any more texts', 'I do not want to receive these messages from you', 'I no longer want to receive texts',
    'I don''t want to be contacted', 'unsubscribe me', 'Unsubscribe please', 'please unsubscribe me from this list',
    'opt me out', 'I want to opt out', 'I''d like to unsubscribe', 'I revoke my consent', 'remove', 'remove me',
    'remove me from your list', 'Please remove my number from your list.', 'Take me off your list', 'take me off this list now',
    'Please take my number off your texting list', 'get me off your list', 'take me off', 'delete my number', 'Leave me alone',
    'leave me alone!!', 'go away', 'lose my number', 'Wrong number', 'Sorry, you have the wrong number', 'wrong person',
    'You''ve got the wrong number', 'STOP STOP STOP', 'Stop. Don''t text me again.', 'Wrong number, stop texting me', 'remove from list',
    'I want to stop receiving texts', 'How do I stop these messages?', 'Do not disturb', 'remove my number', 'No thanks. Please stop.'
  ]) body where pg_temp.said(body) is distinct from 'opted_out'), '{}', 'opt-outs');

-- A wish to end, in any words
select is(array(
  select body from unnest(array[
    'ok but please stop texting after this', 'my husband passed away last week please stop contacting him', 'stpo', 'sotp', 'Stp', 'dtop',
    'please stpo texting me', 'Who is this? STOP.', 'I already told you to stop texting me', 'I have a job now so please stop messaging me',
    'Can you guys stop calling me', 'yall need to stop. stop texting my phone', 'Would you please just stop with all these texts',
    'No more', 'no more please', 'no more texts thanks', 'hey no more messages ok', 'please no more calls or texts', 'I dont want any more messages from you people',
    'I said no. Don''t contact me again', 'I''m busy, do not call or text me again', 'please never text this number again', 'do not ever contact my wife again',
    'I got another job, please take me off your list', 'can you remove me from your system', 'remove my number from your database please',
    'please leave me alone I have a job', 'for the last time leave me alone', 'I never gave you permission to text me', 'i didnt give you consent',
    'I did not give you people permission to contact me', 'without my consent', 'I will report you', 'I''m reporting this number', 'reporting you to the FCC',
    'you''re on the FCC do not call list', 'I am on the do not call registry', 'you will hear from my attorney', 'This is harassment', 'this is a scam, stop texting me',
    'i want to opt out of these messages', 'pls unsubscribe me from this', 'unsubscribe me i found work', 'I think you have the wrong number, I''m Dave',
    'hi this is the wrong number sorry', 'lose my number bro', 'quit blowing up my phone', 'cease and desist', 'stop contacting me about insurance',
    'no me manden mensajes', 'por favor no me escriban más', 'no me llames', 'alto', 'Alto!', 'parar', 'ya no', 'Ya no, gracias', 'déjame en paz',
    'Déjenme en paz por favor', 'dejen de mandarme mensajes', 'para de escribirme', 'no quiero más mensajes', 'quítenme de su lista', 'bórreme', 'basta', 'no más mensajes',
    'Sácame de su lista', 'por favor sácame de la lista', 'Discontinue', 'please discontinue texting me', 'buzz off',
    'fuck off lol', 'Fuck off bro', 'Fuck off, I have a job', 'piss off man', 'unlist me now, I have a job',
    'please un subscribe me I found work',
    'numero equivocado', 'Número equivocado, señora', repeat('stop ', 1000), repeat('I have a job. ', 60) || 'So do not contact me again'
  ]) body where pg_temp.said(body) is distinct from 'opted_out'), '{}', 'opt-outs');

create function pg_temp.wish(body text) returns text language sql as $$ select private.wish_to_end(private.visible_text(body)) $$;

select is(array(
  select body from unnest(array[
    'no thanks, good', 'not now', 'No thanks', 'nah im good', 'I''m good', 'no thank you', 'no gracias', 'Please don''t text me before 9', 'don''t text me now',
    'stop texting me at work', 'Stop texting, call me', 'Don''t call me, text me', 'why didnt you stop texting me', 'is this spam?', 'this looks like a scam',
    'I never signed up for this', 'what happens if I say STOP?', 'Reply STOP to opt out', 'did I not tell you to stop', 'STOP sent by mistake, sorry', 'no me llames ahora',
    'never mind', 'nevermind', 'I didn''t sign up for this', 'pass', 'stop dont go', 'my lawyer said no', 'is this the wrong number?', E'Stop\n\nI meant: stop by at 5'
  ]) body where pg_temp.wish(body) is distinct from 'may_opt_out'), '{}', 'for a person to read');

select is(array(
  select body from unnest(array[
    null, '', 'Hi', 'There is a stop sign at the corner', 'don''t stop', 'Don''t stop now!', 'I quit my job', 'I just quit my last job in May', 'I can''t stop by', 'I can stop by tomorrow', 'stop by at 5',
    'I cannot stop thinking about it', 'non-stop', 'bus stop', 'I stopped working in May', 'I want to quit smoking', 'End of May works', 'by the end', 'weekend', 'at the end of the month',
    'Can I cancel the interview?', 'cancel my appointment', 'I''m an attorney', 'I work at a lawyer''s office', 'I have power of attorney', 'I have permission to work', 'my wife gave me permission',
    'No, Tuesday', 'not yet', 'not right now', 'no', 'nope', 'I never had one', 'I don''t have it', 'no license', 'more than 5 years', 'never been licensed', 'I take the exam on Friday',
    'get it done', 'I report to a manager', 'let me know', 'let me check', 'leave it with me', 'go ahead', 'I can go Tuesday', 'TX, no others', 'I do not sell', 'ya tengo licencia', 'soy alto',
    'para Texas', 'no tengo licencia', 'todavía no', 'I don''t cold call people', 'Disliked “Hi Ada, reply STOP to opt out”', 'Liked “Reply STOP to stop texts”', 'I opted for the plan', 'take care', 'no problem', 'yes no problem',
    'the job is not for me to stop at', 'I end at 5', 'step', 'shop', 'I top the list', 'no more than 5 years', 'no more questions'
  ]) body where (pg_temp.said(body), pg_temp.wish(body)) is distinct from (null::text, null::text)), '{}', 'no wish to end');

select is(array(
  select body from unnest(array[
    'START', 'start.', '"Unstop"', 'UNSTOP', 'yes', 'YES!', 'ＳＴＡＲＴ', E'START\nSent from my iPhone'
  ]) body where pg_temp.said(body) is distinct from 'opted_in'), '{}', 'opt-ins');

select is(array(
  select body from unnest(array[
    '   ', '...', '🛑', 'HELP', 'info', 'yes please', 'Yes, I am interested', 'start tomorrow?', 'When do I start?',
    'I can''t stop thinking about it', 'please cancel', 'Cancel that, 3 pm is better', 'I want to quit', 'stop dont go',
    'Don''t email me', 'How do I get to your office?', 'end wrong', 'please don''t', 'no thanks', 'Not interested', 'ok',
    'just now', 'Don''t call me, text me', 'Please don''t text me before 9', 'don''t text me now', 'Do not forget to text me',
    'don''t text and drive', 'Text me', 'take me', 'get my number from Ann', 'remove the resume', 'Stop texting, call me',
    'Reply STOP to opt out', 'What happens if I say STOP?', 'STOP the presses, I got my license!', 'I don''t want this job',
    'стоп', 'Unstoppable', 'You are wrong', 'is this the wrong number?', 'Revoke my application', 'My number has changed',
    'I opted out of the plan', 'the end'
  ]) body where pg_temp.said(body) is not null), '{}', 'neither');

-- Invisible characters
select is(array(
  select code from unnest(array[
    1, 27, 127, 155, 173, 847, 1564, 4447, 6158, 8203, 8204, 8205, 8206,
    8207, 8234, 8238, 8288, 8292, 8294, 8297, 8303, 12644, 65024, 65039,
    65279, 65440, 65529, 113824, 119155, 917505, 917536, 917631, 917760, 917999
  ]) code where pg_temp.said('ST' || chr(code) || 'OP') is distinct from 'opted_out'), '{}', 'an opt-out with an invisible character inside it');
select is(array(
  select body from unnest(array[
    E'\u2067S\u200dT\u200dO\u200dP\u2069', E'Opt\u200bOut', E'STOP\ufffc', E'Please\u00ad stop tex\u200bting me', E'Stop\u200btexting\u200bme',
    E'STOP\u2800', E'STOP\ufe0f', E'\u2028STOP\u2029'
  ]) body where pg_temp.said(body) is distinct from 'opted_out'), '{}', 'opt-outs');
select is(array(
  select body from unnest(array[
    E'YE\u00adS', E'ST\u200bART', E'UN\u200dSTOP'
  ]) body where pg_temp.said(body) is distinct from 'opted_in'), '{}', 'opt-ins');
select is(array(
  select body from unnest(array[
    E'\u200b', E'Don\u200b''t stop texting me', E'Un\u200bstoppable', E'I can\u2060''t stop'
  ]) body where pg_temp.said(body) is not null), '{}', 'neither');

-- Signatures
select is(array(
  select body from unnest(array[
    E'STOP\nSent from my iPhone', E'Stop\r\n\r\nSent from my Verizon, Samsung Galaxy smartphone', 'STOP Sent from my iPhone',
    E'stop.\n\nsent from Yahoo Mail on Android', E'Please stop texting me.\n\nSent from Mail for Windows',
    E'STOP\nSent via the Samsung Galaxy S10, an AT&T 5G smartphone', E'STOP\n\nGet Outlook for iOS', E'STOP\u2028Sent from my iPad',
    E'STOP\n\nSent from my T-Mobile 5G Device\nGet Outlook for Android', E'STOP\n\nSent on the Sprint® Now Network from my BlackBerry®',
    E'STOP\n\nConnected by DROID on Verizon Wireless', E'STOP\n\nSent from my iPhone. Please excuse typos.', E'STOP\nPlease excuse any typos',
    E'STOP\n\n-- \nAda Lovelace\nActuary\n(312) 555-0100', E'STOP\n--\nAda', E'STOP\n-Ada', E'STOP\n— Ada B. Lovelace', E'STOP\n~ Mary Ann',
    E'STOP\n____________\nAda', E'STOP\n- Ada\n\nSent from my iPhone', E'STOP\nEnviado desde mi iPhone', E'STOP\nEnvoyé de mon iPhone',
    E'STOP\nVon meinem iPhone gesendet', E'ST\u200bOP\n\u200bSent from my\u00a0iPhone\ufeff', E'Wrong number\nSent from my iPhone',
    -- A wish to end them below a keyword, which looks like a signature
    E'Yes\n- stop texting me', E'Yes\n- Stop', E'YES\n--\nSTOP', E'Yes\n--\nPlease stop texting me',
    E'Yes\nSent from my iPhone. Please stop texting me', E'Start\n- stop', E'Start\n- remove me'
  ]) body where pg_temp.said(body) is distinct from 'opted_out'), '{}', 'opt-outs');
select is(array(
  select body from unnest(array[
    'Sent from my iPhone', E'\nSent from my iPhone', E'Hi\nSent from my iPhone', E'I can''t stop\nSent from my iPhone', E'Don''t stop\n-- \nAda',
    E'Stop\nby my office tomorrow', E'Cancel\nmy interview, please', E'End\nof May works', E'Cancel\n- I have another interview that day',
    E'Stop\n\nI meant: stop by at 5', E'Stop\nSent from my iPhone\nby my office tomorrow', E'Yes\nI am interested', E'STOP sent by mistake, sorry'
  ]) body where pg_temp.said(body) is not null), '{}', 'neither');

select * from finish();
rollback;
