-- Names, titles and folders are bytes: they may have any character, and text has no NUL.

create sequence silcrow.append_order;
create sequence silcrow.epoch;

create table silcrow.conversation (
    id bytea primary key,
    head bigint not null default 0,
    appended bigint not null default 0,
    title bytea not null default '',
    usr bytea,
    folder bytea,
    first_at bigint not null default 0,
    last_at bigint not null default 0,
    -- No conversation has an epoch twice, even after it was deleted.
    epoch bigint not null default 0,
    owner text,
    lease_until timestamptz
) with (fillfactor = 50);

create index conversation_usr on silcrow.conversation (usr);

create table silcrow.event (
    conversation bytea not null,
    seq bigint not null,
    at bigint not null,
    body text not null,
    -- What a search looks at: the folded text of messages and answers.
    said text collate "C",
    primary key (conversation, seq)
);

create table silcrow.value (
    space bytea not null,
    key bytea not null,
    -- The conversation that the value is deleted with.
    conversation bytea,
    version bigint not null,
    bytes bytea not null,
    primary key (space, key)
);

create index value_conversation on silcrow.value (conversation) where conversation is not null;

-- Without trigrams a search reads all texts, and finds the same.
do $$
declare home text;
begin
    create extension if not exists pg_trgm;
    select nspname into home
        from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
        where extname = 'pg_trgm';
    execute format(
        'create index event_said on silcrow.event using gin (said %I.gin_trgm_ops) where said is not null',
        home);
exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object
        or invalid_schema_name then
    raise notice 'no trigrams: %', sqlerrm;
end
$$;
