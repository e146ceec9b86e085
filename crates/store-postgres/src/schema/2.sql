alter table silcrow.conversation
    -- The address at which the owner streams the run.
    add column address text,
    -- Whether another process continues the run of an owner that is gone.
    add column is_shared boolean not null default false,
    -- What the owner is told. Those of an owner that is gone are for the next one.
    add column orders text[],
    -- From when on another process may continue the run.
    add column due timestamptz,
    -- How many owners in a row were gone.
    add column gone int not null default 0;

-- A renewal changes no column of an index, so it writes no index.
create index conversation_owned on silcrow.conversation (id) where owner is not null;
create index conversation_due on silcrow.conversation (due) where due is not null;

-- By this secret the processes know each other. It is no value, because those are exported.
create table silcrow.secret (bytes bytea not null);
insert into silcrow.secret
    select uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
