-- A page of a list begins at an index of this number, and puts in order what has the same one. It grows by
-- one in 1,024 appends, so that most appends change no column of an index, and write no index.
alter table silcrow.conversation
    add column listed bigint not null generated always as (appended / 1024) stored;

create index conversation_listed on silcrow.conversation (listed);
create index conversation_usr_listed on silcrow.conversation (usr, listed);
drop index silcrow.conversation_usr;
