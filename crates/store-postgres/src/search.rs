//! The search, which finds what [`Query`] describes: parts of words, without case and accents.
//!
//! The database compares the folded text of each event with the words. Its index of trigrams finds
//! the events that may have one; words of one or two letters have none, and read all texts. The
//! server makes a plan for each search, because only the words say whether the index is worth it.

use silcrow_store::Error;
use silcrow_store::search::{Hit, Query, SearchedUser};

use crate::bytes::{text, without_nul};
use crate::connections::Connections;
use crate::logs;

/// Searches the messages and answers.
pub(crate) async fn search(connections: &Connections, query: &Query) -> Result<Vec<Hit>, Error> {
    let words: Vec<String> = query.distinct_words().into_iter().map(without_nul).collect();
    if words.is_empty() || query.limit == 0 {
        return Ok(Vec::new());
    }
    let patterns: Vec<String> = words.iter().map(|word| pattern(word)).collect();
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let is_nobodys = query.user == SearchedUser::Nobody;
    let rows = connections
        .scan_planned(
            SEARCH,
            &[
                &words,
                &patterns,
                &query.user.name().map(str::as_bytes),
                &is_nobodys,
                &query.except.as_deref().map(str::as_bytes),
                &limit,
            ],
        )
        .await?;
    let hit = |row: &tokio_postgres::Row| {
        let conversation = text(row.get(0))?;
        Ok(Hit {
            title: text(row.get(1))?,
            entry: logs::parse(row.get(3), row.get(2), &conversation)?,
            matched_words: row.get::<_, i64>(4) as usize,
            conversation,
        })
    };
    rows.iter().map(hit).collect()
}

/// Returns the pattern of texts that contain a word.
fn pattern(word: &str) -> String {
    let mut pattern = "%".to_owned();
    for char in word.chars() {
        if matches!(char, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern + "%"
}

const SEARCH: &str = "select c.id, c.title, e.seq, e.body,
        (select count(*) from unnest($1::text[]) word where strpos(e.said, word) > 0) as matched
    from silcrow.event e join silcrow.conversation c on c.id = e.conversation
    where e.said is not null and e.said like any ($2::text[])
        and ($3::bytea is null or c.usr = $3) and (not $4::bool or c.usr is null)
        and ($5::bytea is null
            or c.id <> $5 and substring(c.id from 1 for length($5) + 1) <> $5 || '/'::bytea)
    order by matched desc, e.at desc, c.id, e.seq desc limit $6";
