//! The announcement of a call that does not follow.
//!
//! This module knows how announcements begin in a few languages. A model that ended its answer
//! announced nothing, and a long text is an answer, whatever it promises at its end.

use super::prose::{Prose, is_mark};
use super::{AnswerContext, AttemptKind, FoundAttempt};

/// Returns the last sentence of an answer if it announces something and the model did not end.
pub(super) fn find(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<FoundAttempt> {
    let text = prose.prose.trim_end();
    if context.is_ended || text.is_empty() {
        return None;
    }
    let last = text.rfind('\n').map_or(0, |line| line + 1);
    if text.ends_with([':', '：']) {
        return Some((last, AttemptKind::Announced));
    }
    if text.ends_with(['?', '？']) {
        return None;
    }
    let at = last + last_sentence(&text[last..]);
    let lower = text[at..].to_lowercase().replace('’', "'");
    let sentence = lower.trim_start_matches(is_mark).trim_end_matches(is_end);
    let first_word = FIRST_WORDS.iter().find_map(|word| sentence.strip_prefix(word));
    let sentence = first_word.unwrap_or(sentence);
    if POLITE.iter().any(|polite| sentence.starts_with(polite)) {
        return None;
    }
    let begins = |openings: &[&str]| openings.iter().any(|opening| sentence.starts_with(opening));
    let ends = ENDINGS.iter().any(|ending| sentence.ends_with(ending));
    let names_tool = || words(&prose.text[at..text.len()]).any(|word| (context.is_callable)(word));
    let has_word = |list: &[&str]| {
        words(&lower).any(|word| list.contains(&word))
            // Chinese has no blanks between words.
            || list.iter().any(|word| word.starts_with(is_ideograph) && lower.contains(word))
    };
    let is_short = text.char_indices().nth(SHORT).is_none();
    let announces = match (begins(&OPENINGS) || ends, begins(&FUTURES)) {
        (true, _) if is_short => true,
        (_, true) if is_short => has_word(&ACTS) || has_word(&NOW) || names_tool(),
        (true, _) | (_, true) => has_word(&NOW) || names_tool(),
        _ => false,
    };
    announces.then_some((at, AttemptKind::Announced))
}

/// Returns the position of the last sentence of a line. What is in braces, such as the arguments of
/// a call, ends no sentence, and neither does a point within a word.
fn last_sentence(line: &str) -> usize {
    let mut depth = 0_u32;
    let mut sentence = 0;
    let mut after_end = false;
    for (at, char) in line.char_indices() {
        if after_end && !char.is_whitespace() && !is_end(char) {
            (sentence, after_end) = (at, false);
        }
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '。' | '！' | '？' | '：' | '；' => after_end = true,
            '.' | '!' | '?' | ':' | ';' | '…' if depth == 0 => {
                let rest = &line[at + char.len_utf8()..];
                after_end |= rest.starts_with(char::is_whitespace);
            }
            _ => {}
        }
    }
    sentence
}

/// Returns whether a character may follow the last word of a sentence.
fn is_end(char: char) -> bool {
    char.is_whitespace() || ".!?:;…。！？：；\"”)*_".contains(char)
}

fn is_ideograph(char: char) -> bool {
    matches!(char, '\u{4e00}'..='\u{9fff}')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !(char.is_alphanumeric() || char == '_' || char == '-'))
}

/// The length in characters of the longest text that any announcement at its end turns into one.
const SHORT: usize = 300;

/// Words before an announcement.
const FIRST_WORDS: [&str; 8] =
    ["okay, ", "ok, ", "sure, ", "first, ", "now, ", "next, ", "now ", "first "];

/// The beginnings of sentences that announce what the model does next, whatever follows.
const OPENINGS: [&str; 30] = [
    "let me ",
    "let's look",
    "let's start",
    "calling ",
    "i am calling ",
    "i'm calling ",
    "i call ",
    "ich schaue ",
    "ich prüfe ",
    "ich rufe ",
    "lass mich ",
    "lassen sie mich ",
    "laisse-moi ",
    "laissez-moi ",
    "déjame ",
    "déjeme ",
    "deixe-me ",
    "fammi ",
    "lasciami ",
    "让我",
    "讓我",
    "我来查",
    "我来看",
    "我来列",
    "我来读",
    "我來查",
    "我來看",
    "我先看",
    "我先查",
    "首先，我",
];

/// The beginnings of sentences about the future, which may also answer a question about it.
const FUTURES: [&str; 18] = [
    "i'll ",
    "i will ",
    "i am going to ",
    "i'm going to ",
    "i need to ",
    "i should ",
    "ich werde ",
    "je vais ",
    "voy a ",
    "vamos a ",
    "vou ",
    "vado a ",
    "我来",
    "我來",
    "我先",
    "我将",
    "我會",
    "我现在",
];

/// The ends of such sentences in Japanese, whose verb comes last.
const ENDINGS: [&str; 5] = ["確認します", "確認してみます", "調べます", "見てみます", "実行します"];

/// The words for what a model does with tools.
const ACTS: [&str; 118] = [
    "look",
    "check",
    "list",
    "read",
    "search",
    "open",
    "count",
    "call",
    "use",
    "run",
    "find",
    "examine",
    "inspect",
    "get",
    "fetch",
    "do",
    "analyze",
    "analyse",
    "query",
    "view",
    "scan",
    "explore",
    "review",
    "gather",
    "retrieve",
    "execute",
    "invoke",
    "load",
    "try",
    "proceed",
    "verify",
    "confirm",
    "determine",
    "write",
    "create",
    "ansehen",
    "anschauen",
    "nachsehen",
    "nachschauen",
    "schauen",
    "prüfen",
    "überprüfen",
    "untersuchen",
    "durchsuchen",
    "suchen",
    "lesen",
    "auslesen",
    "auflisten",
    "öffnen",
    "zählen",
    "aufrufen",
    "ausführen",
    "abrufen",
    "verwenden",
    "nutzen",
    "benutzen",
    "regarder",
    "vérifier",
    "lire",
    "lister",
    "chercher",
    "rechercher",
    "consulter",
    "examiner",
    "ouvrir",
    "compter",
    "appeler",
    "utiliser",
    "exécuter",
    "explorer",
    "analyser",
    "revisar",
    "mirar",
    "leer",
    "listar",
    "buscar",
    "consultar",
    "abrir",
    "contar",
    "llamar",
    "usar",
    "utilizar",
    "ejecutar",
    "comprobar",
    "verificar",
    "examinar",
    "analizar",
    "explorar",
    "olhar",
    "ler",
    "procurar",
    "chamar",
    "executar",
    "analisar",
    "checar",
    "查看",
    "检查",
    "檢查",
    "读取",
    "讀取",
    "列出",
    "搜索",
    "调用",
    "調用",
    "使用",
    "打开",
    "打開",
    "统计",
    "統計",
    "执行",
    "執行",
    "看看",
    "看一下",
    "查找",
    "查询",
    "分析",
    "获取",
    "了解",
];

/// The words that place an act right now.
const NOW: [&str; 22] = [
    "now",
    "start",
    "starting",
    "begin",
    "first",
    "jetzt",
    "zuerst",
    "zunächst",
    "beginnen",
    "anfangen",
    "maintenant",
    "commencer",
    "abord",
    "ahora",
    "primero",
    "empezar",
    "agora",
    "primeiro",
    "começar",
    "现在",
    "現在",
    "开始",
];

/// The beginnings of sentences that end an answer politely.
const POLITE: [&str; 14] = [
    "let me know",
    "i'll be ",
    "i will be ",
    "i'll gladly",
    "i will gladly",
    "i'll need",
    "i will need",
    "i will not",
    "lass mich wissen",
    "lassen sie mich wissen",
    "ich werde gern",
    "je vais volontiers",
    "déjame saber",
    "让我知道",
];
