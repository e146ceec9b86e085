//! Facts about a run that the model reads besides its tools: the day and the folder.

use std::path::Path;
use std::{env, fs};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use silcrow_sanitize::sanitize_line;

use crate::coding;

/// Returns today's date in the person's time zone.
pub fn today() -> Date {
    Timestamp::now().to_zoned_datetime(zone()).date()
}

/// Returns the time zone of the person. The system's time zone is read directly: to find its name,
/// all existing zones would be searched, with a hundred system calls.
fn zone() -> TimeZone {
    let local = env::var_os("TZ").is_none().then(|| fs::read(LOCAL_ZONE).ok()).flatten();
    let local = local.and_then(|data| TimeZone::tzif("local", &data).ok());
    local.unwrap_or_else(TimeZone::system)
}

/// The time zone of most systems.
const LOCAL_ZONE: &str = "/etc/localtime";

/// Returns the text about a run of today: the day, the folder, facts about its code if it `codes`,
/// and known facts about the person.
pub(crate) fn run_text(root: &Path, codes: bool, profile: Option<String>) -> String {
    let facts = if codes { format!(" {}", coding::facts(root)) } else { String::new() };
    let text = surroundings(today(), root) + &facts;
    [Some(text), profile].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// Returns the text about a run on a day in a folder. It has no time of day, so the requests of a day
/// begin with the same bytes.
fn surroundings(day: Date, root: &Path) -> String {
    let folder = shown_folder(root);
    let weekday = day.strftime("%A");
    format!("The date is {day} ({weekday}). The folder is {}.", sanitize_line(&folder))
}

/// Returns the path of a folder as people write it, from `~` on if it is in the home folder.
pub fn shown_folder(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
    match home.as_ref().and_then(|home| folder.strip_prefix(home).ok()) {
        Some(within) if within.as_os_str().is_empty() => "~".to_owned(),
        Some(within) => format!("~/{}", within.display()),
        None => folder.display().to_string(),
    }
}

#[test]
fn time_zone_matches_the_system() {
    let now = Timestamp::now();
    assert_eq!(zone().to_offset(now), TimeZone::system().to_offset(now));
}

#[test]
fn the_text_has_the_day_and_one_line() {
    let day = Date::constant(2026, 11, 24);
    let told = surroundings(day, Path::new("/none/a\nb"));
    assert_eq!(told, r"The date is 2026-11-24 (Tuesday). The folder is /none/a\x0ab.");
}
