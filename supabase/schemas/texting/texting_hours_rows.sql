-- The rows of texting_hours and area_codes. A later correction is a migration of its own, which changes a row only if
-- it is still as it was inserted: what an operator has changed stays.

-- A rule that names sales calls, or only automated or recorded ones, counts for texts as well: that holds a text back
-- too long at worst. docs/operations.md says what is not in here.
insert into public.texting_hours (state, day_of_week, opens, closes, source) values
  (null, null, '08:00', '21:00', '47 CFR § 64.1200(c)(1)'),
  ('AL', null, '08:00', '20:00', 'Ala. Admin. Code r. 770-X-5-.17(1)(b)'),
  ('AL', 0, '00:00', '00:00', 'Ala. Admin. Code r. 770-X-5-.17(1)(b)'),
  ('CT', null, '09:00', '20:00', 'Conn. Gen. Stat. § 42-288a, as amended by Public Act 23-98'),
  ('FL', null, '08:00', '20:00', 'Fla. Stat. § 501.616(6)(a)'),
  ('KY', null, '10:00', '21:00', 'Ky. Rev. Stat. § 367.46955'),
  ('LA', null, '08:00', '20:00', 'Louisiana Public Service Commission, General Order R-29617 (secondary sources)'),
  ('LA', 0, '00:00', '00:00', 'Louisiana Public Service Commission, General Order R-29617 (secondary sources)'),
  ('MA', null, '08:00', '20:00', '201 Code Mass. Regs. 12.02(2)'),
  ('MD', null, '08:00', '20:00', 'Md. Code, Com. Law § 14-4502'),
  ('ME', null, '09:00', '17:00', 'Me. Rev. Stat. tit. 10, § 1498(3), automated calls'),
  ('ME', 0, '00:00', '00:00', 'Me. Rev. Stat. tit. 10, § 1498(3), automated calls'),
  ('ME', 6, '00:00', '00:00', 'Me. Rev. Stat. tit. 10, § 1498(3), automated calls'),
  ('MN', null, '09:00', '21:00', 'Minn. Stat. § 325E.30 (secondary sources)'),
  ('MS', null, '08:00', '20:00', 'Miss. Code § 77-3-723(1)'),
  ('MS', 0, '00:00', '00:00', 'Miss. Code § 77-3-723(1)'),
  ('NM', null, '09:00', '21:00', 'N.M. Stat. § 57-12-22(B)(5)'),
  ('NV', null, '09:00', '20:00', 'Nev. Rev. Stat. § 597.814(2)(a), automated calls; 8 p.m. from secondary sources'),
  ('OK', null, '08:00', '20:00', 'Okla. Stat. tit. 15, § 775C.4 (secondary sources)'),
  ('PA', 0, '00:00', '00:00', 'Pennsylvania, from October 18, 2026 on (one secondary source, which names no section)'),
  ('RI', null, '09:00', '18:00', 'R.I. Gen. Laws §§ 5-61-2(2), 5-61-3.6'),
  ('RI', 6, '10:00', '17:00', 'R.I. Gen. Laws §§ 5-61-2(2), 5-61-3.6'),
  ('RI', 0, '00:00', '00:00', 'R.I. Gen. Laws §§ 5-61-2(2), 5-61-3.6'),
  ('SD', null, '09:00', '21:00', 'S.D. Codified Laws § 37-30-28, automated calls'),
  ('SD', 0, '00:00', '00:00', 'S.D. Codified Laws § 37-30-28, automated calls'),
  ('SD', 6, '00:00', '00:00', 'S.D. Codified Laws § 37-30-28, automated calls'),
  ('TX', null, '09:00', '21:00', 'Tex. Bus. & Com. Code § 301.051'),
  ('TX', 0, '12:00', '21:00', 'Tex. Bus. & Com. Code § 301.051'),
  ('UT', null, '08:00', '21:00', 'Utah Code § 13-25a-103(3)'),
  ('UT', 0, '00:00', '00:00', 'Utah Code § 13-25a-103(3)'),
  ('WA', null, '08:00', '20:00', 'Wash. Rev. Code § 80.36.390, as amended by HB 1497 (2022)'),
  ('WY', null, '08:00', '20:00', 'Wyo. Stat. § 40-12-302 (secondary sources)');

insert into public.texting_hours (state, day_of_week, opens, closes, source)
select p.state, h.day_of_week, h.opens, h.closes, 'CRTC, Unsolicited Telecommunications Rules, part III'
from unnest(array['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT']) p (state)
cross join (values
  (null::smallint, time '09:00', time '21:30'),
  (0, '10:00', '18:00'),
  (6, '10:00', '18:00')
) h (day_of_week, opens, closes);

-- The hours that are restored when an operator's own hours are taken away.
update public.texting_hours set law_opens = opens, law_closes = closes, law_source = source;

insert into public.area_codes (area_code, state, country, timezones, source)
select c.area_code, a.state, a.country, string_to_array(a.timezones, ', '), 'libphonenumber, 2026'
from (values
  ('AL', 'US', 'America/Chicago', '205 251 256 334 659 938'),
  ('AK', 'US', 'America/Anchorage, America/Adak', '907'),
  ('AZ', 'US', 'America/Phoenix', '480 520 602 623'),
  ('AZ', 'US', 'America/Phoenix, America/Denver', '928'),
  ('AR', 'US', 'America/Chicago', '327 479 501 870'),
  ('CA', 'US', 'America/Los_Angeles', '209 213 279 310 323 341 350 369 408 415 424 442 510 530 559 562 619 626
    628 650 657 661 669 707 714 738 747 760 805 818 820 831 840 858 909 916 925 949 951'),
  ('CO', 'US', 'America/Denver', '303 719 720 748 970 983'),
  ('CT', 'US', 'America/New_York', '203 475 860 959'),
  ('DE', 'US', 'America/New_York', '302'),
  ('DC', 'US', 'America/New_York', '202 771'),
  ('FL', 'US', 'America/New_York', '239 305 321 324 352 386 407 561 645 656 727 728 754 772 786 813 863 904 941
    954'),
  ('FL', 'US', 'America/Chicago, America/New_York', '850'),
  ('GA', 'US', 'America/New_York', '229 404 470 478 678 706 762 770 912 943'),
  ('HI', 'US', 'Pacific/Honolulu', '808'),
  ('ID', 'US', 'America/Boise, America/Los_Angeles', '208 986'),
  ('IL', 'US', 'America/Chicago', '217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 872'),
  ('IN', 'US', 'America/Indiana/Indianapolis', '260 317 463 765'),
  ('IN', 'US', 'America/Chicago, America/Indiana/Indianapolis', '219 574 812'),
  ('IA', 'US', 'America/Chicago', '319 515 563 641 712'),
  ('KS', 'US', 'America/Chicago', '316 913'),
  ('KS', 'US', 'America/Chicago, America/Denver', '620 785'),
  ('KY', 'US', 'America/New_York', '502 859'),
  ('KY', 'US', 'America/Chicago, America/New_York', '270 606'),
  ('LA', 'US', 'America/Chicago', '225 318 337 504 985'),
  ('ME', 'US', 'America/New_York', '207'),
  ('MD', 'US', 'America/New_York', '227 240 301 410 443 667'),
  ('MA', 'US', 'America/New_York', '339 351 413 508 617 774 781 857 978'),
  ('MI', 'US', 'America/Detroit', '231 248 269 313 517 586 616 734 810 947 989'),
  ('MI', 'US', 'America/Detroit, America/Menominee', '906'),
  ('MN', 'US', 'America/Chicago', '218 320 507 612 651 763 952'),
  ('MS', 'US', 'America/Chicago', '228 601 662 769'),
  ('MO', 'US', 'America/Chicago', '235 314 417 557 573 636 660 816 975'),
  ('MT', 'US', 'America/Denver', '406'),
  ('NE', 'US', 'America/Chicago', '402 531'),
  ('NE', 'US', 'America/Chicago, America/Denver', '308'),
  ('NV', 'US', 'America/Los_Angeles', '702 725'),
  ('NV', 'US', 'America/Los_Angeles, America/Denver', '775'),
  ('NH', 'US', 'America/New_York', '603'),
  ('NJ', 'US', 'America/New_York', '201 551 609 640 732 848 856 862 908 973'),
  ('NM', 'US', 'America/Denver', '505 575'),
  ('NY', 'US', 'America/New_York', '212 315 329 332 347 363 516 518 585 607 631 646 680 716 718 838 845 914 917
    929 934'),
  ('NC', 'US', 'America/New_York', '252 336 472 704 743 828 910 919 980 984'),
  ('ND', 'US', 'America/Chicago, America/Denver', '701'),
  ('OH', 'US', 'America/New_York', '216 220 234 283 326 330 380 419 440 513 567 614 740 937'),
  ('OK', 'US', 'America/Chicago', '405 539 572 580 918'),
  ('OR', 'US', 'America/Los_Angeles', '503 971'),
  ('OR', 'US', 'America/Los_Angeles, America/Boise', '541'),
  ('PA', 'US', 'America/New_York', '215 223 267 272 412 445 484 570 582 610 717 724 814 835 878'),
  ('RI', 'US', 'America/New_York', '401'),
  ('SC', 'US', 'America/New_York', '803 821 839 843 854 864'),
  ('SD', 'US', 'America/Chicago, America/Denver', '605'),
  ('TN', 'US', 'America/Chicago', '615 629 731 901 931'),
  ('TN', 'US', 'America/Chicago, America/New_York', '423'),
  ('TN', 'US', 'America/New_York', '865'),
  ('TX', 'US', 'America/Chicago', '210 214 254 281 325 346 361 409 430 432 469 512 682 713 726 737 806 817 830
    832 903 936 940 945 956 972 979'),
  ('TX', 'US', 'America/Denver', '915'),
  ('UT', 'US', 'America/Denver', '385 435 801'),
  ('VT', 'US', 'America/New_York', '802'),
  ('VA', 'US', 'America/New_York', '276 434 540 571 686 703 757 804 826 948'),
  ('WA', 'US', 'America/Los_Angeles', '206 253 360 425 509 564'),
  ('WV', 'US', 'America/New_York', '304 681'),
  ('WI', 'US', 'America/Chicago', '262 274 353 414 534 608 715 920'),
  ('WY', 'US', 'America/Denver', '307'),
  ('AS', 'US', 'Pacific/Pago_Pago', '684'),
  ('GU', 'US', 'Pacific/Guam', '671'),
  ('MP', 'US', 'Pacific/Guam', '670'),
  ('PR', 'US', 'America/Puerto_Rico', '787 939'),
  ('VI', 'US', 'America/Puerto_Rico', '340'),
  ('AB', 'CA', 'America/Edmonton', '368 403 587 780 825'),
  ('BC', 'CA', 'America/Vancouver', '604'),
  ('BC', 'CA', 'America/Vancouver, America/Edmonton', '250'),
  ('MB', 'CA', 'America/Winnipeg', '204 431 584'),
  ('NB', 'CA', 'America/Halifax', '428 506'),
  ('NL', 'CA', 'America/St_Johns, America/Halifax', '709 879'),
  ('NS', 'CA', 'America/Halifax', '782 902'),
  ('NT', 'CA', 'America/Whitehorse, America/Edmonton, America/Winnipeg, America/Toronto', '867'),
  ('ON', 'CA', 'America/Toronto', '226 249 289 343 365 382 416 437 519 548 613 647 683 705 742 753 905 942'),
  ('ON', 'CA', 'America/Toronto, America/Winnipeg', '807'),
  ('QC', 'CA', 'America/Toronto', '263 354 438 450 468 514 579 819 873'),
  ('QC', 'CA', 'America/Toronto, America/Halifax', '418'),
  (null, 'AG', 'America/Puerto_Rico', '268'),
  (null, 'AI', 'America/Puerto_Rico', '264'),
  (null, 'BB', 'America/Barbados', '246'),
  (null, 'BM', 'Atlantic/Bermuda', '441'),
  (null, 'BS', 'America/Toronto', '242'),
  (null, 'DM', 'America/Puerto_Rico', '767'),
  (null, 'DO', 'America/Santo_Domingo', '809 829 849'),
  (null, 'GD', 'America/Puerto_Rico', '473'),
  (null, 'JM', 'America/Jamaica', '658 876'),
  (null, 'KN', 'America/Puerto_Rico', '869'),
  (null, 'KY', 'America/Panama', '345'),
  (null, 'LC', 'America/Puerto_Rico', '758'),
  (null, 'MS', 'America/Puerto_Rico', '664'),
  (null, 'SX', 'America/Puerto_Rico', '721'),
  (null, 'TC', 'America/Grand_Turk', '649'),
  (null, 'TT', 'America/Puerto_Rico', '868'),
  (null, 'VC', 'America/Puerto_Rico', '784'),
  (null, 'VG', 'America/Puerto_Rico', '284')
) a (state, country, timezones, area_codes)
cross join regexp_split_to_table(a.area_codes, '\s+') c (area_code);

-- For these, libphonenumber has a wrong time zone, or lacks one that the area code of the same area has (for 306, that
-- of Lloydminster).
insert into public.area_codes (area_code, state, country, timezones, source)
select c.area_code, a.state, a.country, string_to_array(a.timezones, ', '), 'libphonenumber, 2026, time zones corrected'
from (values
  ('FL', 'US', 'America/New_York', '689'),
  ('FL', 'US', 'America/Chicago, America/New_York', '448'),
  ('IN', 'US', 'America/Chicago, America/Indiana/Indianapolis', '930'),
  ('KY', 'US', 'America/Chicago, America/New_York', '364'),
  ('OR', 'US', 'America/Los_Angeles, America/Boise', '458'),
  ('BC', 'CA', 'America/Vancouver, America/Edmonton', '236 257 672 778'),
  ('QC', 'CA', 'America/Toronto, America/Halifax', '273 367 581'),
  ('SK', 'CA', 'America/Regina, America/Edmonton', '306 474 639')
) a (state, country, timezones, area_codes)
cross join regexp_split_to_table(a.area_codes, '\s+') c (area_code);

-- New ones that overlay older ones and that libphonenumber does not have yet.
insert into public.area_codes (area_code, state, country, timezones, source)
select c.area_code, a.state, a.country, string_to_array(a.timezones, ', '), 'a public list of area codes, 2026'
from (values
  ('AL', 'US', 'America/Chicago', '483'),
  ('CA', 'US', 'America/Los_Angeles', '764 837'),
  ('IL', 'US', 'America/Chicago', '861'),
  ('MI', 'US', 'America/Detroit', '679'),
  ('MN', 'US', 'America/Chicago', '924'),
  ('NY', 'US', 'America/New_York', '624'),
  ('OH', 'US', 'America/New_York', '436')
) a (state, country, timezones, area_codes)
cross join regexp_split_to_table(a.area_codes, '\s+') c (area_code);
