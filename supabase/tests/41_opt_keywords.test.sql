-- Which texts are an opt-out, which an opt-in, and which are neither.
begin;
select plan(193);

select is(private.opt_keyword(body), 'opt_out', format('an opt-out: %s', body))
from unnest(array[
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
]) body;

select is(private.opt_keyword(body), 'opt_in', format('an opt-in: %s', body))
from unnest(array['START', 'start.', '"Unstop"', 'UNSTOP', 'yes', 'YES!', 'ＳＴＡＲＴ']) body;

select is(private.opt_keyword(body), null, format('neither: %s', coalesce(left(body, 60), 'no text')))
from unnest(array[
  null, '', '   ', '...', '🛑', 'Hi', 'HELP', 'info', 'yes please', 'Yes, I am interested', 'start tomorrow?', 'When do I start?',
  'I can''t stop thinking about it', 'I can stop by tomorrow', 'stop by at 5', 'Don''t stop', 'non-stop', 'bus stop',
  'End of May works', 'by the end', 'weekend', 'Can I cancel the interview?', 'please cancel', 'cancel my appointment',
  'Cancel that, 3 pm is better', 'I quit my job', 'I want to quit', 'stop dont go', 'Don''t email me', 'How do I get to your office?', 'No, Tuesday', 'end wrong', 'I want to quit smoking', 'please don''t', 'no', 'no thanks',
  'Not interested', 'ok', 'just now', 'Don''t call me, text me', 'Please don''t text me before 9', 'don''t text me now',
  'Do not forget to text me', 'don''t text and drive', 'Text me', 'take me', 'get my number from Ann', 'remove the resume',
  'Stop texting, call me', 'Reply STOP to opt out', 'What happens if I say STOP?', 'Disliked “Hi Ada, reply STOP to opt out”',
  'STOP the presses, I got my license!', 'no more questions', 'I don''t want this job', 'стоп', 'Unstoppable',
  'You are wrong', 'is this the wrong number?', 'Revoke my application', 'My number has changed', 'I opted out of the plan',
  repeat('stop ', 1000)
]) body;

select * from finish();
rollback;
