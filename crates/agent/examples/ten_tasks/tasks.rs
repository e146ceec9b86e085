//! The tasks, with the model's answers in plain calls and in blocks.

use serde_json::{Value, json};

use crate::stubs::{FILES, filler, size};

/// A task, and both ways to do it.
pub(crate) struct Task {
    pub(crate) name: &'static str,
    pub(crate) prompt: &'static str,
    /// The answers of a model that reads every result, one for each request.
    pub(crate) plain: Vec<String>,
    /// The one answer of a model that writes blocks.
    pub(crate) blocks: String,
    /// The answer that the person reads both times.
    pub(crate) says: String,
}

/// Returns the ten tasks.
pub(crate) fn tasks() -> [Task; 10] {
    let path = |number: i64| format!("reports/2026-{number:02}.json");
    let read = |number: i64| call("read", json!({"path": path(number)}));
    let (all, large) = (0..FILES, (0..FILES).filter(|number| size(*number) > 10_000));
    let sum = |numbers: &mut dyn Iterator<Item = i64>| numbers.map(|n| 10 + n).sum::<i64>();
    [
        task(
            "sum over 30 files",
            "What is the sum of all amounts in reports?",
            vec![call("list", json!({"folder": "reports"})), all.clone().map(read).collect()],
            r#"<action id="files">{"name":"list","parameters":{"folder":"reports"}}</action>
<foreach id="reports" in="files" as="f"><action>{"name":"read","parameters":{"path":"$path"}}</action></foreach>
<value name="total" expr="sum(reports.map(r, r.amount))"/>
<response>The sum is $total.</response>"#
                .replace("in=\"files\" as=\"f\"", "in=\"files.map(f, f.path)\" as=\"path\""),
            format!("The sum is {}.", sum(&mut all.clone())),
        ),
        task(
            "join three services",
            "What do the orders of customer 7 cost?",
            vec![
                call("customer", json!({"id": 7})) + &call("orders", json!({"customer": 7})),
                (100..112).map(|id| call("item", json!({"id": id}))).collect(),
            ],
            r#"<action id="who" mode="async">{"name":"customer","parameters":{"id":7}}</action>
<action id="orders">{"name":"orders","parameters":{"customer":7}}</action>
<foreach id="items" in="orders.map(o, o.item)" as="id"><action>{"name":"item","parameters":{"id":"$id"}}</action></foreach>
<value name="cost" expr="who.name + ' pays ' + string(sum(items.map(i, i.price)))"/>
<response>$cost.</response>"#
                .to_owned(),
            "Ada pays 46.".to_owned(),
        ),
        task(
            "retry what failed",
            "How many words have the 20 pages?",
            vec![
                (0..20).map(|page| call("fetch", json!({"page": page}))).collect(),
                (0..20).step_by(5).map(|page| call("fetch", json!({"page": page}))).collect(),
            ],
            r#"<foreach id="pages" in="range(20)" as="n"><action>{"name":"fetch","parameters":{"page":"$n"},"retry":2}</action></foreach>
<value name="words" expr="sum(pages.map(p, p.words))"/>
<response>They have $words words.</response>"#
                .to_owned(),
            "They have 2190 words.".to_owned(),
        ),
        task(
            "choose by a result",
            "Run the tests. If they fail, tell p1, otherwise write `ok` to state.",
            vec![call("test", json!({})), call("send", json!({"to": "p1", "text": "The tests fail."}))],
            r#"<action id="tests">{"name":"test","parameters":{},"on_error":"skip"}</action>
<if test="failed(tests)"><action>{"name":"send","parameters":{"to":"p1","text":"The tests fail."}}</action>
<else><action>{"name":"write","parameters":{"path":"state","content":"ok"}}</action></if>
<value name="state" expr="failed(tests) ? 'The tests fail, and p1 knows it.' : 'The tests pass.'"/>
<response>$state</response>"#
                .to_owned(),
            "The tests fail, and p1 knows it.".to_owned(),
        ),
        task(
            "edit all or nothing",
            "Replace `draft` by `final` in every report, in all of them or in none.",
            vec![
                call("list", json!({"folder": "reports"})),
                all.clone().map(|n| call("edit", edit(&path(n)))).collect(),
            ],
            r#"<action id="files">{"name":"list","parameters":{"folder":"reports"}}</action>
<transaction><foreach in="files.map(f, f.path)" as="path"><action>{"name":"edit","parameters":{"path":"$path","from":"draft","to":"final"},"compensate":{"name":"edit","parameters":{"path":"$path","from":"final","to":"draft"}}}</action></foreach></transaction>
<value name="count" expr="len(files)"/>
<response>$count reports are final.</response>"#
                .to_owned(),
            "30 reports are final.".to_owned(),
        ),
        task(
            "read only the large ones",
            "What is the sum of the amounts in reports of more than 10,000 bytes?",
            vec![call("list", json!({"folder": "reports"})), large.clone().map(read).collect()],
            r#"<action id="files">{"name":"list","parameters":{"folder":"reports"}}</action>
<foreach id="reports" in="files.filter(f, f.size > 10000).map(f, f.path)" as="path"><action>{"name":"read","parameters":{"path":"$path"}}</action></foreach>
<value name="total" expr="sum(reports.map(r, r.amount))"/>
<response>Their sum is $total.</response>"#
                .to_owned(),
            format!("Their sum is {}.", sum(&mut large.clone())),
        ),
        task(
            "walk through pages",
            "How many words have the pages 1 to 4? Each page names the next one.",
            (1..5).map(|page| call("fetch", json!({"page": page}))).collect(),
            r#"<foreach id="pages" in="range(4).map(i, i + 1)" as="n" max_parallel="1"><action>{"name":"fetch","parameters":{"page":"$n"}}</action></foreach>
<value name="words" expr="sum(pages.map(p, p.words))"/>
<response>They have $words words.</response>"#
                .to_owned(),
            "They have 410 words.".to_owned(),
        ),
        task(
            "tell 25 people",
            "Tell everybody in the team that the office is closed. Whom did it not reach?",
            vec![
                call("people", json!({})),
                (0..25).map(|id| call("send", message(&format!("p{id}")))).collect(),
            ],
            r#"<action id="team">{"name":"people","parameters":{}}</action>
<foreach id="sent" in="team.map(p, p.address)" as="to" on_error="skip"><action>{"name":"send","parameters":{"to":"$to","text":"The office is closed on Monday."}}</action></foreach>
<value name="missed" expr="sent.filter(s, s == null).size()"/>
<response>It did not reach $missed people.</response>"#
                .to_owned(),
            "It did not reach 2 people.".to_owned(),
        ),
        task(
            "pass a text on",
            "Copy the first report to copy.json.",
            vec![
                call("read", json!({"path": path(0)})),
                call("write", json!({"path": "copy.json", "content": {"amount": 10, "text": filler(600)}})),
            ],
            r#"<action id="report">{"name":"read","parameters":{"path":"reports/2026-00.json"}}</action>
<action>{"name":"write","parameters":{"path":"copy.json","content":"$report"}}</action>
<response>It is copied.</response>"#
                .to_owned(),
            "It is copied.".to_owned(),
        ),
        task(
            "take the first that answers",
            "Which version do the mirrors 1 to 3 have? Any of them will do.",
            vec![call("mirror", json!({"number": 1})), call("mirror", json!({"number": 2}))],
            r#"<parallel id="version" join="any"><action>{"name":"mirror","parameters":{"number":1}}</action>
<action>{"name":"mirror","parameters":{"number":2}}</action>
<action>{"name":"mirror","parameters":{"number":3}}</action></parallel>
<response>It is $version.</response>"#
                .to_owned(),
            "It is 4.2.1.".to_owned(),
        ),
    ]
}

fn task(
    name: &'static str,
    prompt: &'static str,
    mut plain: Vec<String>,
    blocks: String,
    says: String,
) -> Task {
    plain.push(format!("<response>{says}</response>"));
    Task { name, prompt, plain, blocks, says }
}

/// Returns an action that runs beside the others.
fn call(name: &str, parameters: Value) -> String {
    let body = json!({"name": name, "parameters": parameters});
    format!("<action mode=\"async\">{body}</action>\n")
}

fn edit(path: &str) -> Value {
    json!({"path": path, "from": "draft", "to": "final"})
}

fn message(to: &str) -> Value {
    json!({"to": to, "text": "The office is closed on Monday."})
}
