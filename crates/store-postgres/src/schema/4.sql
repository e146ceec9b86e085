-- Where the processes work to which the run of a conversation was offered, as they name it; null for a run
-- that any process may continue.
alter table silcrow.conversation add column place bytea;
